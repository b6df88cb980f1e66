"""
A scale for every feature
=========================

Friedman's function depends on five of its ten features. With one scale for all features the kernel counts
the other five as much; scales learned from the evidence find the relevant ones.
"""

import matplotlib.pyplot as plt
import numpy as np

from pauca import RVMRegressor
from pauca.datasets import make_friedman1
from pauca.plotting import plot_feature_scales

X, y = make_friedman1(300, noise=0.5, random_state=0)
new, truth = make_friedman1(1000, noise=0.0, random_state=1)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for rule, label in ((None, "one scale"), ("evidence", "a scale for each feature")):
    machine = RVMRegressor(feature_scales=rule).fit(X, y)
    predicted = machine.predict(new)
    error = np.sqrt(np.mean(np.square(predicted - truth)))
    left.scatter(
        truth, predicted, s=6, label=f"{label}: error {error:.2f}, {len(machine.relevance_)} vectors"
    )
left.axline((10, 10), slope=1, color="black", linewidth=0.8)
left.set(xlabel="true value", ylabel="prediction", title="1000 new rows")
left.legend(loc="lower right")
plot_feature_scales(machine, ax=right)
plt.show()
