"""How many members rows need: over the plane, as histograms, and in the tail."""

import numpy as np

from .canvas import new_axes
from .summaries import exceedance, plane


def plot_query_map(model, X, *, n_points=100, ax=None):
    """Share of the members that are asked, over a plane.

    Parameters
    ----------
    model : InstancePrunedClassifier
        A model of two features.
    X : array-like of shape (n_samples, 2)
        Rows that say which part of the plane to draw.
    n_points : int, default=100
        Points on each axis.
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
    ax.set(
        xlabel="$x_1$", ylabel="$x_2$", title=f"{shares.mean():.0%} of {model.n_members_} members are asked"
    )
    ax.figure.colorbar(filled, ax=ax, label="share of the members asked", ticks=np.linspace(0, 1, 6))
    ax.legend()
    return ax


def plot_queries(model, X, *, bins=40, ax=None):
    """Histogram of the number of members that rows need.

    Parameters
    ----------
    model : InstancePrunedClassifier
        A fitted model.
    X : array-like of shape (n_samples, n_features)
        Rows.
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
    ax.set(xlabel=f"members asked, of {model.n_members_}", ylabel="share of the rows")
    ax.legend()
    return ax


def plot_vote_shares(size, *, bins=50, ax=None):
    """Histogram of the votes for the second of two classes, or for the leader of several.

    Parameters
    ----------
    size : EnsembleSize
        What `ensemble_size` returned.
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
        xlabel=f"share of the votes for the {'second class' if two else 'leader'}",
        ylabel="density of the rows",
        title=f"{size.size} members agree with infinitely many on {size.confidence:.3%} of the rows",
    )
    return ax


def plot_required_sizes(size, *, ax=None):
    """P(a row needs more than T members) over T, beside the law of large T, on logarithmic axes.

    Parameters
    ----------
    size : EnsembleSize
        What `ensemble_size` returned.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    members, shares = exceedance(size.required_sizes)
    ax = new_axes() if ax is None else ax
    ax.step(members, shares, where="post", color="tab:blue", label="rows")
    ax.plot(members, size.tail(members), color="black", linestyle="dashed", label="law, slope -1/2")
    if np.isfinite(size.size):
        ax.axvline(size.size, color="tab:green", label=f"enough on average: {size.size}")
    ax.set(xscale="log", yscale="log", xlabel="members T", ylabel="P(a row needs more than T)")
    ax.legend()
    return ax
