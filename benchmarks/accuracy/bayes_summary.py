"""Bayes machines over all sets: mean ranks, Friedman's and Nemenyi's tests, and the project's targets.

    python -m benchmarks.accuracy.bayes_summary [STORE]

summarises what `pauca reproduce bayes` has stored.
"""

import sys

from pauca.cli.papers import default_store
from pauca.evaluation import RunStore, Target, critical_difference, friedman, judge, mean_ranks

from ..harness.report import Report, Table
from ..papers.bayes_machines import TABLES


def main(path=None):
    """Print a report for each table that compares machines."""
    with RunStore(path or default_store()) as store:
        for table in TABLES[1:]:
            compare(table, store).show()


def compare(table, store):
    """Mean errors and ranks of the methods, their tests, and what is promised about them."""
    cells = judge(table, store)
    cells = cells[(cells["measure"] == "error") & (cells["splits"] > 0)]
    scores = cells.pivot_table(index="dataset", columns="method", values="measured").dropna()
    if len(scores) < 2:
        return Report([], notes=[f"{table.name}: no results"])
    rows = [
        row | {"mean error": float(scores[row["method"]].mean())}
        for row in mean_ranks(scores).to_dict("records")
    ]
    critical = critical_difference(scores.shape[1], len(scores))
    p_value = friedman(scores)["p_value"][1]
    notes = [f"critical difference {critical:.2f} (Nemenyi, 5 %); Iman-Davenport p = {p_value:.1g}"]
    title = f"{table.title}; {len(scores)} sets, {cells['splits'].min()} splits or more"
    return Report([Table(title, rows)], targets(scores), notes)


def targets(scores):
    """The Bayes machine is no worse than its rivals, the sparse one nearly as good as the full one."""
    if "SBM" in scores:
        worse = scores["SBM"] - scores["BM"]
        return [
            Target("SBM: mean error above that of BM", float(worse.mean()), 0.3, False),
            Target("SBM: largest mean error above that of BM on a set", float(worse.max()), 0.3, False),
        ]
    ranks = mean_ranks(scores).set_index("method")["mean_rank"]
    return [
        Target("BM: mean rank above that of the best rival", ranks["BM"] - ranks.drop("BM").min(), 0.0, False)
    ]


if __name__ == "__main__":
    main(*sys.argv[1:])
