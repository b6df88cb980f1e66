"""The HTML report: one file that needs no network, readable on a phone."""

from datetime import date
from html import escape

from pauca import __version__
from pauca.evaluation import HIGHER_IS_BETTER, environment

from . import figures
from .compared import MEASURES, grid_rows, score_rows, statements
from .report import is_number

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
td.text { text-align: left; }
details { margin: .5rem 0; } summary { cursor: pointer; }
td.best { font-weight: 700; }
figure { margin: 0; } img { max-width: 100%; height: auto; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; }
.notes { color: #555; font-size: .9rem; }
"""


def write_page(options, task, comparison, analysis, control, notes):
    """Write the report of a comparison."""
    title = f"Comparison of machines: {options.target}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        _introduction(options, comparison),
        *_ranking(task, comparison, analysis, control),
        *_tests(analysis),
        *_by_table(task, comparison),
        _section("Notes", _list(notes, "notes")) if notes else "",
        _section("Where and how", _list(_circumstances(), "notes")),
    ]
    body = "\n".join(part for part in parts if part)
    page = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )
    options.output.write_text(page, encoding="utf-8")


def _introduction(options, comparison):
    results = comparison.results
    tables, machines = results["dataset"].nunique(), results["method"].nunique()
    return (
        f"<p>{machines} machines on {tables} table{'s' if tables > 1 else ''}: {escape(options.protocol)}. "
        "Every machine sees the same splits; figures are means over splits.</p>"
    )


def _ranking(task, comparison, analysis, control):
    """The table of the measure, and the diagrams of ranks where there are several tables."""
    rows = grid_rows(task, comparison, analysis)
    yield _section(f"Scores: {analysis.measure.replace('_', ' ')}", _table(rows, best=_best_cells(analysis)))
    if analysis.mean_ranks is not None:
        diagram = figures.difference_diagram(analysis, control)
        caption = (
            "Machines joined by a bar do not differ significantly."
            if control is None
            else f"Machines whose lines cross the bar do not differ significantly from {control}."
        )
        boxes = figures.rank_boxes(analysis)
        yield _section("Mean ranks", _side_by_side(_figure(diagram, caption), _figure(boxes)))


def _best_cells(analysis):
    """For each table the best machines, which may be several."""
    scores = analysis.scores
    best = scores.max(axis=1) if analysis.measure in HIGHER_IS_BETTER else scores.min(axis=1)
    return {dataset: set(row.index[row == best[dataset]]) for dataset, row in scores.iterrows()}


def _tests(analysis):
    """Sentences first, then every test in full."""
    yield _section("Tests", _list(statements(analysis)))
    titles = {
        "friedman": "Do the machines differ at all?",
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


def _by_table(task, comparison):
    """All scores, calibration and error curves of each table."""
    for dataset in comparison.datasets:
        mine = comparison.results[comparison.results["dataset"] == dataset]
        rows = [_shown(row, task) for row in score_rows(comparison, dataset)]
        pictures = _figure(figures.calibration(mine, task)), _figure(figures.errors(mine, task))
        yield _section(dataset, _table(rows), _side_by_side(*pictures))


def _shown(row, task):
    """A row of scores as text, under the headers of the command line."""
    cells = {
        header.replace("-\n", "-").replace("\n", " "): show(row[name]) if is_number(row.get(name)) else "–"
        for name, header, show in MEASURES[task]
    }
    return {"machine": row["machine"], **cells}


def _circumstances():
    where = environment()
    packages = ", ".join(f"{name} {version}" for name, version in where["packages"].items() if version)
    yield f"pauca {__version__}, {date.today().isoformat()}"
    yield f"{where['processor']}, {where['cores']} cores, {where['system']}, Python {where['python']}"
    yield packages


def _section(title, *parts):
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def _side_by_side(*parts):
    """Beside one another where there is room, else below."""
    return f'<div class="pair">{"".join(parts)}</div>'


def _figure(image, caption=""):
    if not image:
        return ""
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{image}{below}</figure>"


def _list(lines, style=""):
    items = "".join(f"<li>{escape(line.strip())}</li>" for line in lines)
    return f'<ul class="{style}">{items}</ul>'


def _table(rows, best=None):
    """Rows with the same keys; ``best`` has, for the first cell of a row, the columns to set in bold."""
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in rows[0])
    lines = []
    for row in rows:
        first = next(iter(row.values()))
        winners = (best or {}).get(first, ())
        lines.append("".join(_cell(value, name in winners) for name, value in row.items()))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value, best=False):
    if isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, str):
        text = value
    else:
        text = f"{value:.3g}" if is_number(value) else "–"
    is_text = isinstance(value, str) and value[:1].isalpha()
    styles = [name for name, wanted in (("best", best), ("text", is_text)) if wanted]
    return f'<td class="{" ".join(styles)}">{escape(text)}</td>'
