"""
Decision boundaries and the training rows behind them
=====================================================

Four problems in two dimensions, with the decision boundaries of a sparse Gaussian process, relevance and
classification vector machines (gamma by evidence) and a support vector machine (C and gamma by
cross-validation). Rows that a machine keeps are circled. In Relevance only the horizontal axis separates
the classes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from pauca import EPCVMClassifier, PCVMClassifier, RVMClassifier, SparseGPClassifier
from pauca.datasets import make_bumpy, make_overlap, make_relevance, make_spiral

SHAPES = {"Spiral": make_spiral, "Overlap": make_overlap, "Bumpy": make_bumpy, "Relevance": make_relevance}
GRID = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-2, 2, 5)}


def machines():
    """Unfitted machines by name."""
    return {
        "SparseGP": SparseGPClassifier(),
        "RVM": RVMClassifier(),
        "EPCVM": EPCVMClassifier(),
        "PCVM": PCVMClassifier(),
        "SVM": GridSearchCV(SVC(), GRID),
    }


def kept_rows(machine):
    """Indices of the training rows that a fitted machine keeps."""
    model = getattr(machine, "best_estimator_", machine)
    return model.relevance_ if hasattr(model, "relevance_") else model.support_


def draw(axes, machine, X, y, X_test, y_test):
    """Draw the training rows, those kept, and the decision boundary."""
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    grid = np.meshgrid(*np.linspace(low, high, 150).T)
    points = np.column_stack([grid[0].ravel(), grid[1].ravel()])
    side = machine.predict(points).reshape(grid[0].shape)
    kept = kept_rows(machine)
    axes.contourf(*grid, side, levels=[-0.5, 0.5, 1.5], colors=["#2166ac", "#b2182b"], alpha=0.15)
    axes.contour(*grid, side, levels=[0.5], colors="black", linewidths=1.2)
    axes.scatter(*X.T, c=y, cmap="RdBu_r", s=9)
    axes.scatter(*X[kept].T, s=70, facecolor="none", edgecolor="black", linewidth=1.1)
    error = 100 * np.mean(machine.predict(X_test) != y_test)
    axes.set(xticks=[], yticks=[], xlabel=f"{len(kept)} of {len(y)} rows kept, error {error:.1f} %")


names = list(machines())
figure, panels = plt.subplots(
    len(SHAPES), len(names), figsize=(3.1 * len(names), 3.1 * len(SHAPES)), layout="constrained"
)
for row, (shape, generate) in zip(panels, SHAPES.items(), strict=True):
    X, y = generate(200, random_state=0)
    X_test, y_test = generate(5000, random_state=1)
    row[0].set_ylabel(shape, fontsize=13)
    for axes, (name, machine) in zip(row, machines().items(), strict=True):
        draw(axes, machine.fit(X, y), X, y, X_test, y_test)
        if shape == "Spiral":
            axes.set_title(name, fontsize=13)
plt.show()
