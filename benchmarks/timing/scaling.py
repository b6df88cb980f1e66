"""Growth of processor seconds with the number of training rows: its exponent, and a drawing."""

import numpy as np

# Rows from which growth is measured: among fewer, fixed costs hide it.
_FROM_ROWS = 4000


def exponent(rows, from_rows=_FROM_ROWS):
    """Exponent of the growth of processor seconds with the rows, by least squares on logarithms."""
    rows = [row for row in rows if row["rows"] >= from_rows]
    if len(rows) < 2:
        return None
    x, y = (np.log([row[name] for row in rows]) for name in ("rows", "fit_cpu_s"))
    return float(np.polyfit(x, y, 1)[0])


def draw(rows, name, path):
    """Draw seconds and error against rows into a file."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for machine in dict.fromkeys(row["machine"] for row in rows):
        mine = [row for row in rows if row["machine"] == machine]
        n_rows = [row["rows"] for row in mine]
        left.loglog(n_rows, [row["fit_cpu_s"] for row in mine], "o-", label=machine)
        right.semilogx(n_rows, [row["error_%"] for row in mine], "o-", label=machine)
    left.set(xlabel="training rows", ylabel="processor seconds to fit", title=name)
    right.set(xlabel="training rows", ylabel="test error, %", title=name)
    left.legend()
    figure.savefig(path, dpi=150)
