"""Ensembles: error against the number of members, and its decomposition."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .canvas import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..ensembles import Decomposition

_PANELS = {
    "mse": "mean squared error",
    "squared_bias": "squared bias",
    "variance": "variance",
    "covariance": "covariance",
}


def plot_error_curves(
    curves: Mapping[str, Any],
    *,
    levels: Mapping[str, float] | None = None,
    points: Mapping[str, tuple[int, float]] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Error against the number of members, a line for each order of the members.

    Parameters
    ----------
    curves : mapping of str to array-like of shape (n_members,) or fitted pruned ensemble
        Errors of the first 1, 2, ... members; of a pruned ensemble its ``error_curve_`` is drawn, with a mark
        at the members that are kept.
    levels : mapping of str to float, default=None
        Errors that have no number of members, such as the error of a single predictor: horizontal lines.
    points : mapping of str to (int, float), default=None
        Single pairs of number of members and error: crosses.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    ax = new_axes() if ax is None else ax
    for name, curve in curves.items():
        errors = np.asarray(getattr(curve, "error_curve_", curve))
        (line,) = ax.plot(np.arange(1, len(errors) + 1), errors, label=name)
        if hasattr(curve, "selected_"):
            kept = len(curve.selected_)
            ax.plot(kept, errors[kept - 1], "o", color=line.get_color(), label=f"{kept} kept")
    for name, level in (levels or {}).items():
        ax.axhline(level, color="grey", linestyle="dashed", label=name)
    for name, (size, error) in (points or {}).items():
        ax.plot(size, error, "x", color="black", markersize=9, label=name)
    ax.set(xlabel="members", ylabel="error")
    ax.legend()
    return ax


def plot_decomposition(parts: "Mapping[str, Decomposition]", *, axes: Any = None) -> np.ndarray:
    """Mean squared error, squared bias, variance and covariance against the number of members.

    Parameters
    ----------
    parts : mapping of str to Decomposition
        From `pauca.ensembles.bias_variance_covariance`, a line for each.
    axes : array of four matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    axes : ndarray of four matplotlib axes
    """
    axes = new_axes(2, 2) if axes is None else np.asarray(axes)
    for ax, (attribute, title) in zip(axes.flat, _PANELS.items(), strict=True):
        for name, decomposition in parts.items():
            ax.plot(decomposition.size, getattr(decomposition, attribute), label=name)
        ax.set(xlabel="members", title=title)
    axes.flat[0].legend()
    return axes
