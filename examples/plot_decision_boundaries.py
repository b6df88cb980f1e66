"""
Four shapes, and the vectors that carry the boundary
====================================================

Spiral, Overlap, Bumpy and Relevance, with the decision boundaries of a support vector machine (C and gamma by
cross-validation), a relevance vector machine and classification vector machines (gamma by the evidence). Kept
training rows are circled. In Relevance only the horizontal axis tells the classes apart.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import pauca
from pauca.datasets import make_bumpy, make_overlap, make_relevance, make_spiral

SHAPES = {"Spiral": make_spiral, "Overlap": make_overlap, "Bumpy": make_bumpy, "Relevance": make_relevance}
GRID = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-2, 2, 5)}
MACHINES = ("RVMClassifier", "PCVMClassifier", "EPCVMClassifier")


def machines():
    """The machines by name, as many as this version of the library has."""
    ours = {name.removesuffix("Classifier"): getattr(pauca, name, None) for name in MACHINES}
    return {"SVM": GridSearchCV(SVC(), GRID), **{name: kind() for name, kind in ours.items() if kind}}


def kept_rows(machine):
    """Training rows that a fitted machine keeps."""
    model = getattr(machine, "best_estimator_", machine)
    return model.relevance_ if hasattr(model, "relevance_") else model.support_


def draw(axes, machine, X, y, X_test, y_test):
    """The rows, those kept, and the boundary."""
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
