"""Early voting and ensemble size: trees evaluated, votes, and required numbers of members."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .canvas import new_axes
from .summaries import exceedance, plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..ensembles import EnsembleSize, InstancePrunedClassifier


def plot_query_map(
    model: "InstancePrunedClassifier", X: ArrayLike, *, n_points: int = 100, ax: "Axes | None" = None
) -> "Axes":
    """Fraction of the trees that are evaluated, over the plane of two features.

    Parameters
    ----------
    model : InstancePrunedClassifier
        A fitted model of two features.
    X : array-like of shape (n_samples, 2)
        Rows whose range is drawn.
    n_points : int, default=100
        Number of points on each axis.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    grid, points = plane(np.asarray(X, dtype=float), n_points, margin=0.0)
    labels, queries = model.predict(points, return_queries=True)
    shares = (queries / model.n_members_).reshape(grid[0].shape)
    ax = new_axes() if ax is None else ax
    filled = ax.contourf(*grid, shares, levels=np.linspace(0, 1, 21), cmap="Blues")
    codes = np.searchsorted(model.classes_, labels).reshape(grid[0].shape)
    ax.contour(*grid, codes, levels=np.arange(len(model.classes_) - 1) + 0.5, colors="tab:green")
    ax.plot([], [], color="tab:green", label="decision boundary")
    ax.set(xlabel="$x_1$", ylabel="$x_2$", title=f"{shares.mean():.0%} of {model.n_members_} trees evaluated")
    ax.figure.colorbar(filled, ax=ax, label="fraction of trees evaluated", ticks=np.linspace(0, 1, 6))
    ax.legend()
    return ax


def plot_queries(
    model: "InstancePrunedClassifier", X: ArrayLike, *, bins: int = 40, ax: "Axes | None" = None
) -> "Axes":
    """Histogram over rows of the number of trees evaluated.

    Parameters
    ----------
    model : InstancePrunedClassifier
        A fitted model.
    X : array-like of shape (n_samples, n_features)
        Rows to predict.
    bins : int, default=40
        Number of bins.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    queries = model.predict(X, return_queries=True)[1]
    ax = new_axes() if ax is None else ax
    ax.hist(queries, bins=bins, range=(0, model.n_members_), weights=np.full(len(queries), 1 / len(queries)))
    ax.axvline(queries.mean(), color="black", linestyle="dashed", label=f"mean {queries.mean():.1f}")
    ax.set(xlabel=f"trees evaluated, of {model.n_members_}", ylabel="fraction of rows")
    ax.legend()
    return ax


def plot_vote_shares(size: "EnsembleSize", *, bins: int = 50, ax: "Axes | None" = None) -> "Axes":
    """Histogram over rows of the fraction of votes for the second of two classes, or the leading class.

    Parameters
    ----------
    size : EnsembleSize
        Estimate from `pauca.ensemble_size`.
    bins : int, default=50
        Number of bins.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    two = size.shares.shape[1] == 2
    shares = size.shares[:, 1] if two else size.shares.max(axis=1)
    ax = new_axes() if ax is None else ax
    ax.hist(shares, bins=bins, range=(0, 1), density=True)
    if two:
        ax.axvline(0.5, color="grey", linewidth=0.8)
    ax.set(
        xlabel=f"fraction of votes for the {'second' if two else 'leading'} class",
        ylabel="density",
        title=f"{size.size} members: {100 * size.confidence:g} % agreement with infinitely many",
    )
    return ax


def plot_required_sizes(size: "EnsembleSize", *, ax: "Axes | None" = None) -> "Axes":
    """Probability that a row needs more than T members against T, beside its asymptotic power law.

    Parameters
    ----------
    size : EnsembleSize
        Estimate from `pauca.ensemble_size`.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    members, shares = exceedance(size.required_sizes)
    ax = new_axes() if ax is None else ax
    ax.step(members, shares, where="post", color="tab:blue", label="rows")
    ax.plot(members, size.tail(members), color="black", linestyle="dashed", label="power law, exponent -1/2")
    if np.isfinite(size.size):
        ax.axvline(size.size, color="tab:green", label=f"estimated size: {size.size}")
    ax.set(xscale="log", yscale="log", xlabel="members T", ylabel="P(a row needs more than T)")
    ax.legend()
    return ax
