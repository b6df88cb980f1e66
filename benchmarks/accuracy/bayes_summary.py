"""Bayes machines over all sets: mean errors and ranks, rank tests, and the project's targets.

    python -m benchmarks.accuracy.bayes_summary [STORE]

summarises what `pauca reproduce bayes` has stored.
"""

import sys

from pauca.cli.papers import default_store
from pauca.evaluation import RunStore, Target, compare_with_published, mean_ranks

from ..harness.report import Report, Table, dataset_means, rank_test_note
from ..papers.bayes_machines import TABLES


def main(path=None):
    """Print a report for each table that compares machines."""
    with RunStore(path or default_store()) as store:
        for table in TABLES[1:]:
            compare(table, store).show()


def compare(table, store):
    """Mean errors and ranks of the methods of a table, a rank test, and the targets."""
    cells = compare_with_published(table, store)
    scores = dataset_means(cells, "error").dropna()
    if len(scores) < 2:
        return Report([], notes=[f"{table.name}: no results"])
    rows = [
        row | {"mean error": float(scores[row["method"]].mean())}
        for row in mean_ranks(scores).to_dict("records")
    ]
    n_splits = cells.loc[(cells["measure"] == "error") & (cells["splits"] > 0), "splits"].min()
    title = f"{table.title}; {len(scores)} sets, {n_splits} splits or more"
    return Report([Table(title, rows)], targets(scores), [rank_test_note(scores)])


def targets(scores):
    """The project's targets: BM ranks no worse than its peers, SBM has nearly the error of BM."""
    if "SBM" in scores:
        worse = scores["SBM"] - scores["BM"]
        return [
            Target("SBM: mean error above that of BM", float(worse.mean()), 0.3, False),
            Target("SBM: largest mean error above that of BM on a set", float(worse.max()), 0.3, False),
        ]
    ranks = mean_ranks(scores).set_index("method")["mean_rank"]
    return [
        Target("BM: mean rank above that of the best peer", ranks["BM"] - ranks.drop("BM").min(), 0.0, False)
    ]


if __name__ == "__main__":
    main(*sys.argv[1:])
