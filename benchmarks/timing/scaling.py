"""Growth of seconds, memory and error with the number of training rows of Adult, up to 32561 rows."""

import numpy as np

from pauca.evaluation import Target, Unit

from ..harness.contenders import RVM_GIVEN, SPARSE_GP_FIXED_SIZE, SPARSE_GP_GIVEN, SVC_CALIBRATED
from ..harness.footprint import COLUMNS, in_fresh_process
from ..harness.report import Report, Table

_MACHINES = (SPARSE_GP_FIXED_SIZE, SPARSE_GP_GIVEN, RVM_GIVEN, SVC_CALIBRATED)
_SIZES = (1000, 2000, 4000, 8000, 16_000, 32_561)
# Rows from which growth is measured: among fewer, fixed costs hide it.
_FROM_ROWS = 4000
_QUICK = ("wdbc", (100,))
# Seconds of a fit after which a machine is not given more rows; set by hand.
_MAX_SECONDS = 300.0


def run(options, store) -> Report:
    """Seconds, memory and error of each machine on more and more rows, each fit in a process of its own."""
    name, sizes = _QUICK if options.quick else ("adult", _SIZES)
    rows, notes = [], []
    for machine in _MACHINES:
        for n_train in sizes:
            unit = Unit("scaling", f"{name} N={n_train}", 0, machine)
            if unit not in store:
                store.put(unit, _attempt(machine, name, n_train))
            if "failed" in store[unit]:
                notes.append(store[unit]["failed"])
                break
            rows.append({"machine": machine, "rows": n_train, **store[unit]})
            if rows[-1]["fit_s"] > _MAX_SECONDS:
                break
    if options.plot:
        draw(rows, name, options.plot)
    growth = [{"machine": machine, "exponent": exponent(_rows_of(machine, rows))} for machine in _MACHINES]
    tables = [Table(f"Growth on {name}", rows), Table("Seconds grow as rows to the power of", growth)]
    return Report(tables, targets(rows), notes)


def targets(rows):
    """The project's targets on growth and memory."""
    peaks = [
        row["peak_GB"]
        for machine in (SPARSE_GP_FIXED_SIZE, SPARSE_GP_GIVEN)
        for row in _rows_of(machine, rows)
    ]
    return [
        Target(
            "SparseGP, fixed size: growth exponent of the fit",
            exponent(_rows_of(SPARSE_GP_FIXED_SIZE, rows)),
            1.2,
            False,
        ),
        Target("SparseGP: peak GB", max(peaks, default=None), 4, False),
    ]


def _rows_of(machine, rows):
    return [row for row in rows if row["machine"] == machine]


def exponent(rows):
    """Exponent of the growth of processor seconds with the rows, by least squares on logarithms."""
    rows = [row for row in rows if row["rows"] >= _FROM_ROWS]
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
        mine = _rows_of(machine, rows)
        n_rows = [row["rows"] for row in mine]
        left.loglog(n_rows, [row["fit_cpu_s"] for row in mine], "o-", label=machine)
        right.semilogx(n_rows, [row["error_%"] for row in mine], "o-", label=machine)
    left.set(xlabel="training rows", ylabel="processor seconds to fit", title=name)
    right.set(xlabel="training rows", ylabel="test error, %", title=name)
    left.legend()
    figure.savefig(path, dpi=150)


def _attempt(machine, name, n_train):
    try:
        measured = in_fresh_process(machine, name, n_train)
    except RuntimeError as error:
        return {"failed": str(error)}
    return {name: measured[name] for name in COLUMNS}
