"""Classifiers over all microarray sets: mean errors and ranks, features, seconds, and the project's target.

    python -m benchmarks.genes.summary [STORE]

summarises what `pauca reproduce microarrays` has stored.
"""

import sys

from pauca.cli.papers import default_store
from pauca.evaluation import RunStore, Target, compare_with_published, mean_ranks, rank_table

from ..harness.report import Report, Table, dataset_means, rank_test_note
from ..papers.microarrays import TABLES

# Our method, and the place by mean rank that it should have at least.
_OURS, _AT_MOST = "EP", 2


def main(path=None):
    """Print the report."""
    with RunStore(path or default_store()) as store:
        summary(compare_with_published(TABLES[0], store)).show()


def summary(cells):
    """A row for each method, best mean rank first, and a row for each set, from the cells of the table."""
    errors = dataset_means(cells, "error").dropna()
    if len(errors) < 2:
        return Report([], notes=["microarrays: no results"])
    columns = {name: dataset_means(cells, name).mean() for name in ("features", "fit_seconds")}
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
    splits = cells.loc[cells["splits"] > 0, "splits"].min()
    place = 1 + [row["method"] for row in order].index(_OURS)
    return Report(
        [Table(f"{len(errors)} sets, at least {splits} splits", rows), Table("Error, %", sets)],
        [Target(f"place of {_OURS} by mean rank", place, _AT_MOST, False)],
        [_note(errors)],
    )


def _number(values, method):
    return float(values[method]) if method in values else None


def _note(errors):
    """Line with the rank test and the number of sets on which our method has the lowest error."""
    wins = int((rank_table(errors)[_OURS] == 1).sum())
    return f"{rank_test_note(errors)}; {_OURS} alone has the lowest error on {wins} sets"


if __name__ == "__main__":
    main(*sys.argv[1:])
