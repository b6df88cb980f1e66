"""Tables and drawing of the section ``scaling`` for ``docs/scaling.md``."""

from pathlib import Path

from pauca.evaluation.tables import markdown_table

from ..harness.report import difference, ratio
from .machines import LIGHTGBM, SPARSE_GP

MARKS = "<!-- scaling -->", "<!-- /scaling -->"


def write_tables(path: Path, grown: list[dict], real: list[dict], curves: list[dict]) -> None:
    """Write what a run measured beside LightGBM, and losses by vectors, into a page between its marks."""
    first, last = MARKS
    head, _, rest = path.read_text(encoding="utf-8").partition(first)
    tail = rest.partition(last)[2]
    parts = [
        f"{title}:\n\n{markdown_table(shown(rows))}"
        for title, rows in (
            ("Friedman labels", beside(grown)),
            ("Real sets (loss: log-loss, of numbers RMSE / standard deviation)", beside(real)),
            (
                "Loss by the number of vectors that was asked for, as a multiple of LightGBM's",
                by_vectors(curves, real),
            ),
        )
        if rows
    ]
    path.write_text("\n".join([head + first, *parts, last]) + tail, encoding="utf-8")


def shown(rows: list[dict]) -> list[dict]:
    """Rows for readers: numbers of rows in full."""
    return [{**row, "rows": f"{row['rows']:,}"} if "rows" in row else row for row in rows]


def beside(rows: list[dict]) -> list[dict]:
    """One row for each table of some measurements: the machine of this library beside LightGBM."""
    found = []
    for table, n_rows in dict.fromkeys((row["table"], row["rows"]) for row in rows):
        here = {row["machine"]: row for row in rows if (row["table"], row["rows"]) == (table, n_rows)}
        ours, theirs = here.get(SPARSE_GP), here.get(LIGHTGBM, {})
        if ours is not None:
            found.append(
                {
                    "table": table,
                    "rows": n_rows,
                    "vectors": ours["vectors"],
                    "CPU s": ours["fit_cpu_s"],
                    "LightGBM's CPU s": theirs.get("fit_cpu_s"),
                    "peak GB": ours["peak_GB"],
                    "loss": ours["loss"],
                    "LightGBM's loss": theirs.get("loss"),
                    "above the best possible": difference(ours["loss"], ours["limit"]),
                }
            )
    return found


def by_vectors(curves: list[dict], real: list[dict]) -> list[dict]:
    """One row for each table: loss with each number of vectors as a multiple of LightGBM's."""
    known = {row["table"]: row["loss"] for row in real if row["machine"] == LIGHTGBM}
    sizes = dict.fromkeys(row["machine"] for row in curves)
    losses = {(row["table"], row["machine"]): row["loss"] for row in curves}
    return [
        {"table": table, **{_size(name): ratio(losses.get((table, name)), known[table]) for name in sizes}}
        for table in dict.fromkeys(row["table"] for row in curves)
        if table in known
    ]


def _size(name):
    return name.split(", ")[1]


def kept(path: Path) -> str:
    """What stands between the marks of a page, with them; the marks alone where there is none."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    inner = text.partition(MARKS[0])[2].partition(MARKS[1])[0]
    return f"{MARKS[0]}{inner or chr(10)}{MARKS[1]}"


def draw(path: Path, grown: list[dict], curves: list[dict], real: list[dict]) -> None:
    """Draw time and loss against rows, and the loss of the real sets against vectors, into a file."""
    from matplotlib.figure import Figure

    panels = 3 if curves else 2
    figure = Figure(figsize=(4.4 * panels, 4), layout="constrained")
    time, loss, *others = figure.subplots(1, panels)
    for machine in dict.fromkeys(row["machine"].split(",")[0] for row in grown):
        mine = [row for row in grown if row["machine"].split(",")[0] == machine]
        n_rows = [row["rows"] for row in mine]
        time.loglog(n_rows, [row["fit_cpu_s"] for row in mine], "o-", label=machine)
        loss.loglog(n_rows, [max(row["loss"] - row["limit"], 1e-5) for row in mine], "o-", label=machine)
    time.set(xlabel="training rows", ylabel="CPU seconds to fit")
    loss.set(xlabel="training rows", ylabel="log-loss above the Bayes limit, nats")
    time.legend(fontsize="small")
    for axes in others:
        _draw_curves(axes, curves, {row["table"]: row["loss"] for row in real if row["machine"] == LIGHTGBM})
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def _draw_curves(axes, curves, known):
    """Losses of the real sets against vectors, as multiples of the ``known`` losses of LightGBM."""
    for name in dict.fromkeys(row["table"] for row in curves if row["table"] in known):
        mine = [row for row in curves if row["table"] == name]
        losses = [row["loss"] / known[name] for row in mine]
        axes.loglog([row["vectors"] for row in mine], losses, "o-", label=name)
    axes.axhline(1, color="gray", linewidth=0.8)
    axes.set(xlabel="vectors", ylabel="loss / LightGBM's")
    if known:
        axes.legend(fontsize="small")
