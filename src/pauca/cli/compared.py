"""What ``pauca compare`` prints, and the tables that it shares with the page."""

from pauca.evaluation.comparison.analysis import MIN_SPLITS

from .report import COLUMNS, is_number, print_lines, print_rows, print_scores
from .target import CLASSIFICATION, REGRESSION

_MOST_PAIRS = 10
# What can rank the machines, and the columns of the page.
MEASURES = {
    CLASSIFICATION: [*COLUMNS[CLASSIFICATION], ("probability_rmse", "prob.\nRMSE", "{:.3f}".format)],
    REGRESSION: COLUMNS[REGRESSION],
}


def print_comparison(options, task, comparison, analysis, notes):
    """Scores and ranks, tests, notes, and where the page is."""
    first, *others = comparison.datasets
    if others:
        rows = grid_rows(task, comparison, analysis)
        print_rows(f"{analysis.measure}: {options.target}, {options.protocol}", rows)
    else:
        print_scores(f"{first}: {options.target}, {options.protocol}", score_rows(comparison, first), task)
    print_lines(statements(analysis))
    print_lines(notes, style="dim")
    print_lines([f"wrote {options.output}"])


def score_rows(comparison, dataset):
    """Means over splits of everything that was measured on a dataset, a row for each method."""
    mine = comparison.results[comparison.results["dataset"] == dataset]
    means = mine.drop(columns=["dataset", "split", "calibration", "error_curve"]).groupby(
        "method", sort=False
    )
    return [{"machine": method, **row} for method, row in means.mean(numeric_only=True).T.to_dict().items()]


def grid_rows(task, comparison, analysis):
    """Datasets by methods, and the mean ranks below."""
    show = next(show for name, _, show in MEASURES[task] if name == analysis.measure)
    scores, rows = comparison.scores(analysis.measure), []
    for dataset, row in scores.T.to_dict().items():
        cells = {method: show(value) if is_number(value) else "–" for method, value in row.items()}
        rows.append({"table": dataset, **cells})
    if analysis.mean_ranks is not None:
        ranks = analysis.mean_ranks.set_index("method")["mean_rank"]
        rows.append({"table": "mean rank", **{method: f"{ranks[method]:.2f}" for method in scores}})
    return rows


def statements(analysis):
    """The tests in sentences."""
    lines = []
    if analysis.friedman is not None:
        for test in analysis.friedman.itertuples():
            lines.append(f"{test.test} test over {len(analysis.scores)} tables: p = {test.p_value:.3g}")
    if analysis.control is not None:
        lines += _against_control(analysis)
    elif analysis.nemenyi is not None:
        lines += _all_pairs(analysis)
    else:
        lines += _over_splits(analysis.splits)
    return lines


def _all_pairs(analysis):
    found = analysis.nemenyi[analysis.nemenyi["significant"]]
    start = f"Nemenyi test, critical difference {analysis.critical_difference:.2f}"
    if found.empty:
        return [f"{start}: no two machines differ significantly"]
    lines = [f"{start}:"]
    for pair in found.head(_MOST_PAIRS).itertuples():
        better, worse = pair.method_1, pair.method_2
        if pair.rank_difference > 0:
            better, worse = worse, better
        lines.append(f"  {better} is better than {worse} (p = {pair.p_value:.3g})")
    return lines


def _against_control(analysis):
    lines = [f"Bonferroni-Dunn test, critical difference {analysis.critical_difference:.2f}:"]
    for test in analysis.control.itertuples():
        word = "better than" if test.rank_difference > 0 else "worse than"
        verdict = f"significantly {word}" if test.significant else "not significantly different from"
        lines.append(f"  {test.control} is {verdict} {test.method} (p = {test.p_value:.3g})")
    return lines


def _over_splits(splits):
    """The pairs of machines on a table that differ significantly."""
    if splits.empty:
        return [f"corrected t test over splits: needs at least {MIN_SPLITS} splits"]
    found = splits[splits["significant"]]
    if found.empty:
        return ["corrected t test over splits: no two machines differ significantly"]
    lines = ["corrected t test over splits:"]
    for pair in found.head(_MOST_PAIRS).itertuples():
        better, worse = pair.method_1, pair.method_2
        if pair.gain < 0:
            better, worse = worse, better
        lines.append(f"  {better} is better than {worse} (p = {pair.p_holm:.3g})")
    return lines
