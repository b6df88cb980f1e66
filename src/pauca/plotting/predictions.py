"""Predictions of a machine: a curve over one feature, or probabilities over the plane of two features."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .canvas import RING, new_axes
from .summaries import curve, plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..machines import BayesMachineClassifier, SparseBayesMachineClassifier

_COLOURS = "#2166ac", "#b2182b"


def plot_fit(
    machine: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    truth: Callable[[np.ndarray], np.ndarray] | None = None,
    n_std: float = 2.0,
    ax: "Axes | None" = None,
) -> "Axes":
    """Predictive mean and error bars of a regressor of one feature, its rows and its relevance vectors.

    Parameters
    ----------
    machine : regressor
        A fitted machine.
    X : array-like of shape (n_samples, 1)
        Training data.
    y : array-like of shape (n_samples,)
        Targets.
    truth : callable, default=None
        The true function, drawn in grey: takes an array of shape (n,) and returns one.
    n_std : float, default=2.0
        Half the width of the band, in standard deviations of a new observation.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    drawn = curve(machine, X)
    ax = new_axes() if ax is None else ax
    x, y = np.asarray(X, dtype=float)[:, 0], np.asarray(y)
    lower, upper = drawn.mean - n_std * drawn.std, drawn.mean + n_std * drawn.std
    ax.fill_between(drawn.x, lower, upper, color="tab:blue", alpha=0.2, linewidth=0, label=f"±{n_std:g} std")
    if truth is not None:
        ax.plot(drawn.x, truth(drawn.x), color="grey", label="truth")
    ax.plot(drawn.x, drawn.mean, color="black", label="mean")
    ax.scatter(x, y, s=14, color="tab:blue", label="rows")
    kept = machine.relevance_
    ax.scatter(x[kept], y[kept], **RING)
    ax.set(xlabel="x", ylabel="y", title=f"{len(kept)} of {len(x)} rows are kept")
    ax.legend()
    return ax


def plot_surface(
    machine: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    truth: Callable[[np.ndarray], np.ndarray] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Predicted probability of the second of two classes over two features, rows and relevance vectors.

    Parameters
    ----------
    machine : classifier
        A fitted machine of two classes; vectors that it keeps are circled.
    X : array-like of shape (n_samples, 2)
        Training data.
    y : array-like of shape (n_samples,)
        Labels.
    truth : callable, default=None
        True probabilities of rows, for the Bayes-optimal boundary.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    ax = _draw_probabilities(machine, X, y, truth, ax)
    kept = getattr(machine, "relevance_vectors_", np.empty((0, 0)))
    if kept.shape[1] == 2:
        ax.scatter(kept[:, 0], kept[:, 1], **RING)
        ax.set_title(f"{len(kept)} of {len(X)} rows are kept")
    return ax


def plot_suspects(
    machine: "BayesMachineClassifier | SparseBayesMachineClassifier",
    X: ArrayLike,
    y: ArrayLike,
    *,
    threshold: float = 0.5,
    truth: Callable[[np.ndarray], np.ndarray] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Predicted probability of the second of two classes over two features, with suspicious labels marked.

    Parameters
    ----------
    machine : BayesMachineClassifier or SparseBayesMachineClassifier
        A fitted machine of two classes.
    X : array-like of shape (n_samples, 2)
        Training data.
    y : array-like of shape (n_samples,)
        Labels.
    threshold : float, default=0.5
        Rows are marked whose label is wrong with at least this probability.
    truth : callable, default=None
        True probabilities of rows, for the Bayes-optimal boundary.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    ax = _draw_probabilities(machine, X, y, truth, ax)
    rows = X[machine.flip_probability_ >= threshold]
    marks: Any = {"s": 130, "marker": "X", "facecolors": "none", "edgecolors": "black"}
    ax.scatter(rows[:, 0], rows[:, 1], label="suspects", **marks)
    noise = f"{100 * machine.noise_:.1f} %"
    ax.set_title(f"{len(rows)} of {len(X)} labels are suspicious; label noise {noise}")
    return ax


def _draw_probabilities(
    machine: Any,
    X: np.ndarray,
    y: np.ndarray,
    truth: Callable[[np.ndarray], np.ndarray] | None,
    ax: "Axes | None",
) -> Any:
    """Draw the predicted probability of the second class, the decision boundary and the rows."""
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
        ax.plot([], [], color="black", linestyle="dashed", label="Bayes-optimal boundary")
    for label, marker, colour in zip(machine.classes_, "os", _COLOURS, strict=True):
        rows = X[y == label]
        ax.scatter(rows[:, 0], rows[:, 1], s=14, marker=marker, color=colour, label=f"class {label}")
    ax.set(xlabel="$x_1$", ylabel="$x_2$")
    ax.figure.colorbar(filled, ax=ax, label=f"P(class {machine.classes_[1]})", ticks=np.linspace(0, 1, 6))
    return ax
