"""
Groups of columns of which one matters
======================================

Radius, perimeter and area of a cell say nearly the same: no data can tell which of them matters.
Probabilities by a sum of single effects hold under such correlation, and credible sets name the groups.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from pauca import SpikeSlabClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
machine = SpikeSlabClassifier(5, inference="single-effects").fit(X, y)
order = machine.ranking_[:12]

ax = plt.figure(figsize=(8, 4.8), layout="constrained").subplots()
ax.barh(np.arange(len(order)), machine.inclusion_probabilities_[order], color="#0072B2")
ax.set_yticks(np.arange(len(order)), X.columns[order])
ax.invert_yaxis()
ax.set(xlabel="inclusion probability", title=f"{len(machine.credible_sets_)} credible sets")
for found in machine.credible_sets_:
    print([X.columns[k] for k in found.features])
plt.show()
