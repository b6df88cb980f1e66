"""
How small may it be?
====================

``min_gain`` is what another vector must gain, in nats. The curve shows what is paid for a smaller machine:
log-loss on held-out rows of the breast cancer data against the number of vectors, beside a relevance vector
machine and a tuned SVM.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pauca import RVMClassifier, SparseGPClassifier
from pauca.evaluation import n_vectors

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
scaler = StandardScaler().fit(X_train)
X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)


def measured(machine):
    """Number of vectors and log-loss on the held-out rows."""
    machine.fit(X_train, y_train)
    return n_vectors(machine), log_loss(y_test, machine.predict_proba(X_test))


path = [measured(SparseGPClassifier(min_gain=gain)) for gain in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)]
folds = StratifiedKFold(5, shuffle=True, random_state=0)
search = GridSearchCV(SVC(), {"C": [1, 10, 100], "gamma": [0.003, 0.01, 0.03]}, cv=folds)
others = {
    "RVM": measured(RVMClassifier()),
    "SVC, searched and calibrated": measured(CalibratedClassifierCV(search, ensemble=False, cv=folds)),
}

ax = plt.figure(layout="constrained").subplots()
ax.plot(*zip(*path, strict=True), "o-", color="#0072B2", label="SparseGP, min_gain from 0.05 to 10")
for (name, point), (marker, colour) in zip(others.items(), (("s", "#D55E00"), ("^", "#009E73")), strict=True):
    ax.plot(*point, marker, markersize=9, color=colour, label=name)
ax.set(xscale="log", xlabel="vectors", ylabel="log-loss", title=f"{len(X_train)} training rows")
ax.legend()
plt.show()
