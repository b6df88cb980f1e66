"""
Why few members can be better than all
======================================

Test error of bagged trees against the number of members, and its bias, variance and covariance, after
figures 3.5 and 3.6 of Hernández-Lobato (2009): members in random order and by ordered aggregation, averaged
over repeated draws of Breiman's peak.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import BaggingRegressor

from pauca.datasets import make_peak
from pauca.ensembles import bias_variance_covariance, ordered_aggregation, sdp_pruning
from pauca.plotting import plot_decomposition, plot_error_curves

N_REPEATS, N_MEMBERS, N_KEPT = 40, 100, 20

X_test, y_test = make_peak(1000, random_state=0)
outputs, orders, selected = [], [], []
for seed in range(N_REPEATS):
    X, y = make_peak(200, random_state=1 + seed)
    members = BaggingRegressor(n_estimators=N_MEMBERS, random_state=seed).fit(X, y).estimators_
    train_outputs = np.stack([member.predict(X) for member in members])
    outputs.append([member.predict(X_test) for member in members])
    orders.append(ordered_aggregation(train_outputs, y).order)
    selected.append(sdp_pruning(train_outputs, y, N_KEPT, random_state=seed).selected)

parts = {
    "bagging": bias_variance_covariance(outputs, y_test),
    "ordered": bias_variance_covariance(outputs, y_test, orders=orders),
}
sdp_error = bias_variance_covariance(outputs, y_test, orders=selected).mse[-1]
axes = plot_error_curves(
    {name: part.mse for name, part in parts.items()}, points={"SDP": (N_KEPT, sdp_error)}
)
axes.set(title="Breiman's peak, 200 rows, bagged trees: test error")
plot_decomposition(parts)
plt.show()
