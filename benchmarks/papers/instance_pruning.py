"""Instance-based pruning in Hernández-Lobato's thesis (2009): Tables 3.4 to 3.6.

101 trees, confidence 0.99 ("instance-based") and 1.0 ("certain"). "fixed rate" evaluates as many trees for
every row as instance-based pruning evaluates on average, rounded up. Bagged trees are pruned as the book
that the thesis cites does it, by cost and complexity of misclassified rows, with the constant of the smallest
tree within one standard error of the best one in 10-fold cross-validation of a single tree; the same constant
for all. Microarray is hedenfalk. Gisette and Task 1 are not to be had.
"""

from functools import partial
from math import ceil

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from pauca import InstancePrunedClassifier
from pauca.evaluation import Bound, Measure, PaperTable

from ..ensembles.cart import one_standard_error_alpha
from ..ensembles.problems import bagged_trees, voting_problem
from ..harness.costs import reason
from ..harness.printed import printed_spread

_N_TREES = 101
_METHODS = "complete", "certain", "instance-based", "fixed rate"
# Version 1 of bagging pruned its trees by Gini's index, with the best constant of seven.
_VERSIONS = {"bagging": 2, "forest": 1}
# Error of the complete, the pruned and the fixed-rate ensemble, disagreement of the latter two, trees at
# confidence 1 and 0.99, speed-up.
_BAGGING = {
    "australian": (14.5, 14.5, 14.5, 0.0, 0.4, 52.5, 7.0, 7.7),
    "boston": (17.1, 17.1, 17.1, 0.2, 3.0, 57.4, 12.4, 4.8),
    "breast-wisconsin": (5.0, 5.0, 5.1, 0.1, 1.2, 53.9, 8.6, 6.3),
    "heart": (20.8, 20.8, 21.2, 0.3, 4.2, 63.6, 19.1, 3.5),
    "hepatitis": (21.2, 21.3, 21.1, 0.0, 1.2, 55.2, 9.1, 6.5),
    "hedenfalk": (30.2, 30.2, 30.0, 0.2, 2.1, 60.0, 13.2, 6.0),
    "ionosphere": (9.0, 9.0, 9.5, 0.1, 2.2, 56.1, 10.5, 5.5),
    "liver": (33.9, 34.0, 34.6, 0.7, 6.0, 68.4, 23.2, 3.1),
    "magic": (14.3, 14.3, 14.5, 0.1, 2.2, 55.6, 10.5, 5.3),
    "mushroom": (0.0, 0.0, 0.0, 0.0, 0.0, 51.0, 6.0, 8.5),
    "diabetis": (25.4, 25.4, 25.7, 0.3, 3.3, 58.9, 13.5, 4.5),
    "ringnorm": (12.2, 12.3, 13.3, 0.5, 5.7, 68.3, 23.7, 2.9),
    "sonar": (25.5, 25.5, 25.8, 0.2, 4.3, 65.2, 19.2, 3.6),
    "spam": (7.6, 7.6, 7.9, 0.1, 1.7, 54.6, 9.4, 5.8),
    "threenorm": (23.9, 24.1, 24.9, 1.0, 7.6, 75.1, 32.9, 2.3),
    "tic-tac-toe": (2.6, 2.7, 3.9, 0.1, 2.2, 57.8, 11.6, 5.0),
    "twonorm": (9.8, 10.0, 11.3, 0.6, 5.4, 69.0, 24.2, 2.9),
    "votes": (4.6, 4.6, 4.7, 0.0, 0.3, 51.7, 6.5, 8.0),
}
_FOREST = {
    "australian": (13.2, 13.3, 13.7, 0.4, 4.3, 63.1, 17.4, 3.7),
    "boston": (13.4, 13.4, 14.0, 0.4, 4.9, 62.6, 17.9, 3.5),
    "breast-wisconsin": (3.2, 3.2, 3.9, 0.1, 1.3, 54.3, 8.9, 6.1),
    "heart": (17.7, 17.7, 18.5, 0.6, 5.3, 67.5, 22.5, 3.0),
    "hepatitis": (15.9, 16.0, 16.2, 0.4, 5.2, 64.0, 19.6, 3.4),
    "hedenfalk": (26.8, 26.5, 26.9, 0.8, 6.6, 74.6, 31.1, 2.7),
    "ionosphere": (6.8, 6.8, 7.5, 0.1, 2.5, 58.8, 12.6, 4.7),
    "liver": (28.7, 28.8, 30.2, 1.0, 7.9, 76.0, 34.6, 2.2),
    "magic": (12.2, 12.2, 12.9, 0.3, 3.9, 61.7, 15.9, 3.9),
    "mushroom": (0.0, 0.0, 0.0, 0.0, 0.0, 51.1, 6.1, 8.4),
    "diabetis": (24.3, 24.3, 25.0, 0.6, 6.0, 69.5, 25.4, 2.7),
    "ringnorm": (6.7, 6.8, 8.5, 0.4, 4.9, 68.7, 22.9, 3.0),
    "sonar": (18.8, 19.0, 19.6, 0.9, 7.9, 74.4, 32.7, 2.3),
    "spam": (5.1, 5.1, 5.7, 0.2, 2.3, 57.4, 11.5, 5.0),
    "threenorm": (17.2, 17.3, 18.9, 1.0, 7.9, 76.9, 35.4, 2.2),
    "tic-tac-toe": (2.4, 2.6, 4.5, 0.3, 3.3, 64.9, 18.0, 3.6),
    "twonorm": (4.4, 4.5, 6.4, 0.4, 4.3, 67.2, 20.9, 3.2),
    "votes": (3.8, 3.9, 4.4, 0.1, 1.5, 55.1, 9.3, 6.0),
}


