"""Machines by the names that the command line gives them, and what people use today beside them."""

from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
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
# Training rows up to which the full Gaussian process takes part; its time grows with their cube. Set by hand.
MAX_PROCESS_ROWS = 1000


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


def _support_vectors(task: str, y: np.ndarray, seed: int) -> Any:
    """A support vector machine, tuned unless there are many rows; as a classifier it is calibrated."""
    tuned = len(y) <= _MAX_TUNED_ROWS
    if task == CLASSIFICATION:
        svc = GridSearchCV(SVC(), _SVC_GRID, cv=_class_folds(3, y, seed)) if tuned else SVC()
        return CalibratedClassifierCV(svc, ensemble=False, cv=_class_folds(5, y, seed))
    folds = KFold(3, shuffle=True, random_state=seed)
    svr = GridSearchCV(SVR(), _SVR_GRID, cv=folds) if tuned else SVR()
    return TransformedTargetRegressor(svr, transformer=StandardScaler())


def _class_folds(most: int, y: np.ndarray, seed: int) -> StratifiedKFold:
    """Shuffled folds, fewer than ``most`` where a class has few rows: tables are often sorted by class."""
    smallest = int(np.unique(y, return_counts=True)[1].min())
    return StratifiedKFold(min(most, max(2, smallest // 2)), shuffle=True, random_state=seed)


def _linear(task: str, y: np.ndarray, seed: int) -> Any:
    """Logistic regression, or Bayesian ridge regression."""
    return LogisticRegression(max_iter=1000) if task == CLASSIFICATION else BayesianRidge()


def _forest(task: str, y: np.ndarray, seed: int) -> Any:
    kind = RandomForestClassifier if task == CLASSIFICATION else RandomForestRegressor
    return kind(n_estimators=_N_TREES, random_state=seed)


def _histograms(task: str, y: np.ndarray, seed: int) -> Any:
    """Gradient boosting of scikit-learn."""
    kind = HistGradientBoostingClassifier if task == CLASSIFICATION else HistGradientBoostingRegressor
    return kind(random_state=seed)


def _lightgbm(task: str, y: np.ndarray, seed: int) -> Any:
    """Gradient boosting of LightGBM, where that is installed."""
    if not lightgbm_is_installed():
        raise BadInput("lightgbm is not installed: pip install lightgbm, or use hgb.")
    lightgbm = import_module("lightgbm")
    kind = lightgbm.LGBMClassifier if task == CLASSIFICATION else lightgbm.LGBMRegressor
    # One thread, as every other. It names features by itself, of which scikit-learn would warn at prediction.
    return make_pipeline(FunctionTransformer(np.asarray), kind(random_state=seed, n_jobs=1, verbose=-1))


def lightgbm_is_installed() -> bool:
    """Whether LightGBM can be one of the peers."""
    return find_spec("lightgbm") is not None


def _gaussian_process(task: str, y: np.ndarray, seed: int) -> Any:
    """The full Gaussian process of scikit-learn; its marginal likelihood is maximised by one start."""
    if task == CLASSIFICATION:
        return GaussianProcessClassifier(1.0 * RBF(2.0), random_state=seed)
    kernel = 1.0 * RBF(2.0) + WhiteKernel(0.1)
    return GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed)


class Peer(NamedTuple):
    """Titles of a peer for the two tasks, and a function from task, training targets and seed to it."""

    classification: str
    regression: str
    make: Callable[[str, np.ndarray, int], Any]


# Peers by the names of the command line.
PEERS = {
    "svm": Peer("calibrated SVC", "SVR", _support_vectors),
    "logreg": Peer("logistic", "Bayesian ridge", _linear),
    "rf": Peer("random forest", "random forest", _forest),
    "hgb": Peer("hist. boosting", "hist. boosting", _histograms),
    "lightgbm": Peer("LightGBM", "LightGBM", _lightgbm),
    "gp": Peer("Gaussian process", "Gaussian process", _gaussian_process),
}


def default_peers(n_rows: int) -> list[str]:
    """Names of the peers of so many training rows: LightGBM where it is installed, a process of few rows."""
    boosting = "lightgbm" if lightgbm_is_installed() else "hgb"
    process = ["gp"] if n_rows <= MAX_PROCESS_ROWS else []
    return ["svm", "logreg", "rf", boosting, *process]


def left_out_peers(n_rows: int) -> list[str]:
    """A note if so many training rows are too many for one of the peers."""
    if n_rows <= MAX_PROCESS_ROWS:
        return []
    return [f"Gaussian process left out: it takes too long on more than {MAX_PROCESS_ROWS} training rows"]


def make_peers(task: str, y: np.ndarray, seed: int) -> dict[str, Any]:
    """Titles and new estimators for comparison; the forest takes part in `pauca compare` only."""
    names = [name for name in default_peers(len(y)) if name != "rf"]
    return {_peer_title(name, task, len(y)): PEERS[name].make(task, y, seed) for name in names}


def _peer_title(name: str, task: str, n_rows: int) -> str:
    """Title of a peer, which says where support vector machines are not tuned."""
    not_tuned = name == "svm" and n_rows > _MAX_TUNED_ROWS
    return getattr(PEERS[name], task) + (" (not tuned)" if not_tuned else "")


def title_of(name: str, task: str) -> str:
    """Title that reports give to a machine or a peer."""
    if name in PEERS:
        return getattr(PEERS[name], task)
    if name in MACHINES:
        return MACHINES[name].title
    raise BadInput(f"no machine is called {name!r}; there are {', '.join([*MACHINES, *PEERS])}.")


def make_contenders(names: Iterable[str], task: str, y: np.ndarray, seed: int) -> dict[str, Any]:
    """New estimators by title, of machines and peers."""
    contenders = {}
    for name in names:
        peer = PEERS.get(name)
        machine = make_machine(name, task, seed)[2] if peer is None else peer.make(task, y, seed)
        contenders[title_of(name, task)] = machine
    if len(contenders) < 2:
        raise BadInput("a comparison needs at least two machines, for example --machines sparsegp,svm.")
    return contenders
