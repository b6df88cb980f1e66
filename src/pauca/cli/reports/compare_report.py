"""Text report of ``pauca compare``, and the tables that it shares with the HTML report."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pauca.evaluation import Analysis, Comparison
from pauca.evaluation.comparison.analysis import MIN_SPLITS

from ..tables.target import CLASSIFICATION, REGRESSION
from .terminal import SCORES, Row, Score, print_lines, print_rows, print_scores, written

# Level of the tests, which is the one of `analyse`.
_ALPHA = 0.05
# Significant pairs that are printed at most; the HTML report has all.
_MAX_PAIRS = 10
# Scores that can rank the machines, and the columns of the HTML report.
MEASURES = {
    CLASSIFICATION: [*SCORES[CLASSIFICATION], Score("probability_rmse", "prob.\nRMSE", "{:.3f}".format)],
    REGRESSION: SCORES[REGRESSION],
}


@dataclass(frozen=True)
class ComparisonReport:
    """Results and tests of a comparison, with what a reader needs to understand them.

    ``protocol`` describes the splits in words, ``control`` is the title of the machine that the others are
    compared with (None: all pairs), ``output`` the file of the HTML report. ``importances`` has for each
    table a row for each column that matters, with its effect on every machine.
    """

    task: str
    target: str
    protocol: str
    comparison: Comparison
    analysis: Analysis
    control: str | None
    notes: list[str]
    output: Path
    importances: dict[str, list[Row]] = field(default_factory=dict)


def print_comparison(report: ComparisonReport) -> None:
    """Print scores and ranks, tests, notes, and where the HTML report is."""
    first, *others = report.comparison.datasets
    described = f"predicting {report.target!r}, {report.protocol}"
    if others:
        print_rows(f"{in_words(report.analysis.measure)}: {described}", rank_rows(report))
    else:
        print_scores(f"{first}: {described}", score_rows(report.comparison, first), report.task)
    print_lines(statements(report.analysis))
    print_lines(report.notes, style="dim")
    print_lines([f"wrote {report.output}"])


def score_rows(comparison: Comparison, dataset: str) -> list[Row]:
    """Means over splits of everything that was measured on a dataset, a row for each method."""
    mine = comparison.results[comparison.results["dataset"] == dataset]
    means = mine.drop(columns=["dataset", "split", "calibration", "risk_coverage"]).groupby(
        "method", sort=False
    )
    return [{"machine": method, **row} for method, row in means.mean(numeric_only=True).T.to_dict().items()]


def rank_rows(report: ComparisonReport) -> list[Row]:
    """Scores of datasets by methods, and the mean ranks below."""
    analysis = report.analysis
    measure = next(score for score in MEASURES[report.task] if score.name == analysis.measure)
    scores, rows = report.comparison.scores(analysis.measure), []
    for dataset, row in scores.T.to_dict().items():
        cells = {method: written(measure, value) for method, value in row.items()}
        rows.append({"table": dataset, **cells})
    if analysis.mean_ranks is not None:
        ranks = analysis.mean_ranks.set_index("method")["mean_rank"]
        rows.append({"table": "mean rank", **{method: f"{ranks[method]:.2f}" for method in scores}})
    return rows


def statements(analysis: Analysis) -> list[str]:
    """Results of the statistical tests in sentences."""
    lines = []
    if analysis.friedman is not None:
        for test in analysis.friedman.itertuples():
            verdict = "some machines differ" if test.p_value < _ALPHA else "no sign that the machines differ"
            name = f"{test.test} test over {len(analysis.scores)} tables"
            lines.append(f"{name}: {verdict} (p = {test.p_value:.3g})")
    if analysis.control is not None:
        lines += _against_control(analysis)
    elif analysis.nemenyi is not None:
        lines += _all_pairs(analysis)
    else:
        lines += _over_splits(analysis.splits)
    return lines


def in_words(measure: str) -> str:
    """Name of a measure as it is written in a sentence."""
    return {"log_loss": "log-loss", "auc": "AUC", "rmse": "RMSE", "r2": "R²"}.get(
        measure, measure.replace("_", " ")
    )


def _all_pairs(analysis: Analysis) -> list[str]:
    found = analysis.nemenyi[analysis.nemenyi["significant"]]
    start = f"Nemenyi test, critical difference {analysis.critical_difference:.2f}"
    if found.empty:
        return [f"{start}: no two machines differ significantly"]
    lines = [f"{start}:"]
    for pair in found.head(_MAX_PAIRS).itertuples():
        better, worse = pair.method_1, pair.method_2
        if pair.rank_difference > 0:
            better, worse = worse, better
        lines.append(f"  {better} is better than {worse} (p = {pair.p_value:.3g})")
    return lines


def _against_control(analysis: Analysis) -> list[str]:
    lines = [f"Bonferroni-Dunn test, critical difference {analysis.critical_difference:.2f}:"]
    for test in analysis.control.itertuples():
        word = "better than" if test.rank_difference > 0 else "worse than"
        verdict = f"significantly {word}" if test.significant else "not significantly different from"
        lines.append(f"  {test.control} is {verdict} {test.method} (p = {test.p_value:.3g})")
    return lines


def _over_splits(splits: Any) -> list[str]:
    """The pairs of machines on a table that differ significantly."""
    if splits.empty:
        return [f"corrected t test over splits: needs at least {MIN_SPLITS} splits"]
    found = splits[splits["significant"]]
    if found.empty:
        return ["corrected t test over splits: no two machines differ significantly"]
    lines = ["corrected t test over splits:"]
    for pair in found.head(_MAX_PAIRS).itertuples():
        better, worse = pair.method_1, pair.method_2
        if pair.gain < 0:
            better, worse = worse, better
        lines.append(f"  {better} is better than {worse} (p = {pair.p_holm:.3g})")
    return lines
