"""The summary on top of the report of a comparison, for somebody who reads nothing else."""

from collections.abc import Iterator
from typing import Any

from pauca.evaluation import HIGHER_IS_BETTER

from .compare_report import MEASURES, ComparisonReport, in_words
from .terminal import written


def sentences(report: ComparisonReport) -> Iterator[str]:
    """Which machine is best and how sure that is; which is calibrated, small and fast."""
    best = _best(report)
    if best is None:
        missing = in_words(report.analysis.measure)
        yield f"No machine can be called best: {missing} is missing for some."
    else:
        yield _praise(report, best)
        yield _certainty(report, best)
    means = report.comparison.results.groupby("method", sort=False).mean(numeric_only=True)
    for column, words in {
        "calibration_error": "Best calibrated: {} (calibration error {:.3f}).",
        "vectors": "Smallest: {} ({:.3g} vectors).",
        "predict_seconds": "Fastest to predict: {} ({:.2g} seconds for the held-out rows).",
    }.items():
        values = means[column].dropna() if column in means else None
        if values is not None and len(values) > 1:
            yield words.format(values.idxmin(), values.min())


def _best(report: ComparisonReport) -> str | None:
    """The machine with the best mean rank, or on a single table with the best score."""
    analysis = report.analysis
    if analysis.mean_ranks is not None:
        return str(analysis.mean_ranks["method"].iloc[0])
    if len(analysis.scores) == 0:
        return None
    row = analysis.scores.iloc[0]
    return str(row.idxmax() if analysis.measure in HIGHER_IS_BETTER else row.idxmin())


def _praise(report: ComparisonReport, best: str) -> str:
    """The best machine with its score."""
    analysis = report.analysis
    name = in_words(analysis.measure)
    if analysis.mean_ranks is not None:
        rank = analysis.mean_ranks["mean_rank"].iloc[0]
        return f"Best by {name}: {best}, with mean rank {rank:.2f} over {len(analysis.scores)} tables."
    measure = next(score for score in MEASURES[report.task] if score.name == analysis.measure)
    return f"Best by {name}: {best} ({written(measure, analysis.scores.iloc[0][best])})."


def _certainty(report: ComparisonReport, best: str) -> str:
    """The machines that are significantly worse than the best, and whether that is all of them."""
    analysis = report.analysis
    tests = next((t for t in (analysis.control, analysis.nemenyi) if t is not None), analysis.splits)
    if tests is None or len(tests) == 0:
        return "Whether that is more than chance was not tested: it takes more tables or more splits."
    worse = [other for test in tests.to_dict("records") for other in _beaten(test, best)]
    others = report.comparison.results["method"].nunique() - 1
    if not worse:
        return "None of the others is significantly worse: the order may be chance."
    named = ", ".join(dict.fromkeys(worse))
    rest = "" if len(set(worse)) == others else " Among the others the order may be chance."
    return f"Significantly worse: {named}.{rest}"


def _beaten(test: dict[str, Any], best: str) -> list[str]:
    """The other machine of a test that is significant, if the best one is a part of it."""
    pair = [test.get("method_1", test.get("control")), test.get("method_2", test.get("method"))]
    if not test["significant"] or best not in pair:
        return []
    return [str(name) for name in pair if name != best]
