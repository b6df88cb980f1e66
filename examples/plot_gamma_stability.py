"""
What another kernel parameter does
==================================

Ripley's mixture and the Banana set, after figures 1 and 2 of Chen, Tino & Yao, "Probabilistic classification
vector machines" (2009): boundaries at two values of gamma, and vectors and test error over many. A relevance
vector machine may give a row a weight against its own label (crossed); classification vector machines cannot.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

import pauca
from pauca.datasets import load, make_ripley

GAMMAS = np.logspace(-1, 2, 10)
COLOURS = {"SVM": "tab:gray", "RVM": "tab:red", "PCVM": "tab:green", "EPCVM": "tab:blue"}


def machines():
    """Kinds of machines by name, as many as this version of the library has."""
    kinds = {"SVM": SVC} | {name: getattr(pauca, f"{name}Classifier", None) for name in list(COLOURS)[1:]}
    return {name: kind for name, kind in kinds.items() if kind}


def ripley():
    """250 rows to train on, 5000 to test, and two values of gamma."""
    return *make_ripley(250, random_state=0), *make_ripley(5000, random_state=1), (4.0, 25.0)


def banana():
    """400 rows to train on, the others to test, and two values of gamma."""
    data = load("banana")
    X, y = data.X, (data.y > 0).astype(int)
    rows = np.random.default_rng(0).permutation(len(y))
    train, test = rows[:400], rows[400:]
    return X[train], y[train], X[test], y[test], (1.0, 10.0)


def kept_and_opposed(machine, y):
    """The rows that a machine keeps, and those of them whose weight speaks against their label."""
    rows = machine.relevance_ if hasattr(machine, "relevance_") else machine.support_
    return rows, rows[np.sign(machine.dual_coef_[0]) * (2 * y[rows] - 1) < 0]


def draw_boundary(axes, machine, X, y):
    """Rows, vectors and the boundary."""
    grid = np.meshgrid(*np.linspace(X.min(axis=0) - 0.2, X.max(axis=0) + 0.2, 150).T)
    side = machine.predict(np.column_stack([grid[0].ravel(), grid[1].ravel()])).reshape(grid[0].shape)
    kept, opposed = kept_and_opposed(machine, y)
    axes.contour(*grid, side, levels=[0.5], colors="black", linewidths=1.2)
    axes.scatter(*X.T, c=y, cmap="RdBu_r", s=6)
    axes.scatter(*X[kept].T, s=50, facecolor="none", edgecolor="black", linewidth=0.8)
    axes.scatter(*X[opposed].T, s=60, marker="x", color="black", linewidth=1.6)
    axes.set(xticks=[], yticks=[], xlabel=f"{len(kept)} vectors, {len(opposed)} against their label")


def draw_curves(counts, errors, X, y, X_test, y_test):
    """Vectors (dashed: against their labels) and test error over gamma."""
    for name, kind in machines().items():
        fitted = [kind(gamma=gamma).fit(X, y) for gamma in GAMMAS]
        kept, opposed = np.transpose([[len(rows) for rows in kept_and_opposed(m, y)] for m in fitted])
        counts.plot(GAMMAS, kept, color=COLOURS[name], label=name)
        counts.plot(GAMMAS, opposed, color=COLOURS[name], linestyle="dashed")
        error = [100 * np.mean(machine.predict(X_test) != y_test) for machine in fitted]
        errors.plot(GAMMAS, error, color=COLOURS[name], label=name)
    counts.set(xscale="log", yscale="symlog", xlabel="gamma", title="vectors (dashed: against label)")
    counts.set_ylim(bottom=-0.3)
    errors.set(xscale="log", xlabel="gamma", title="test error, %")
    errors.legend(fontsize=9)


problems = {"Ripley": ripley(), "Banana": banana()}
n_columns = len(machines()) + 1
figure, panels = plt.subplots(4, n_columns, figsize=(3.6 * n_columns, 12), layout="constrained")
for top, (problem, (X, y, X_test, y_test, gammas)) in zip((0, 2), problems.items(), strict=True):
    for row, gamma in zip(panels[top : top + 2], gammas, strict=True):
        row[0].set_ylabel(f"{problem}, gamma {gamma:g}", fontsize=13)
        for axes, (name, kind) in zip(row, machines().items(), strict=False):
            draw_boundary(axes, kind(gamma=gamma).fit(X, y), X, y)
            axes.set_title(name, fontsize=13)
    draw_curves(panels[top, -1], panels[top + 1, -1], X, y, X_test, y_test)
plt.show()
