"""The HTML report of ``pauca compare``: one file that needs no network, readable on a phone."""

from collections.abc import Collection, Iterable, Iterator
from datetime import date
from html import escape
from typing import Any

from pauca import __version__
from pauca.atomic_file import replacing
from pauca.evaluation import HIGHER_IS_BETTER, Analysis, environment

from ..tables.target import CLASSIFICATION, REGRESSION
from . import figures
from .compare_report import MEASURES, ComparisonReport, in_words, rank_rows, score_rows, statements
from .in_short import sentences
from .terminal import Row, is_number, written

_STYLE = """
:root { color-scheme: light; font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid #ddd; }
h3 { font-size: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .5rem; text-align: right; border-bottom: 1px solid #eee; white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: #fff; }
td:first-child { min-width: 6rem; max-width: min(22rem, 45vw); white-space: normal; overflow-wrap: anywhere; }
td.text { text-align: left; }
details { margin: .5rem 0; } summary { cursor: pointer; }
td.best { font-weight: 700; }
figure { margin: 0; } img { max-width: 100%; height: auto; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; }
.notes { color: #555; font-size: .9rem; }
.short { background: #f2f6fa; border-left: 4px solid #0072b2; padding: .2rem 1rem; }
.short h2 { border: 0; margin-top: .5rem; }
.hint { display: none; color: #555; font-size: .85rem; margin: .3rem 0; }
figcaption { color: #555; font-size: .9rem; }
@media (max-width: 45rem) { .hint { display: block; } }
"""


# What the two plots of a table show.
_CAPTIONS = {
    CLASSIFICATION: (
        "Reliability diagram: how often that happens which is predicted with some probability.",
        "Risk-coverage curve: error among the rows that a machine is most confident of; lower is better.",
    ),
    REGRESSION: (
        "Reliability diagram: how many held-out rows lie in intervals of a nominal coverage.",
        "Quantiles of the absolute error; lower is better.",
    ),
}


def write_html(report: ComparisonReport) -> None:
    """Write the HTML report of a comparison to its file."""
    title = f"Comparison of machines: {report.target}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        _in_short(report),
        _introduction(report),
        *_ranking(report),
        *_tests(report.analysis),
        *_by_table(report),
        _section("Notes", _list(report.notes, "notes")) if report.notes else "",
        _section("Environment", _list(_environment_lines(), "notes")),
    ]
    body = "\n".join(part for part in parts if part)
    page = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )
    with replacing(report.output) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _in_short(report: ComparisonReport) -> str:
    """What somebody learns who reads nothing else."""
    return f'<section class="short"><h2>In short</h2>{_list(sentences(report))}</section>'


def _introduction(report: ComparisonReport) -> str:
    results = report.comparison.results
    tables, machines = results["dataset"].nunique(), results["method"].nunique()
    return (
        f"<p>{machines} machines on {tables} table{'s' if tables > 1 else ''}: {escape(report.protocol)}. "
        "Every machine is fitted and scored on the same splits; scores are means over splits.</p>"
    )


def _ranking(report: ComparisonReport) -> Iterator[str]:
    """The scores that rank the machines, and the plots of ranks where there are several tables."""
    analysis, control = report.analysis, report.control
    title = f"Scores: {in_words(analysis.measure)}"
    yield _section(title, _table(rank_rows(report), best=_best_cells(analysis)))
    if analysis.mean_ranks is not None:
        diagram = figures.critical_difference(analysis, control)
        caption = (
            "Machines joined by a bar do not differ significantly."
            if control is None
            else f"Machines whose lines cross the bar do not differ significantly from {control}."
        )
        boxes = figures.rank_boxes(analysis)
        yield _section("Mean ranks", _side_by_side(_figure(diagram, caption), _figure(boxes)))


def _best_cells(analysis: Analysis) -> dict[str, set[str]]:
    """For each table the best machines, which may be several."""
    scores = analysis.scores
    best = scores.max(axis=1) if analysis.measure in HIGHER_IS_BETTER else scores.min(axis=1)
    return {dataset: set(row.index[row == best[dataset]]) for dataset, row in scores.iterrows()}


