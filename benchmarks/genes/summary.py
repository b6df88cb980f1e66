"""Classifiers over all microarray sets: mean error and rank, features, seconds, and the project's target.

    python -m benchmarks.genes.summary [STORE]

summarises what `pauca reproduce microarrays` has stored.
"""

import sys

from pauca.cli.papers import default_store
from pauca.evaluation import RunStore, Target, critical_difference, friedman, judge, mean_ranks, rank_table

from ..harness.report import Report, Table
from ..papers.microarrays import TABLES

_OURS, _BEST_PLACES = "EP", 2


def main(path=None):
    """Print the report."""
    with RunStore(path or default_store()) as store:
        summary(judge(TABLES[0], store)).show()


def summary(cells):
    """A row for each method, best mean rank first, and a row for each set, from the cells of the table."""
    cells = cells[cells["splits"] > 0]
    errors = _means(cells, "error").dropna()
    if len(errors) < 2:
        return Report([], notes=["microarrays: no results"])
    columns = {name: _means(cells, name).mean() for name in ("features", "fit_seconds")}
    order = mean_ranks(errors).to_dict("records")
    rows = [
        {
            **row,
            "mean error, %": float(errors[row["method"]].mean()),
            **{name: _number(values, row["method"]) for name, values in columns.items()},
        }
        for row in order
    ]
    sets = [{"set": name, **values} for name, values in errors.to_dict("index").items()]
    splits = cells["splits"].min()
    place = 1 + [row["method"] for row in order].index(_OURS)
    return Report(
        [Table(f"{len(errors)} sets, at least {splits} splits", rows), Table("Error, %", sets)],
        [Target(f"place of {_OURS} by mean rank", place, _BEST_PLACES, False)],
        _notes(errors),
    )


def _means(cells, measure):
    """Mean of a measure, a row for each set."""
    part = cells[cells["measure"] == measure]
    return part.pivot_table(index="dataset", columns="method", values="measured")


def _number(values, method):
    return float(values[method]) if method in values else None


def _notes(errors):
    """Whether methods differ, and how far ranks must lie apart."""
    critical = critical_difference(errors.shape[1], len(errors))
    wins = int((rank_table(errors)[_OURS] == 1).sum())
    return [
        f"critical difference {critical:.2f} (Nemenyi, 5 %); Iman-Davenport p = "
        f"{friedman(errors)['p_value'][1]:.1g}; {_OURS} alone has the lowest error on {wins} sets"
    ]


if __name__ == "__main__":
    main(*sys.argv[1:])
