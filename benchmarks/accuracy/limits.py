"""Errors of pauca's machines, of peers, and at given gammas on small sets, beside the project's targets."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import RadiusNeighborsClassifier
from sklearn.svm import SVC

from pauca import ARDClassifier, RVMClassifier, SparseGPClassifier
from pauca.evaluation import Measure, PaperTable, Workers, failures, reproduce

from ..harness.contenders import GP_CLASSIFIER, named, svm_grid
from ..harness.problems import half, reference_gamma
from ..harness.report import Report, Table, stored_comparison
from ..papers import epcvm, predictive_ard, variational_rvm

_OURS = "pauca"
_HALVES = ("breast-cancer", "heart", "diabetis", "german", "titanic")
# Multiples of the reference gamma, by name.
_GAMMAS = {f"gamma × {factor:g}": factor for factor in (0.01, 0.03, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)}


class Study(NamedTuple):
    """How a split is drawn, our machine, the target on its error, and the error if all rows are wrong."""

    draw: Callable
    machine: Callable
    bound: float
    all_wrong: int = 100


def _bound(tables, dataset, method):
    """Smallest target on the error of a method."""
    cell = dataset, method, "error"
    bounds = [bound.bound for table in tables for bound in table.bounds if bound[:3] == cell]
    return min(bound for bound in bounds if not isinstance(bound, str))


_VARIATIONAL = partial(RVMClassifier, inference="variational")
_KERNEL_STUDIES = {
    **{
        name: Study(
            partial(half, name, max_train=None), SparseGPClassifier, _bound(epcvm.TABLES, name, "SparseGP")
        )
        for name in _HALVES
    },
    "ripley, 100 rows": Study(
        variational_rvm.ripley, _VARIATIONAL, _bound(variational_rvm.TABLES, "ripley_synth", "VRVM")
    ),
    "pima, errors of 332": Study(
        variational_rvm.pima, _VARIATIONAL, _bound(variational_rvm.TABLES, "pima_ripley", "VRVM"), 332
    ),
}
_LINEAR_STUDIES = {
    "colon, errors of 12": Study(
        predictive_ard.colon, ARDClassifier, _bound(predictive_ard.TABLES, "colon", "predictive-ARD-EP"), 12
    ),
}
# For a quick run: the set comes with scikit-learn.
_QUICK_STUDIES = {"wdbc": Study(partial(half, "wdbc", max_train=60), SparseGPClassifier, np.inf)}
STUDIES = _KERNEL_STUDIES | _LINEAR_STUDIES | _QUICK_STUDIES


def _logistic(X, y):
    """Logistic regression with a quadratic penalty, chosen by five folds."""
    model = LogisticRegressionCV(Cs=9, l1_ratios=(0,), scoring="neg_log_loss", use_legacy_attributes=False)
    return model.fit(X, y)


def _lookup(X, y):
    """Majority class among equal training rows, the best predictor where features have few values."""
    return RadiusNeighborsClassifier(1e-6, outlier_label="most_frequent").fit(X, y)


_FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
_PEERS = {
    "LDA": lambda X, y: LinearDiscriminantAnalysis().fit(X, y),
    "logistic": _logistic,
    "forest": lambda X, y: RandomForestClassifier(300, min_samples_leaf=3, random_state=0).fit(X, y),
    "SVM": lambda X, y: GridSearchCV(SVC(), svm_grid(X), cv=_FOLDS).fit(X, y),
    "GP": named(GP_CLASSIFIER)[0].fit,
    "lookup": _lookup,
}


def measure(study, split, method):
    """Error of one classifier on one split, in the unit of the study."""
    draw, machine, _, all_wrong = STUDIES[study]
    problem = draw(split)
    model = _fit(machine, method, problem.X, problem.y)
    return {"error": all_wrong * float(np.mean(model.predict(problem.X_test) != problem.y_test))}


def _fit(machine, method, X, y):
    """Fitted peer, our machine with its defaults, or our machine at a given gamma."""
    if method in _PEERS:
        return _PEERS[method](X, y)
    arguments = {"gamma": _GAMMAS[method] * reference_gamma(X)} if method in _GAMMAS else {}
    return machine(**arguments).fit(X, y)


def run(options, store) -> Report:
    """Mean errors beside the targets, first of peers, then of gammas; what the store lacks is measured."""
    if options.quick:
        parts = [(_QUICK_STUDIES, (_OURS, "LDA")), (_QUICK_STUDIES, tuple(_GAMMAS)[:2])]
    else:
        parts = [
            (_KERNEL_STUDIES | _LINEAR_STUDIES, (_OURS, *_PEERS)),
            (_KERNEL_STUDIES, (_OURS, *_GAMMAS)),
        ]
    tables = [_table(studies, methods, options.splits) for studies, methods in parts]
    for table in tables:
        reproduce(table, store, workers=Workers(options.jobs))
    found = [stored_comparison(table, store, options.splits).results for table in tables]
    titles = ("Mean error beside that of peers", "Mean error at any gamma, in multiples of the reference")
    shown = [Table(title, rows(errors, "mean")) for title, errors in zip(titles, found, strict=True)]
    spread = Table("Standard error of the mean", rows(found[0], "sem"))
    return Report([*shown, spread], [], [note for table in tables for note in failures(table, store)])


def _table(studies, methods, n_splits):
    return PaperTable(
        name="limits",
        title="errors beside the targets",
        datasets=tuple(studies),
        methods=methods,
        n_splits=n_splits,
        measure=measure,
        measures={"error": Measure()},
        published={},
    )


def rows(errors, statistic):
    """One row for each study: the target, then the statistic of every method."""
    if errors.empty:
        return []
    by_method = errors.groupby(["dataset", "method"], sort=False)["error"].agg(statistic).unstack("method")
    methods = dict.fromkeys(errors["method"])
    return [
        {
            "study": study,
            "target": STUDIES[study].bound,
            **{name: by_method.at[study, name] for name in methods},
        }
        for study in dict.fromkeys(errors["dataset"])
    ]
