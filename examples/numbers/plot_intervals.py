"""
Intervals that hold what they promise
=====================================

Progression of diabetes a year later, from ten measurements. Left: predictions of held-out patients with
their 90 % intervals. Right: how many of them lie in the intervals, for every nominal coverage.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from pauca import SparseGPRegressor
from pauca.plotting import ReliabilityDisplay

X, y = load_diabetes(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
machine = SparseGPRegressor().fit(X_train, y_train)
mean, _ = machine.predict(X_test, return_std=True)
low, high = machine.predict_distribution(X_test).interval(0.9)
order = np.argsort(mean)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
inside = np.mean((low <= y_test) & (y_test <= high))
left.fill_between(
    np.arange(len(order)), low[order], high[order], color="#0072B2", alpha=0.2, label="90 % interval"
)
left.plot(mean[order], color="#222222", label="mean")
left.scatter(np.arange(len(order)), y_test[order], s=10, color="#D55E00", label="observed")
left.set(xlabel="patient, sorted by prediction", ylabel="progression", title=f"{inside:.0%} are inside")
left.legend()
ReliabilityDisplay.from_estimator(machine, X_test, y_test, ax=right)
plt.show()
