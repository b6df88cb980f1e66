"""Probabilities in the plane, and the few rows that carry them."""

import numpy as np

from .canvas import CIRCLE, new_axes
from .summaries import plane

_COLOURS = "#2166ac", "#b2182b"


def plot_surface(machine, X, y, *, truth=None, ax=None):
    """P(second class) of a machine of two classes and two features, its rows and its relevance vectors.

    Parameters
    ----------
    machine : classifier
        A fitted machine; vectors that it keeps are circled.
    X : array-like of shape (n_samples, 2)
        Training data.
    y : array-like of shape (n_samples,)
        Labels.
    truth : callable, default=None
        True probabilities of rows, for the best possible boundary.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    ax = draw_probabilities(machine, X, y, truth, ax)
    kept = getattr(machine, "relevance_vectors_", np.empty((0, 0)))
    if kept.shape[1] == 2:
        ax.scatter(kept[:, 0], kept[:, 1], **CIRCLE)
        ax.set_title(f"{len(kept)} of {len(X)} rows are kept")
    return ax


def draw_probabilities(machine, X, y, truth, ax):
    """P(second class) in colours, boundaries and rows, on new axes unless there are some."""
    if len(machine.classes_) != 2:
        raise ValueError(f"machine must have two classes to be drawn; it has {len(machine.classes_)}.")
    grid, points = plane(X)
    ax = new_axes() if ax is None else ax
    surface = machine.predict_proba(points)[:, 1].reshape(grid[0].shape)
    filled = ax.contourf(*grid, surface, levels=np.linspace(0, 1, 21), cmap="RdBu_r", alpha=0.55)
    ax.contour(*grid, surface, levels=[0.5], colors="black")
    ax.plot([], [], color="black", label="decision boundary")
    if truth is not None:
        best = truth(points).reshape(grid[0].shape)
        ax.contour(*grid, best, levels=[0.5], colors="black", linestyles="dashed")
        ax.plot([], [], color="black", linestyle="dashed", label="best possible boundary")
    for label, marker, colour in zip(machine.classes_, "os", _COLOURS, strict=True):
        rows = X[y == label]
        ax.scatter(rows[:, 0], rows[:, 1], s=14, marker=marker, color=colour, label=f"class {label}")
    ax.set(xlabel="$x_1$", ylabel="$x_2$")
    ax.figure.colorbar(filled, ax=ax, label=f"P(class {machine.classes_[1]})", ticks=np.linspace(0, 1, 6))
    return ax
