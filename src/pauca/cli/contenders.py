"""Machines by the names that the command line gives them, and scikit-learn's estimators beside them."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from .errors import BadInput
from .tables.target import CLASSIFICATION


class Machine(NamedTuple):
    """Title of a machine in reports, and the names of its estimators for the two tasks.

    A name without a module is one of pauca's own; None means that there is no estimator for the task.
    """

    title: str
    classification: str | None = None
    regression: str | None = None


MACHINES = {
    "sparsegp": Machine("sparse GP", "SparseGPClassifier", "SparseGPRegressor"),
    "rvm": Machine("RVM", "RVMClassifier", "RVMRegressor"),
    "epcvm": Machine("EPCVM", "EPCVMClassifier"),
    "pcvm": Machine("PCVM", "PCVMClassifier"),
    "ard": Machine("ARD", "ARDClassifier"),
    "bm": Machine("Bayes machine", "BayesMachineClassifier"),
    "sbm": Machine("sparse Bayes machine", "SparseBayesMachineClassifier"),
    "spikeslab": Machine("spike and slab", "SpikeSlabClassifier", "SpikeSlabRegressor"),
    "forest": Machine(
        "random forest", "sklearn.ensemble.RandomForestClassifier", "sklearn.ensemble.RandomForestRegressor"
    ),
}
DEFAULT_MACHINE = "sparsegp"

# Rows up to which support vector machines are tuned by a grid search, to keep the wait short. Set by hand.
_MAX_TUNED_ROWS = 2000
# Grids for standardised features, set by hand, not tuned.
_SVC_GRID = {"C": [1, 10, 100], "gamma": [0.03, 0.1, 0.3, 1, 3]}
_SVR_GRID = {"C": [1, 10, 100], "gamma": [0.03, 0.1, 0.3, 1], "epsilon": [0.05, 0.2]}
# Trees of the random forest in a comparison, set by hand.
_N_TREES = 300


def make_machine(name: str | None, task: str, seed: int) -> tuple[str, str, Any]:
    """Name, title and a new estimator of a machine; None is the default machine."""
    name = DEFAULT_MACHINE if name is None else name
    if name not in MACHINES:
        raise BadInput(f"no machine is called {name!r}; there are {', '.join(MACHINES)}.")
    public_name = getattr(MACHINES[name], task)
    if public_name is None:
        able = [other for other, machine in MACHINES.items() if getattr(machine, task) is not None]
        raise BadInput(f"the machine {name!r} does not do {task}: use {', '.join(able[:-1])} or {able[-1]}.")
    module, _, attribute = public_name.rpartition(".")
    machine = getattr(import_module(module or "pauca"), attribute)()
    if "random_state" in machine.get_params():
        machine.set_params(random_state=seed)
    return name, MACHINES[name].title, machine


def make_peers(task: str, y: np.ndarray) -> dict[str, Any]:
    """Titles and new scikit-learn estimators for comparison, tuned unless there are many rows."""
    suffix = "" if len(y) <= _MAX_TUNED_ROWS else " (not tuned)"
    if task == CLASSIFICATION:
        return {f"calibrated SVC{suffix}": _support_vectors(task, y, 0), "logistic": _linear(task, y, 0)}
    return {f"SVR{suffix}": _support_vectors(task, y, 0), "Bayesian ridge": _linear(task, y, 0)}


def _support_vectors(task: str, y: np.ndarray, seed: int) -> Any:
    """A support vector machine, tuned unless there are many rows; as a classifier it is calibrated."""
    tuned = len(y) <= _MAX_TUNED_ROWS
    if task == CLASSIFICATION:
        smallest = int(np.unique(y, return_counts=True)[1].min())
        svc = GridSearchCV(SVC(), _SVC_GRID, cv=min(3, max(2, smallest // 2))) if tuned else SVC()
        return CalibratedClassifierCV(svc, ensemble=False, cv=min(5, max(2, smallest // 2)))
    svr = GridSearchCV(SVR(), _SVR_GRID, cv=3) if tuned else SVR()
    return TransformedTargetRegressor(svr, transformer=StandardScaler())


def _linear(task: str, y: np.ndarray, seed: int) -> Any:
    """Logistic regression, or Bayesian ridge regression."""
    return LogisticRegression(max_iter=1000) if task == CLASSIFICATION else BayesianRidge()


def _forest(task: str, y: np.ndarray, seed: int) -> Any:
    kind = RandomForestClassifier if task == CLASSIFICATION else RandomForestRegressor
    return kind(n_estimators=_N_TREES, random_state=seed)


# Title, and a function from the task, the targets of the training rows and a seed to a new estimator.
PEERS: dict[str, tuple[str, Callable[[str, np.ndarray, int], Any]]] = {
    "svm": ("SVM", _support_vectors),
    "rf": ("random forest", _forest),
    "logreg": ("linear model", _linear),
}


def title_of(name: str) -> str:
    """Title that reports give to a machine or a peer."""
    if name in PEERS:
        return PEERS[name][0]
    if name in MACHINES:
        return MACHINES[name].title
    raise BadInput(f"no machine is called {name!r}; there are {', '.join([*MACHINES, *PEERS])}.")


def make_contenders(names: Iterable[str], task: str, y: np.ndarray, seed: int) -> dict[str, Any]:
    """New estimators by title; without names, the default machine of the task and all peers."""
    contenders = {}
    for name in list(names) or [DEFAULT_MACHINE, *PEERS]:
        title = title_of(name)
        contenders[title] = (
            PEERS[name][1](task, y, seed) if name in PEERS else make_machine(name, task, seed)[2]
        )
    if len(contenders) < 2:
        raise BadInput("a comparison needs at least two machines, for example --machines sparsegp,svm.")
    return contenders
