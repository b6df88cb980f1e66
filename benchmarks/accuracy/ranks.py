"""All classifiers on the sets of the EPCVM paper: errors beside published ones, mean ranks, sizes."""

from dataclasses import replace

import numpy as np

from pauca.evaluation import (
    HIGHER_IS_BETTER,
    Target,
    Workers,
    compare_with_published,
    critical_difference,
    failures,
    friedman,
    mean_ranks,
    reproduce,
)

from ..harness.report import Report, Table, ratio, stored_comparison
from ..papers.epcvm import TABLES, published_values

_OURS, _PEERS = "SparseGP", ("SVM", "RVM")
# The machine of the paper, whose published errors ours is compared with.
_PUBLISHED = "EPCVM"
_RANKED = ("error", "auc", "log_loss", "probability_rmse")
# Measures whose ranks the project has targets on.
_TARGETED = ("error", "auc", "log_loss")
# Number of sets whose error may lie above the published one by more than half a point.
_MAY_MISS = 2
# Largest difference of mean ranks that counts as better: below zero, so that equal ranks do not.
_BETTER_RANK = -0.01


def run(options, store) -> Report:
    """Report of all splits, of which those that the store lacks are measured."""
    table = replace(TABLES[0], published=published_values())
    if options.quick:
        methods = (_OURS, *_PEERS)
        table = replace(table, datasets=("wdbc",), methods=methods, published={}, spread={}, bounds=())
    reproduce(table, store, n_splits=options.splits, workers=Workers(options.jobs))
    return report(table, store, options.splits)


def report(table, store, n_splits):
    """Means by set, mean ranks by measure, rank tests, and the project's targets."""
    comparison = stored_comparison(table, store, n_splits)
    errors = error_rows(table, compare_with_published(table, store, n_splits))
    sizes = comparison.scores("vectors")
    scores = {name: comparison.scores(name).dropna() for name in _RANKED}
    ranks = {name: _mean_ranks(name, by_set) for name, by_set in scores.items()}
    tables = [
        Table("Error of SparseGP in percent, beside the published one of EPCVM", errors),
        *(_by_set(name, comparison.scores(name)) for name in (*_RANKED, "vectors", "fit_seconds")),
        Table("Mean ranks", rank_rows(ranks)),
        Table("Do the methods differ?", _test_rows(scores)),
    ]
    return Report(
        [part for part in tables if part.rows],
        [*_error_targets(errors), *_rank_targets(ranks), _size_target(sizes)],
        failures(table, store, n_splits),
    )


def error_rows(table, cells):
    """Error of SparseGP on each set, measured, beside that of EPCVM, published; in percent."""
    mine = cells[(cells["method"] == _OURS) & (cells["measure"] == "error") & (cells["splits"] > 0)]
    published = [table.published.get((name, _PUBLISHED), {}).get("error") for name in mine["dataset"]]
    mine = mine.assign(published=np.array(published, dtype=float))
    columns = ["dataset", "splits", "published", "measured", "standard_error"]
    return mine[columns].assign(difference=mine["measured"] - mine["published"]).to_dict("records")


def rank_rows(ranks):
    """Mean rank of each method by each measure, over the sets that all methods have."""
    methods = {method: None for column in ranks.values() for method in column}
    return [
        {"method": method, **{name: column.get(method) for name, column in ranks.items()}}
        for method in methods
    ]


def _mean_ranks(name, scores):
    """Mean rank by method; nothing for fewer than two sets."""
    if len(scores) < 2:
        return {}
    found = mean_ranks(scores, higher_is_better=name in HIGHER_IS_BETTER)
    return dict(found.set_index("method")["mean_rank"])


def _by_set(name, scores):
    rows = [{"set": dataset, **row} for dataset, row in scores.to_dict("index").items()]
    return Table(f"Mean {name.replace('_', ' ')} by set", rows)


def _test_rows(scores):
    """Friedman's test of each measure, and the critical difference to one control (Bonferroni-Dunn)."""
    return [
        {"measure": name, "sets": n, **row, "critical difference": critical_difference(k, n, control=True)}
        for name, table in scores.items()
        for n, k in [table.shape]
        if n > 1 and k > 2
        for row in friedman(table).to_dict("records")
    ]


def _error_targets(errors):
    measured = [row["difference"] for row in errors if row["difference"] == row["difference"]]
    if not measured:
        return []
    close = sum(difference <= 0.5 for difference in measured)
    name = f"sets of {len(measured)} with an error at most 0.5 points above the published one"
    return [Target(name, close, len(measured) - _MAY_MISS, True)]


def _rank_targets(ranks):
    """Mean rank of SparseGP minus that of the better of SVM and RVM; below zero is better."""
    targets = []
    for name in _TARGETED:
        column = ranks[name]
        better = min((column[peer] for peer in _PEERS if peer in column), default=None)
        value = None if better is None else column[_OURS] - better
        title = f"mean rank by {name} minus that of the better of SVM and RVM"
        targets.append(Target(title, value, _BETTER_RANK, False))
    return targets


def _size_target(sizes):
    shares = [ratio(row[_OURS], row["SVM"]) for row in sizes.to_dict("records") if {_OURS, "SVM"} <= set(row)]
    return Target("vectors, SparseGP / SVM, largest of all sets", max(shares, default=None), 1, False)
