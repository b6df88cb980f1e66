"""Why a few members can be better than all: figures 3.5 and 3.6 of Hernández-Lobato (2009), with trees.

    python examples/plot_ensemble_pruning.py [FOLDER]

draws test error by size, and its bias, variance and covariance, for bagged trees in their own order and by
ordered aggregation, over repeated draws of Breiman's peak.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import BaggingRegressor

from pauca.datasets import make_peak
from pauca.ensembles import bias_variance_covariance, ordered_aggregation, sdp_pruning
from pauca.plotting import plot_decomposition, plot_error_curves

N_REPEATS, N_MEMBERS, N_KEPT = 40, 100, 20


def main(folder="."):
    """Draw both figures into a folder."""
    X_test, y_test = make_peak(1000, random_state=0)
    outputs, orders, relaxed = [], [], []
    for seed in range(N_REPEATS):
        X, y = make_peak(200, random_state=1 + seed)
        members = BaggingRegressor(n_estimators=N_MEMBERS, random_state=seed).fit(X, y).estimators_
        seen = np.stack([member.predict(X) for member in members])
        outputs.append([member.predict(X_test) for member in members])
        orders.append(ordered_aggregation(seen, y).order)
        relaxed.append(sdp_pruning(seen, y, N_KEPT, random_state=seed).selected)
    parts = {
        "bagging": bias_variance_covariance(outputs, y_test),
        "ordered": bias_variance_covariance(outputs, y_test, orders=orders),
    }
    best = bias_variance_covariance(outputs, y_test, orders=relaxed).mse[-1]
    ax = plot_error_curves({name: part.mse for name, part in parts.items()}, points={"SDP": (N_KEPT, best)})
    ax.set(title="Breiman's peak, 200 rows, bagged trees: test error")
    ax.figure.savefig(Path(folder) / "pruning_errors.png")
    axes = plot_decomposition(parts)
    axes.flat[0].figure.savefig(Path(folder) / "pruning_decomposition.png")
    plt.close("all")


if __name__ == "__main__":
    main(*sys.argv[1:])
