"""
Which measurements matter?
==========================

The thirty measurements of the breast cancer data, and thirty columns of random numbers beside them. A
spike-and-slab machine gives every column a probability of being relevant; those of the random ones stay
near the prior probability.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from pauca import SpikeSlabClassifier
from pauca.plotting import ExpressionDisplay, InclusionDisplay

data = load_breast_cancer(as_frame=True)
X, y = data.data.copy(), data.target_names[data.target]
noise = np.random.default_rng(0).normal(size=X.shape)
for k in range(30):
    X[f"random {k}"] = noise[:, k]
machine = SpikeSlabClassifier(expected_features=5).fit(X, y)

figure, (left, right) = plt.subplots(1, 2, figsize=(14, 5), width_ratios=(1, 1.2), layout="constrained")
InclusionDisplay.from_estimator(machine, n_named=6, ax=left)
ExpressionDisplay.from_estimator(machine, X, y, top=12, ax=right)
plt.show()
