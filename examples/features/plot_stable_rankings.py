"""
Would another sample give the same list?
========================================

Kuncheva's index of the rankings of the breast cancer measurements on resampled rows: 1 for identical lists,
0 for chance. A ranking that changes with the sample says little about the columns.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from pauca import SpikeSlabClassifier, stability
from pauca.plotting import StabilityDisplay

X, y = load_breast_cancer(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
machines = {
    "spike and slab": SpikeSlabClassifier(5),
    "forest importances": RandomForestClassifier(60, random_state=0),
    "logistic, size of weights": LogisticRegression(max_iter=1000),
}
results = {
    name: stability(X, y, 8, estimator=machine, sizes=[1, 2, 5, 10, 20], random_state=0)
    for name, machine in machines.items()
}
StabilityDisplay(results).plot()
plt.show()
