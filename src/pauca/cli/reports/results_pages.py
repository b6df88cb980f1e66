"""Pages of reproduced tables: one for each table, and a summary with a heat map of verdicts."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pandas import DataFrame

from pauca.atomic_file import replacing
from pauca.evaluation import PaperTable, compared_ranks, read_records, summaries_of, targets, with_verdicts
from pauca.evaluation.papers.records import ENOUGH_SPLITS
from pauca.evaluation.papers.verdicts import NOT_MEASURED, WORSE
from pauca.evaluation.tables import markdown_table
from pauca.plotting.canvas import MATPLOTLIB_MISSING

from ..papers import Paper, figures
from .reproduced import cell_row
from .terminal import Row

try:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError(MATPLOTLIB_MISSING) from error

_HEAD = """# Published tables, measured again

Written by `pauca reproduce --page docs/results` from the CSV files beside this page, which hold every
measured mean with its standard deviation, number of splits, commit, day and machine. `pauca reproduce`
measures what is missing, and `pauca reproduce --figure NAME` draws a figure (`--figure all`: every one).

A measured mean *agrees* with a printed one if they differ by at most two standard errors of the difference.
The paper's part is its printed standard deviation over the root of its repetitions; where it printed none,
the measured one stands for it. Half a unit of the last printed digit is allowed for rounding. Means of
accuracy that do not agree are *better* or *worse*; sizes and the like *differ*. *One split* gives no
verdict, and seconds on another computer are shown without one.

