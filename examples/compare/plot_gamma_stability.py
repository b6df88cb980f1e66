"""
How boundaries depend on the kernel parameter
=============================================

Ripley's mixture and the Banana set, after figures 1 and 2 of Chen, Tino & Yao, "Probabilistic
classification vector machines" (2009): boundaries at two values of gamma, and number of vectors and test
error over many. A relevance vector machine may give a row a weight of the sign opposite to its label
(crossed); the sparse Gaussian process and classification vector machines cannot.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from pauca import EPCVMClassifier, PCVMClassifier, RVMClassifier, SparseGPClassifier
from pauca.datasets import load, make_ripley

GAMMAS = np.logspace(-1, 2, 10)
MACHINES = {
    "SparseGP": SparseGPClassifier,
    "RVM": RVMClassifier,
    "EPCVM": EPCVMClassifier,
    "PCVM": PCVMClassifier,
    "SVM": SVC,
}
COLOURS = dict(zip(MACHINES, ("tab:purple", "tab:red", "tab:blue", "tab:green", "tab:gray"), strict=True))


def ripley():
    """Ripley's mixture: 250 training rows, 5000 test rows, and two values of gamma."""
    return *make_ripley(250, random_state=0), *make_ripley(5000, random_state=1), (4.0, 25.0)


def banana():
    """Banana set: 400 training rows, the others for testing, and two values of gamma."""
    data = load("banana")
    X, y = data.X, (data.y > 0).astype(int)
    rows = np.random.default_rng(0).permutation(len(y))
    train, test = rows[:400], rows[400:]
    return X[train], y[train], X[test], y[test], (1.0, 10.0)


def kept_and_opposed(machine, y):
    """Indices of kept rows, and of those whose weight has the sign opposite to their label."""
    rows = machine.relevance_ if hasattr(machine, "relevance_") else machine.support_
    return rows, rows[np.sign(machine.dual_coef_[0]) * (2 * y[rows] - 1) < 0]


def draw_boundary(axes, machine, X, y):
    """Draw rows, vectors and the decision boundary."""
    grid = np.meshgrid(*np.linspace(X.min(axis=0) - 0.2, X.max(axis=0) + 0.2, 150).T)
    side = machine.predict(np.column_stack([grid[0].ravel(), grid[1].ravel()])).reshape(grid[0].shape)
    kept, opposed = kept_and_opposed(machine, y)
    axes.contour(*grid, side, levels=[0.5], colors="black", linewidths=1.2)
    axes.scatter(*X.T, c=y, cmap="RdBu_r", s=6)
    axes.scatter(*X[kept].T, s=50, facecolor="none", edgecolor="black", linewidth=0.8)
    axes.scatter(*X[opposed].T, s=60, marker="x", color="black", linewidth=1.6)
    axes.set(xticks=[], yticks=[], xlabel=f"{len(kept)} vectors, {len(opposed)} of opposite sign")


def draw_curves(counts, errors, X, y, X_test, y_test):
    """Draw the number of vectors (dashed: sign opposite to the label) and the test error over gamma."""
    for name, kind in MACHINES.items():
        fitted = [kind(gamma=gamma).fit(X, y) for gamma in GAMMAS]
        kept, opposed = np.transpose([[len(rows) for rows in kept_and_opposed(m, y)] for m in fitted])
        counts.plot(GAMMAS, kept, color=COLOURS[name], label=name)
        counts.plot(GAMMAS, opposed, color=COLOURS[name], linestyle="dashed")
        error = [100 * np.mean(machine.predict(X_test) != y_test) for machine in fitted]
        errors.plot(GAMMAS, error, color=COLOURS[name], label=name)
    counts.set(xscale="log", yscale="symlog", xlabel="gamma", title="vectors (dashed: opposite sign)")
    counts.set_ylim(bottom=-0.3)
    errors.set(xscale="log", xlabel="gamma", title="test error, %")
    errors.legend(fontsize=9)


problems = {"Ripley": ripley(), "Banana": banana()}
n_columns = len(MACHINES) + 1
figure, panels = plt.subplots(4, n_columns, figsize=(3.6 * n_columns, 12), layout="constrained")
for top, (problem, (X, y, X_test, y_test, gammas)) in zip((0, 2), problems.items(), strict=True):
    for row, gamma in zip(panels[top : top + 2], gammas, strict=True):
        row[0].set_ylabel(f"{problem}, gamma {gamma:g}", fontsize=13)
        for axes, (name, kind) in zip(row, MACHINES.items(), strict=False):
            draw_boundary(axes, kind(gamma=gamma).fit(X, y), X, y)
            axes.set_title(name, fontsize=13)
    draw_curves(panels[top, -1], panels[top + 1, -1], X, y, X_test, y_test)
plt.show()
