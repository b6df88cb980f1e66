"""Pruned ensembles over all sets: mean ranks, rank tests, and the project's targets.

    python -m benchmarks.ensembles.pruning_summary [STORE]

summarises what `pauca reproduce pruning` has stored.
"""

import sys

import numpy as np

from pauca.cli.papers import default_store
from pauca.evaluation import RunStore, Target, compare_with_published, mean_ranks

from ..harness.report import Report, Table, dataset_means, rank_test_note
from ..papers.pruning import TABLES

_WHOLE = "bagging"
# Methods with targets, by table.
_TARGETED = {"pruning-regression": ("ordered", "SDP"), "pruning-classification": ("ordered", "sdp")}


def main(path=None):
    """Print a report for each table that has results."""
    with RunStore(path or default_store()) as store:
        for table in TABLES:
            report = overlap(table, store) if table.name == "pruning-overlap" else compare(table, store)
            report.show()


def compare(table, store):
    """Mean ranks of the methods, and how often a pruned ensemble is no worse than the whole one."""
    scores = _scores(table, store)
    if len(scores) < 2:
        return Report([], notes=[f"{table.name}: no results"])
    ranks = mean_ranks(scores).to_dict("records")
    rows = [row | _relative_to_bagging(scores, row["method"]) for row in ranks]
    notes = [rank_test_note(scores)]
    return Report([Table(f"{table.title}; {len(scores)} sets", rows)], _targets(table, scores), notes)


def _scores(table, store):
    """Mean of the table's first measure, a row for each set that has all methods."""
    return dataset_means(compare_with_published(table, store), next(iter(table.measures))).dropna()


def _relative_to_bagging(scores, method):
    ratios = scores[method] / scores[_WHOLE].clip(lower=1e-9)
    return {
        "no worse than bagging, %": 100 * float(np.mean(scores[method] <= scores[_WHOLE])),
        "mean ratio to bagging": float(np.exp(np.mean(np.log(ratios.clip(lower=1e-9))))),
    }


def _targets(table, scores):
    targets = []
    for method in _TARGETED[table.name]:
        share, mean_ratio = _relative_to_bagging(scores, method).values()
        targets.append(Target(f"{method}: sets no worse than bagging, %", share, 80.0, True))
        targets.append(Target(f"{method}: mean ratio to bagging", mean_ratio, 1.0, False))
    return targets


def overlap(table, store):
    """Percent of members shared with the best sub-ensemble, by size (figure 3.2)."""
    curves = {method: [] for method in table.methods}
    for row in store.rows(table.study):
        curves[row["unit"].method].append(row["record"]["by_size"])
    if not curves["SDP"]:
        return Report([], notes=[f"{table.name}: no results"])
    means = {method: np.mean(shares, axis=0) for method, shares in curves.items()}
    rows = [
        {"members kept": size, **{method: float(mean[size - 1]) for method, mean in means.items()}}
        for size in (1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 16, 20, 24, 28)
    ]
    title = (
        f"Members shared with the best sub-ensemble, percent; {len(curves['SDP'])} ensembles of 32 networks"
    )
    targets = [
        Target(f"{method}: mean over sizes, %", float(means[method].mean()), bound, True)
        for method, bound in (("ordered", 85.0), ("SDP", 95.0))
    ]
    return Report([Table(title, rows)], targets)


if __name__ == "__main__":
    main(*sys.argv[1:])
