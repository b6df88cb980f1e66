"""Who may take part in ``pauca compare``: every machine of this library, and these peers."""

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from .errors import BadInput
from .machines import MACHINES, linear, make_machine, support_vectors
from .target import CLASSIFICATION

_N_TREES = 300


def _forest(task, y, seed):
    kind = RandomForestClassifier if task == CLASSIFICATION else RandomForestRegressor
    return kind(n_estimators=_N_TREES, random_state=seed)


# Title, and a new estimator for a task, the targets of the training rows, and a seed.
PEERS = {
    "svm": ("SVM", lambda task, y, seed: support_vectors(task, y)),
    "rf": ("random forest", _forest),
    "logreg": ("linear model", lambda task, y, seed: linear(task)),
}
DEFAULT = "rvm,svm,rf,logreg"


def title_of(name):
    """How results call the machine of this name."""
    if name in PEERS:
        return PEERS[name][0]
    if name in MACHINES:
        return MACHINES[name].title
    raise BadInput(f"no machine is called {name!r}; there are {', '.join([*MACHINES, *PEERS])}.")


def make_entrants(names, task, y, seed):
    """New estimators by title."""
    entrants = {}
    for name in names:
        title = title_of(name)
        if name in PEERS:
            entrants[title] = PEERS[name][1](task, y, seed)
        else:
            entrants[title] = make_machine(name, task, seed)[1]
    if len(entrants) < 2:
        raise BadInput("a comparison needs at least two machines, for example --machines rvm,svm.")
    return entrants
