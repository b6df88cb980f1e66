"""Who may take part in ``laconic compare``: every machine of this library, and these peers."""

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from .errors import BadInput
from .machines import MACHINES, linear, make_machine, support_vectors
from .target import CLASSIFICATION


def _forest(task, y, seed):
    kind = RandomForestClassifier if task == CLASSIFICATION else RandomForestRegressor
    return kind(n_estimators=300, random_state=seed)


# Title, and a new estimator for a task, the targets of the training rows, and a seed.
PEERS = {
    "svm": ("SVM", lambda task, y, seed: support_vectors(task, y)),
    "rf": ("random forest", _forest),
    "logreg": ("linear", lambda task, y, seed: linear(task)),
}
DEFAULT = "rvm,svm,rf,logreg"


def make_entrants(names, task, y, seed):
    """New estimators by title."""
    entrants = {}
    for name in names:
        if name in PEERS:
            title, make = PEERS[name]
            entrants[title] = make(task, y, seed)
        elif name in MACHINES:
            title, machine = make_machine(name, task, seed)
            entrants[title] = machine
        else:
            raise BadInput(f"no machine is called {name!r}; there are {', '.join([*MACHINES, *PEERS])}.")
    if len(entrants) < 2:
        raise BadInput("a comparison needs at least two machines, for example --machines rvm,svm.")
    return entrants