Printed values stand beside rows that were measured with the machine as it was published, not with a default
of this library. The column *by* names the commit that measured a row; *unknown* is a working copy whose
commit was not merged as it was, or a time before commits were kept.
"""
_VERDICTS = ("agrees", "better", "worse", "differs", "one split", "not measured")
# Share of the cells with a verdict that this project wants to agree or be better.
_TARGET = 0.85
_OUTCOME = ": outcome"
# Quantile of the normal distribution at which two means differ, 5 % on both sides.
_NORMAL = 1.96
_EARLIER = (
    "Rows measured before today's code of the protocol or today's defaults of the machines are marked "
    "*earlier*; `pauca reproduce {table}` measures them again.\n"
)


def write_pages(folder: Path, papers: list[Paper]) -> int:
    """Write the summary, its heat map and a page for each table that has records; the number of tables."""
    counts: dict[str, Counter] = {}
    lines: dict[str, str] = {}
    for table, causes in ((table, paper.causes) for paper in papers for table in paper.tables):
        records = read_records(folder / f"{table.name}.csv")
        cells = with_verdicts(table, summaries_of(records))
        counts[table.name] = Counter(cells["verdict"]) if len(cells) else Counter()
        if records:
            lines[table.name] = table.title
            _write(folder / f"{table.name}.md", _table_page(folder, table, cells, records, causes))
    _draw_verdicts(counts, folder / "verdicts.svg")
    _write(folder / "index.md", _summary(papers, counts, lines))
    return len(lines)


def _write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _summary(papers: list[Paper], counts: dict[str, Counter], measured: dict[str, str]) -> str:
    total = sum((count for count in counts.values()), Counter())
    decided = sum(total[word] for word in ("agrees", "better", "worse", "differs"))
    good = total["agrees"] + total["better"]
    share = f"{good} of {decided} cells with a verdict ({good / max(decided, 1):.1%}; target {_TARGET:.0%})"
    rest = f"worse: {total[WORSE]}, different: {total['differs']}, one split: {total['one split']}"
    parts = [
        _HEAD,
        f"{share} agree or are better; {rest}, printed but not measured: {total[NOT_MEASURED]}.\n",
        "![Share of the cells of each table with each verdict](verdicts.svg)\n",
    ]
    for paper in papers:
        rows = [_line(table, counts[table.name], table.name in measured) for table in paper.tables]
        parts += [
            f"## {paper.title}\n",
            f"{paper.findings}\n" if paper.findings else "",
            markdown_table(rows),
        ]
    if drawn := _figures():
        parts += ["## Figures\n", markdown_table(drawn)]
    toctree = "\n".join(sorted(measured))
    return "\n".join([*(part for part in parts if part), f"```{{toctree}}\n:hidden:\n\n{toctree}\n```\n"])


def _figures() -> list[Row]:
    """Names and titles of the figures that can be drawn; none where the checkout has none."""
    try:
        known = figures()
    except ImportError:
        return []
    return [{"figure": name, "contents": figure.title} for name, figure in known.items()]


def _line(table: PaperTable, count: Counter, has_page: bool) -> Row:
    name = f"[{table.name}]({table.name}.md)" if has_page else table.name
    return {"table": name, **{word: str(count[word]) for word in _VERDICTS}, "contents": table.title}


def _table_page(
    folder: Path,
    table: PaperTable,
    cells: DataFrame,
    records: list[dict[str, Any]],
    causes: Mapping[tuple[str, str, str], str],
) -> str:
    known = {(each["dataset"], each["method"], each["measure"]): each for each in records}
    today = table.study.split()[-1]
    rows = []
    for cell in cells.to_dict("records"):
        record = known.get((cell["dataset"], cell["method"], cell["measure"]))
        by = "" if record is None else record["commit"] if record["protocol"] == today else "earlier"
        rows.append({**cell_row(cell), "splits": f"{cell['splits']} of {table.n_splits}", "by": by})
    parts = [f"# {table.name}\n\n{table.title}.\n", markdown_table(rows)]
    if any(row["by"] == "earlier" for row in rows):
        parts.insert(1, _EARLIER.format(table=table.name))
    ranks = compared_ranks(table, cells).to_dict("records")
    if ranks:
        parts += ["Mean ranks by the first measure:\n", markdown_table(ranks)]
    bounds = [target.row() for target in targets(table, cells)]
    if bounds:
        parts += ["Targets of this project:\n", markdown_table(bounds)]
    parts += _worse(table, cells, causes)
    parts += [*_against_control(table, cells), *_outcomes(table, cells)]
    parts += [*_companion(folder, table), *_reasons(table, cells)]
    places = sorted({f"{each['days']} on {each['machine']}" for each in records})
    return "\n".join([*parts, *(f"Measured {place}.\n" for place in places)])


def _worse(table: PaperTable, cells: DataFrame, causes: Mapping[tuple[str, str, str], str]) -> list[str]:
    """Cells that are worse than printed, by dataset and cause."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for cell in cells[cells["verdict"] == WORSE].itertuples() if len(cells) else ():
        cause = cause_of(causes, table.name, cell.dataset, cell.method) or "no cause found"
        text = f"{cell.method} {cell.measure} {cell.measured:.4g} instead of {cell.published:.4g}"
        grouped.setdefault((cell.dataset, cause), []).append(text)
    lines = [f"* {dataset} ({', '.join(found)}): {cause}.\n" for (dataset, cause), found in grouped.items()]
    return ["Worse than printed:\n", "".join(lines)] if lines else []


def cause_of(causes: Mapping[tuple[str, str, str], str], table: str, dataset: str, method: str) -> str | None:
    """Why a cell is worse than printed, for its method or for all methods of its dataset."""
    return causes.get((table, dataset, method)) or causes.get((table, dataset, ""))


def _against_control(table: PaperTable, cells: DataFrame) -> list[str]:
    """Wins, losses and ties of every method against the control, by Welch's test of the means at 5 %."""
    if table.control is None:
        return []
    rows = []
    for name, rule in table.measures.items():
        part = cells[(cells["measure"] == name) & (cells["splits"] > 1)]
        means = part.pivot(index="dataset", columns="method", values="measured")
        errors = part.pivot(index="dataset", columns="method", values="standard_error")
        if rule.better is None or table.control not in means:
            continue
        for method in (each for each in table.methods if each in means and each != table.control):
            gain = means[method] - means[table.control]
            z = gain / np.hypot(errors[method], errors[table.control])
            z = (-z if rule.better == "lower" else z).dropna()
            won, lost = int((z > _NORMAL).sum()), int((z < -_NORMAL).sum())
            rows.append(
                {"measure": name, "method": method, "wins": won, "losses": lost, "ties": len(z) - won - lost}
            )
    title = f"Significant wins, losses and ties against {table.control} (means of all splits, 5 %):\n"
    return [title, markdown_table(rows)] if rows else []


