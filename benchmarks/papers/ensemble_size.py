"""The right size of ensembles in Hernández-Lobato's thesis (2009): Tables 4.2 to 4.4.

The smallest ensembles whose votes agree with those of infinitely many trees with probability 0.99 on
average. Votes come from 10-fold cross-validation of small ensembles ("cv"), from one small ensemble on the
test rows ("test") and, which the thesis does not try, from its out-of-bag rows ("out-of-bag"). Small
ensembles have 101 trees (thesis: 100, which can tie), so that a share of votes is known up to one vote.
10,000 other trees stand for infinitely many. Sizes are medians, as in the thesis. Which classes of Vehicle
were joined is not said.
"""

from functools import partial

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from pauca import InstancePrunedClassifier, ensemble_size
from pauca.evaluation import Bound, Measure, PaperTable

from ..ensembles.problems import bagged_trees, voting_problem
from ..harness.costs import reason
from ..harness.printed import printed_spread

_MANY = 10_000
_METHODS = "asymptotic", "cv", "test", "out-of-bag"
# Error of infinitely many trees, error of the ensembles of estimated size (cv, test), their disagreement with
# infinitely many, their median sizes.
_FOREST = {
    "abalone": (16.6, 16.6, 16.6, 1.0, 1.0, 442, 455),
    "australian": (13.1, 13.2, 13.2, 1.0, 1.0, 286, 334),
    "balance": (6.4, 6.4, 6.5, 1.2, 1.1, 361, 433),
    "boston": (13.5, 13.3, 13.6, 0.9, 1.2, 520, 484),
    "breast-wisconsin": (3.2, 3.4, 3.6, 1.0, 1.1, 21, 21),
    "circle": (5.3, 5.4, 5.4, 1.0, 1.0, 57, 62),
    "dna": (3.3, 3.5, 3.5, 1.0, 1.0, 135, 134),
    "german": (24.1, 24.2, 24.2, 1.0, 1.1, 2213, 1811),
    "ionosphere": (6.7, 6.8, 6.8, 0.8, 0.8, 85, 67),
    "diabetis": (24.0, 23.8, 24.0, 1.0, 1.2, 1494, 1195),
    "ringnorm": (6.2, 6.2, 6.3, 0.9, 1.0, 724, 639),
    "spam": (5.0, 5.1, 5.1, 1.0, 1.0, 65, 61),
    "tic-tac-toe": (2.0, 2.2, 2.4, 0.8, 0.9, 260, 168),
    "twonorm": (3.8, 3.9, 3.9, 1.0, 0.9, 403, 398),
    "votes": (3.8, 4.1, 4.1, 0.8, 0.9, 25, 20),
    "yeast": (24.5, 24.5, 24.4, 1.1, 1.1, 1690, 1565),
}
_BAGGING = {
    "abalone": (17.1, 17.1, 17.1, 1.0, 1.0, 425, 403),
    "australian": (13.2, 13.4, 13.2, 0.9, 1.0, 237, 218),
    "balance": (7.9, 7.9, 7.9, 1.1, 1.0, 270, 321),
    "boston": (14.5, 14.7, 14.5, 1.0, 1.2, 411, 362),
    "breast-wisconsin": (4.0, 4.1, 4.2, 0.9, 1.0, 23, 21),
    "circle": (6.0, 6.1, 6.1, 1.0, 1.0, 50, 45),
    "dna": (4.1, 4.3, 4.3, 0.9, 0.9, 25, 21),
    "german": (24.2, 24.2, 24.1, 1.1, 1.0, 2006, 2107),
    "ionosphere": (7.9, 7.9, 8.0, 1.1, 1.0, 84, 92),
    "diabetis": (24.4, 24.4, 24.3, 1.1, 1.1, 1215, 1287),
    "ringnorm": (8.9, 8.9, 9.0, 1.0, 0.9, 985, 810),
    "spam": (5.9, 6.1, 6.0, 1.0, 1.0, 47, 47),
    "tic-tac-toe": (2.0, 2.2, 2.3, 0.7, 0.8, 51, 35),
    "twonorm": (6.2, 6.3, 6.3, 1.0, 1.0, 658, 593),
    "votes": (4.6, 4.6, 4.8, 1.0, 1.0, 21, 25),
    "yeast": (25.2, 25.3, 25.3, 0.9, 1.1, 1890, 1639),
}


def measure(kind, dataset, split, n_many=_MANY):
    """Error and disagreement with ``n_many`` trees in percent, and size, by source of the votes."""
    problem = voting_problem(dataset, split)
    sizes = {"asymptotic": n_many, **_sizes(kind, problem, split)}
    predicted = {
        method: _predict(_ensemble(kind, min(size, n_many), [split, place]), problem)
        for place, (method, size) in enumerate(sizes.items())
    }
    return {
        method: {
            "error": 100 * float(np.mean(predicted[method] != problem.y_test)),
            "disagreement": 100 * float(np.mean(predicted[method] != predicted["asymptotic"])),
            "size": float(sizes[method]),
        }
        for method in _METHODS
    }


def _sizes(kind, problem, split):
    """Estimated sizes by the source of votes; one small ensemble gives test and out-of-bag votes."""
    small = _ensemble(kind, 101, [split, 99]).fit(problem.X, problem.y)
    return {
        "cv": ensemble_size(small, problem.X, problem.y, source="cv", random_state=split).size,
        "test": ensemble_size(small, problem.X_test, source="unlabelled").size,
        "out-of-bag": ensemble_size(small, problem.X, source="oob").size,
    }


def _ensemble(kind, n_members, seed):
    seed = int(np.random.default_rng(seed).integers(2**31))
    if kind == "forest":
        return RandomForestClassifier(n_members, random_state=seed)
    return bagged_trees(n_members, seed)


def _predict(ensemble, problem):
    """Predicted classes by the votes of all members."""
    ensemble.fit(problem.X, problem.y)
    return InstancePrunedClassifier(ensemble, 1.0, voting="hard").predict(problem.X_test)


def _published(table):
    """Printed values by set and method."""
    values = {}
    for name, (error, cv, test, cv_differ, test_differ, cv_size, test_size) in table.items():
        values[name, "asymptotic"] = {"error": error}
        values[name, "cv"] = {"error": cv, "disagreement": cv_differ, "size": cv_size}
        values[name, "test"] = {"error": test, "disagreement": test_differ, "size": test_size}
    return values


def _table(kind, number, table):
    return PaperTable(
        name=f"size-{kind}",
        spread=printed_spread(f"size-{kind}"),
        title=f"Hernández-Lobato 2009, tables 4.2 and {number}: trees needed for 99 % agreement, {kind}",
        datasets=tuple(table),
        methods=_METHODS,
        n_splits=100,
        measure=partial(measure, kind),
        together=True,
        measures={
            "error": Measure(),
            "disagreement": Measure(None),
            "size": Measure(None, median=True),
        },
        published=_published(table),
        bounds=tuple(Bound(name, "cv", "disagreement", 1.5) for name in table),
        unmeasured=reason(f"size-{kind}", 100),
    )


TABLES = (_table("forest", 4.3, _FOREST), _table("bagging", 4.4, _BAGGING))
