"""The machines on offer, and the scikit-learn estimators that stand beside them."""

from importlib import import_module
from typing import NamedTuple

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from .errors import BadInput
from .target import CLASSIFICATION


class Machine(NamedTuple):
    """Title, and the names of the estimators for the two tasks, pauca's own or with their module (None:
    there is none)."""

    title: str
    classification: str | None = None
    regression: str | None = None


MACHINES = {
    "epcvm": Machine("EPCVM", "EPCVMClassifier"),
    "pcvm": Machine("PCVM", "PCVMClassifier"),
    "rvm": Machine("RVM", "RVMClassifier", "RVMRegressor"),
    "ard": Machine("ARD", "ARDClassifier"),
    "bm": Machine("Bayes machine", "BayesMachineClassifier"),
    "sbm": Machine("sparse Bayes machine", "SparseBayesMachineClassifier"),
    "spikeslab": Machine("spike and slab", "SpikeSlabClassifier", "SpikeSlabRegressor"),
    "forest": Machine(
        "random forest", "sklearn.ensemble.RandomForestClassifier", "sklearn.ensemble.RandomForestRegressor"
    ),
}

_MAX_TUNED_ROWS = 2000
_SVC_GRID = {"C": [1, 10, 100], "gamma": [0.03, 0.1, 0.3, 1, 3]}
_SVR_GRID = {"C": [1, 10, 100], "gamma": [0.03, 0.1, 0.3, 1], "epsilon": [0.05, 0.2]}


def make_machine(name, task, seed):
    """The title and a new estimator of the machine called ``name``."""
    if name not in MACHINES:
        raise BadInput(f"no machine is called {name!r}; there are {', '.join(MACHINES)}.")
    public_name = getattr(MACHINES[name], task)
    if public_name is None:
        raise BadInput(f"the machine {name!r} does not do {task}.")
    module, _, attribute = public_name.rpartition(".")
    machine = getattr(import_module(module or "pauca"), attribute)()
    if "random_state" in machine.get_params():
        machine.set_params(random_state=seed)
    return MACHINES[name].title, machine


def make_peers(task, y):
    """Titles and new scikit-learn estimators for comparison, tuned unless there are many rows."""
    suffix = "" if len(y) <= _MAX_TUNED_ROWS else " (not tuned)"
    if task == CLASSIFICATION:
        return {f"calibrated SVC{suffix}": support_vectors(task, y), "logistic": linear(task)}
    return {f"SVR{suffix}": support_vectors(task, y), "Bayesian ridge": linear(task)}


def support_vectors(task, y):
    """A support vector machine, tuned unless there are many rows, with calibrated probabilities."""
    tuned = len(y) <= _MAX_TUNED_ROWS
    if task == CLASSIFICATION:
        smallest = int(np.unique(y, return_counts=True)[1].min())
        svc = GridSearchCV(SVC(), _SVC_GRID, cv=min(3, max(2, smallest // 2))) if tuned else SVC()
        return CalibratedClassifierCV(svc, ensemble=False, cv=min(5, max(2, smallest // 2)))
    svr = GridSearchCV(SVR(), _SVR_GRID, cv=3) if tuned else SVR()
    return TransformedTargetRegressor(svr, transformer=StandardScaler())


def linear(task):
    """Logistic regression, or Bayesian ridge regression."""
    return LogisticRegression(max_iter=1000) if task == CLASSIFICATION else BayesianRidge()