def _outcomes(table: PaperTable, cells: DataFrame) -> list[str]:
    """Wins, losses and ties over the datasets where a table measures the outcome of a test: 1, -1 or 0."""
    rows = []
    for name in (each for each in table.measures if each.endswith(_OUTCOME)):
        part = cells[cells["measure"] == name] if len(cells) else cells
        for method in table.methods:
            signs = part.loc[part["method"] == method, "measured"] if len(part) else part
            if len(signs):
                won, lost = int((signs > 0).sum()), int((signs < 0).sum())
                row = {"measure": name.removesuffix(_OUTCOME), "method": method, "wins": won}
                rows.append({**row, "losses": lost, "ties": len(signs) - won - lost})
    title = "Wins, losses and ties over the datasets, by the test of the table:\n"
    return [title, markdown_table(rows)] if rows else []


def _companion(folder: Path, table: PaperTable) -> list[str]:
    """Means of the first measure in the companion table, which has the defaults of this library."""
    records = read_records(folder / f"{table.companion}.csv") if table.companion else []
    first = next(iter(table.measures))
    found = {(each["dataset"], each["method"]): each["mean"] for each in records if each["measure"] == first}
    methods = list(dict.fromkeys(method for _, method in found))
    rows = [
        {"dataset": dataset, **{method: found.get((dataset, method), float("nan")) for method in methods}}
        for dataset in table.datasets
        if any(place == dataset for place, _ in found)
    ]
    link = f"[{table.companion}]({table.companion}.md)"
    title = f"{first.capitalize()} with the defaults of this library ({link}):\n"
    return [title, markdown_table(rows)] if rows else []


def _reasons(table: PaperTable, cells: DataFrame) -> list[str]:
    """How long printed cells without a measured value would take, and those with fewer than twenty splits."""
    if not len(cells):
        return []
    wanted = min(ENOUGH_SPLITS, table.n_splits)
    missing = cells["verdict"] == NOT_MEASURED
    few = cells["published"].notna() & (cells["splits"] < wanted) & ~missing
    lines = _grouped(table, cells[missing])
    parts = ["Not measured, for want of time on two cores; it would take:\n", lines] if lines else []
    lines = _grouped(table, cells[few])
    return parts + (
        [f"Fewer than {wanted} splits, for want of time; more would take:\n", lines] if lines else []
    )


def _grouped(table: PaperTable, cells: DataFrame) -> str:
    """Cells by the time that they would take."""
    methods: dict[tuple[str, str], list[str]] = {}
    for place in dict.fromkeys((row.dataset, row.method) for row in cells.itertuples()):
        reason = table.unmeasured(*place) if table.unmeasured else "not run yet"
        methods.setdefault((reason, place[0]), []).append(place[1])
    datasets: dict[tuple[str, str], list[str]] = {}
    for (reason, dataset), names in methods.items():
        datasets.setdefault((reason, ", ".join(names)), []).append(dataset)
    return "".join(
        f"* {names} on {', '.join(sets)}: {reason}.\n" for (reason, names), sets in datasets.items()
    )


def _draw_verdicts(counts: dict[str, Counter], path: Path) -> None:
    """Heat map: share of the cells of each table with each verdict."""
    values = np.array([[counts[name][word] for word in _VERDICTS] for name in counts], dtype=float)
    shares = values / np.maximum(values.sum(axis=1, keepdims=True), 1)
    figure = Figure(figsize=(7.6, 1.2 + 0.28 * len(counts)), layout="constrained")
    ax = figure.subplots()
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), n in np.ndenumerate(values):
        if n:
            colour = "white" if shares[row, column] > 0.6 else "black"
            ax.text(column, row, f"{n:.0f}", ha="center", va="center", fontsize="small", color=colour)
    ax.set_xticks(range(len(_VERDICTS)), _VERDICTS)
    ax.set_yticks(range(len(counts)), list(counts))
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    # The same verdicts give the same file.
    with rc_context({"svg.hashsalt": "pauca"}), replacing(path) as temporary:
        figure.savefig(temporary, metadata={"Date": None})
