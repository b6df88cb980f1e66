"""Tables I, III-VIII of Chen, Tino & Yao 2014 with the machines and the choice of parameters of the paper.

Parameters are chosen once for all splits: on each of the first five partitions the value with the smallest
error on its test half, as footnote 6 of the paper says, then the median. Widths are the paper's fifty, 0.1,
0.3, ..., 9.9 (gamma = 1 / r²), C of the support vector machine is 1, 3, 10, 30 or 100 (five of the paper's
fifty), and PCVM has eight starts for each width. SMLR minimises its objective, logistic loss with a Laplace
prior, by liblinear instead of component by component; its weight of the prior is not stated and is searched,
too. LDA and QDA have equal prior probabilities, and the areas under the curve of kNN, LDA and QDA are those
of their labels: the paper does not say either, but only so are its numbers repeated. The machines with the
defaults of this library stand below the table.
"""

from collections import Counter
from itertools import product

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pauca import as_published
from pauca.evaluation import Measure, PaperTable, evaluate

from ..harness.costs import reason
from ..harness.peers import SparseLogistic, with_probabilities
from ..harness.printed import printed_spread
from ..harness.problems import half, halves, load
from .epcvm import DATASETS, PUBLISHED_ENGINES, published_values

WIDTHS = np.arange(0.1, 10, 0.2)
_GAMMA = {"gamma": tuple((WIDTHS[::-1] ** -2.0).tolist())}
_N_STARTS, _N_CHOICES = 8, 5
# Prior probabilities of the discriminants: equal ones, with which the printed errors are repeated.
_EVEN = [0.5, 0.5]
# Machines by the paper's names, and the values of their parameters, wide kernels first.
METHODS = {
    "kNN": (KNeighborsClassifier(), {"n_neighbors": tuple(range(1, 21))}),
    "LDA": (LinearDiscriminantAnalysis(priors=_EVEN), {}),
    "QDA": (QuadraticDiscriminantAnalysis(priors=_EVEN, reg_param=1e-3), {}),  # some covariances are singular
    "SVM": (SVC(), {**_GAMMA, "C": (1.0, 3.0, 10.0, 30.0, 100.0)}),
    "RVM": (as_published("rvm"), _GAMMA),
    "SMLR": (SparseLogistic(), {**_GAMMA, "C": (0.1, 1.0, 10.0)}),
    "PCVM": (as_published("pcvm"), {**_GAMMA, "only_start": tuple(range(_N_STARTS))}),
    "EPCVM": (as_published("epcvm"), _GAMMA),
    "EPCVM-EP": (as_published("epcvm-ep"), _GAMMA),
}
ENGINES = {"HMC": as_published("epcvm-hmc"), "EP": METHODS["EPCVM-EP"][0], "Laplace": METHODS["EPCVM"][0]}
_CHOSEN_BY = {"HMC": "EPCVM-EP", "EP": "EPCVM-EP", "Laplace": "EPCVM"}
# Methods whose printed areas are those of their labels, the mean of both classes' rates.
_LABELS = "kNN", "LDA", "QDA"
_PERCENT = {"error", "auc"}
MEASURES = {
    "error": Measure(),
    "auc": Measure("higher"),
    "vectors": Measure(None),
    "log_loss": Measure(),
    "fit_seconds": Measure(None, compared=False),
}


def choose(dataset, method):
    """Parameters for all splits: the median of the best on the first five partitions."""
    machine, grid = METHODS[method]
    if not grid:
        return {}
    problems = (half(dataset, split, max_train=None) for split in range(_N_CHOICES))
    return median_parameters([best_parameters(machine, grid, problem) for problem in problems])


def best_parameters(machine, grid, problem):
    """Parameters with the smallest error on the test rows, the first of several, and a learned gamma."""
    best, fewest = None, np.inf
    for values in product(*grid.values()):
        parameters = dict(zip(grid, values, strict=True))
        fitted = clone(machine).set_params(**parameters).fit(problem.X, problem.y)
        wrong = np.mean(fitted.predict(problem.X_test) != problem.y_test)
        if wrong < fewest:
            learned = {} if "gamma" in grid or not hasattr(fitted, "gamma_") else {"gamma": fitted.gamma_}
            best, fewest = {**parameters, **learned}, wrong
    return best


def median_parameters(found):
    """Median of each parameter; of the number of a start the most frequent one."""
    medians = {name: sorted(each[name] for each in found)[len(found) // 2] for name in found[0]}
    if "only_start" in medians:
        medians["only_start"] = Counter(each["only_start"] for each in found).most_common(1)[0][0]
    return medians


def measure(dataset, split, method, parameters):
    """All measures of one machine on one half split, at the parameters that were chosen."""
    machine = clone(METHODS[method][0]).set_params(**parameters)
    record = _evaluate_half(with_probabilities(machine), load(dataset), split)
    return record | ({"auc": _area_of_labels(machine, dataset, split)} if method in _LABELS else {})


def _area_of_labels(machine, dataset, split):
    """Area under the curve of the predicted labels in percent."""
    problem = half(dataset, split, max_train=None)
    predicted = clone(machine).fit(problem.X, problem.y).predict(problem.X_test)
    return 100 * roc_auc_score(problem.y_test, predicted == 1)


def choose_engine(dataset, method):
    """Parameters of the machine that an engine serves."""
    return choose(dataset, _CHOSEN_BY[method])


def measure_engine(dataset, split, method, parameters):
    """All measures of one engine on one half split."""
    return _evaluate_half(clone(ENGINES[method]).set_params(**parameters), load(dataset), split)


def _evaluate_half(machine, data, split):
    """Measures on standardised features of one half split, error and area under the curve in percent."""
    record = evaluate(make_pipeline(StandardScaler(), machine), data.X, data.y, *halves(data, split))
    return {name: 100 * record[name] if name in _PERCENT else record[name] for name in MEASURES}


def _own_rows(values):
    """Printed values of the methods of this table."""
    return {key: each for key, each in values.items() if key[1] in METHODS}


TABLES = (
    PaperTable(
        name="epcvm-median",
        title="Chen, Tino & Yao 2014, tables III, IV, VIII: machines and parameters as in the paper",
        datasets=DATASETS,
        methods=tuple(METHODS),
        n_splits=100,
        measure=measure,
        choose=choose,
        measures=MEASURES,
        published=_own_rows(published_values()),
        spread=_own_rows(printed_spread("epcvm-median")),
        unmeasured=reason("epcvm-median", 100),
        control="EPCVM",
        companion="epcvm-evidence",
    ),
    PaperTable(
        name="epcvm-engines",
        title="Chen, Tino & Yao 2014, table I: EPCVM by three engines, as published",
        datasets=("breast-cancer", "diabetis", "heart", "thyroid"),
        methods=tuple(ENGINES),
        n_splits=100,
        measure=measure_engine,
        choose=choose_engine,
        measures=MEASURES,
        published=PUBLISHED_ENGINES,
        spread=printed_spread("epcvm-engines"),
        unmeasured=reason("epcvm-engines", 100),
    ),
)
