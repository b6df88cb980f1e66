"""Tables and drawing of the section ``scaling`` for ``docs/scaling.md``."""

from pathlib import Path

from pauca.evaluation.tables import markdown_table

from ..harness.report import Report
from .machines import LIGHTGBM

MARKS = "<!-- scaling -->", "<!-- /scaling -->"


def write_tables(path: Path, report: Report) -> None:
    """Write targets, tables and notes of a report into a page, between its marks."""
    first, last = MARKS
    head, _, rest = path.read_text(encoding="utf-8").partition(first)
    tail = rest.partition(last)[2]
    parts = [markdown_table([_short(target.row()) for target in report.targets])]
    for table in report.tables:
        if table.rows:
            parts += [f"{table.title}:\n", markdown_table([_short(row) for row in table.rows])]
    parts += [f"* {note}" for note in report.notes]
    path.write_text("\n".join([head + first, *parts, last]) + tail, encoding="utf-8")


def kept(path: Path) -> str:
    """What stands between the marks of a page, with them; the marks alone where there is none."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    inner = text.partition(MARKS[0])[2].partition(MARKS[1])[0]
    return f"{MARKS[0]}{inner or chr(10)}{MARKS[1]}"


def _short(row):
    return {name: float(f"{value:.4g}") if isinstance(value, float) else value for name, value in row.items()}


def draw(path: Path, grown: list[dict], curves: list[dict], real: list[dict]) -> None:
    """Draw time and loss against rows, and the loss of the real sets against vectors, into a file."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4), layout="constrained")
    time, loss, vectors = figure.subplots(1, 3)
    for machine in dict.fromkeys(row["machine"].split(",")[0] for row in grown):
        mine = [row for row in grown if row["machine"].split(",")[0] == machine]
        n_rows = [row["rows"] for row in mine]
        time.loglog(n_rows, [row["fit_cpu_s"] for row in mine], "o-", label=machine)
        loss.loglog(n_rows, [max(row["loss"] - row["limit"], 1e-5) for row in mine], "o-", label=machine)
    time.set(xlabel="training rows", ylabel="CPU seconds to fit")
    loss.set(xlabel="training rows", ylabel="log-loss above the Bayes limit, nats")
    time.legend(fontsize="small")
    known = {row["table"]: row["loss"] for row in real if row["machine"] == LIGHTGBM}
    for name in dict.fromkeys(row["table"] for row in curves if row["table"] in known):
        mine = [row for row in curves if row["table"] == name]
        vectors.loglog(
            [row["vectors"] for row in mine], [row["loss"] / known[name] for row in mine], "o-", label=name
        )
    vectors.axhline(1, color="gray", linewidth=0.8)
    vectors.set(xlabel="vectors", ylabel="loss / LightGBM's")
    if known:
        vectors.legend(fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