def measure(kind, dataset, split):
    """Errors and disagreements in percent, trees evaluated and speed-up of each method."""
    problem = voting_problem(dataset, split)
    ensemble = _ensemble(kind, problem, split).fit(problem.X, problem.y)
    votes = np.stack([tree.predict(problem.X_test) for tree in ensemble.estimators_]).astype(int)
    answers, evaluated = {"complete": _winners(votes, ensemble)}, {"complete": float(_N_TREES)}
    for method, confidence in (("certain", 1.0), ("instance-based", 0.99)):
        pruned = InstancePrunedClassifier(ensemble, confidence, voting="hard", random_state=split)
        answers[method], queries = pruned.predict(problem.X_test, return_queries=True)
        evaluated[method] = float(queries.mean())
    evaluated["fixed rate"] = float(ceil(evaluated["instance-based"]))
    answers["fixed rate"] = _winners(votes[: ceil(evaluated["instance-based"])], ensemble)
    return {
        method: {
            "error": _percent(answers[method] != problem.y_test),
            "disagreement": _percent(answers[method] != answers["complete"]),
            "trees": evaluated[method],
            "speed-up": evaluated["certain"] / evaluated[method],
        }
        for method in _METHODS
    }


def _ensemble(kind, problem, split):
    if kind == "forest":
        return RandomForestClassifier(_N_TREES, random_state=split)
    return bagged_trees(_N_TREES, split, one_standard_error_alpha(problem))


def _winners(votes, ensemble):
    """Class with most votes, the first of several, for each column."""
    counts = [(votes == place).sum(axis=0) for place in range(len(ensemble.classes_))]
    return ensemble.classes_[np.argmax(counts, axis=0)]


def _percent(wrong):
    return 100 * float(np.mean(wrong))


def _published(table):
    """Printed values by set and method."""
    values = {}
    for name, (error, pruned, fixed, differ, differ_fixed, certain, trees, speed_up) in table.items():
        values[name, "complete"] = {"error": error}
        values[name, "certain"] = {"error": error, "trees": certain}
        values[name, "instance-based"] = {
            "error": pruned,
            "disagreement": differ,
            "trees": trees,
            "speed-up": speed_up,
        }
        values[name, "fixed rate"] = {"error": fixed, "disagreement": differ_fixed}
    return values


def _table(kind, number, table):
    return PaperTable(
        name=f"votes-{kind}",
        spread=printed_spread(f"votes-{kind}"),
        title=f"Hernández-Lobato 2009, tables 3.4 and {number}: instance-based pruning of 101 trees, {kind}",
        datasets=tuple(table),
        methods=_METHODS,
        n_splits=100,
        measure=partial(measure, kind),
        together=True,
        measures={
            "error": Measure(),
            "disagreement": Measure(),
            "trees": Measure(None),
            "speed-up": Measure(None),
        },
        published=_published(table),
        bounds=tuple(Bound(name, "instance-based", "disagreement", 1.0) for name in table),
        unmeasured=reason(f"votes-{kind}", 100),
        version=_VERSIONS[kind],
    )


TABLES = (_table("bagging", 3.5, _BAGGING), _table("forest", 3.6, _FOREST))