def _tests(analysis: Analysis) -> Iterator[str]:
    """Sentences first, then every test in full."""
    yield _section("Tests", _list(statements(analysis)))
    titles = {
        "friedman": "Do the machines differ at all? Friedman, Iman-Davenport",
        "control": "Against the control: Bonferroni-Dunn",
        "nemenyi": "All pairs by mean ranks: Nemenyi",
        "wilcoxon": "All pairs by signed ranks: Wilcoxon, Holm's adjustment",
        "splits": "Pairs on each table, over splits: corrected resampled t test, Holm's adjustment",
    }
    for name, title in titles.items():
        table = getattr(analysis, name)
        if table is not None and len(table):
            rows = _table(table.to_dict("records"))
            yield f"<details><summary>{escape(title)}</summary>{rows}</details>"


def _by_table(report: ComparisonReport) -> Iterator[str]:
    """All scores, the reliability diagram and the error curves of each table."""
    task, results = report.task, report.comparison.results
    for dataset in report.comparison.datasets:
        mine = results[results["dataset"] == dataset]
        rows = [_score_cells(row, task) for row in score_rows(report.comparison, dataset)]
        calibration, risk = _CAPTIONS[task]
        plots = (
            _figure(figures.reliability(mine, task), calibration),
            _figure(figures.risk_coverage(mine, task), risk),
        )
        yield _section(dataset, _table(rows), _side_by_side(*plots), _importances(report, dataset))


def _importances(report: ComparisonReport, dataset: str) -> str:
    """The columns that each machine uses, where they were computed."""
    rows = report.importances.get(dataset)
    if not rows:
        return ""
    loss = "log-loss" if report.task == CLASSIFICATION else "root mean square error"
    note = f"Rise of the {loss} on held-out rows when the cells of a column are shuffled, first split."
    return f'<h3>Columns that matter</h3><p class="notes">{note}</p>{_table(rows)}'


def _score_cells(row: Row, task: str) -> dict[str, str]:
    """A row of scores as text, under the headers of the command line."""
    cells = {
        score.header.replace("-\n", "-").replace("\n", " "): written(score, row.get(score.name))
        for score in MEASURES[task]
    }
    return {"machine": row["machine"], **cells}


def _environment_lines() -> Iterator[str]:
    where = environment()
    packages = ", ".join(f"{name} {version}" for name, version in where["packages"].items() if version)
    yield f"pauca {__version__}, {date.today().isoformat()}"
    yield f"{where['processor']}, {where['cores']} cores, {where['system']}, Python {where['python']}"
    yield packages


def _section(title: str, *parts: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def _side_by_side(*parts: str) -> str:
    """Beside one another where there is room, else below."""
    return f'<div class="pair">{"".join(parts)}</div>'


def _figure(image: str, caption: str = "") -> str:
    if not image:
        return ""
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{image}{below}</figure>"


def _list(lines: Iterable[str], style: str = "") -> str:
    items = "".join(f"<li>{escape(line.strip())}</li>" for line in lines)
    return f'<ul class="{style}">{items}</ul>'


def _table(rows: list[Row], best: dict[str, set[str]] | None = None) -> str:
    """Rows with the same keys; ``best`` has, for the first cell of a row, the columns to set in bold."""
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in rows[0])
    lines = []
    for row in rows:
        first = next(iter(row.values()))
        winners: Collection[str] = (best or {}).get(first, ())
        lines.append("".join(_cell(value, name in winners) for name, value in row.items()))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    hint = '<p class="hint">Wide tables scroll sideways.</p>' if len(rows[0]) > 3 else ""
    return f'{hint}<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value: Any, best: bool = False) -> str:
    if isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, str):
        text = value
    else:
        text = f"{value:.3g}" if is_number(value) else "–"
    is_text = isinstance(value, str) and value[:1].isalpha()
    styles = [name for name, wanted in (("best", best), ("text", is_text)) if wanted]
    return f'<td class="{" ".join(styles)}">{escape(text)}</td>'
