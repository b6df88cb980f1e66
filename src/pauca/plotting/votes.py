"""Early voting and ensemble size: trees evaluated, votes, and required numbers of members."""

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..validation import check_number
from .canvas import BLUE, GREEN, GREY, INK, LEGEND, VERMILION, Display, literal
from .summaries import axis_names, exceedance, like, part_of, plane, predicted_with

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..ensembles import EnsembleSize, InstancePrunedClassifier

# Names of what is drawn, for messages.
_KIND = "an InstancePrunedClassifier"
_SIZE = "an estimate of pauca.ensemble_size"


@dataclass(eq=False)
class QueryMapDisplay(Display):
    """Fraction of the trees that are evaluated, over the plane of two features.

    Parameters
    ----------
    grid : list of two ndarrays of shape (n, n)
        Coordinates of the points.
    shares : ndarray of shape (n, n)
        Fraction of the trees that are evaluated.
    codes : ndarray of shape (n, n)
        Index of the predicted class.
    n_members : int
        Number of trees.
    names : list of str
        Labels of the axes.
    """

    grid: Any
    shares: np.ndarray
    codes: np.ndarray
    n_members: int
    names: list[str]

    @classmethod
    def from_estimator(
        cls, estimator: "InstancePrunedClassifier", X: Any, *, n_points: int = 100, ax: "Axes | None" = None
    ) -> Self:
        """Draw where many trees are needed.

        Parameters
        ----------
        estimator : InstancePrunedClassifier
            A fitted model of two features.
        X : array-like of shape (n_samples, 2)
            Rows whose range is drawn.
        n_points : int, default=100
            Number of points on each axis.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : QueryMapDisplay
        """
        check_number("n_points", n_points, 2, kind=Integral)
        grid, points = plane(X, n_points, margin=0.0)
        rows = like(estimator, X, points)
        labels, queries = predicted_with(estimator, rows, "return_queries", _KIND, "model")
        shape = grid[0].shape
        codes = np.searchsorted(estimator.classes_, labels).reshape(shape)
        shares = (queries / estimator.n_members_).reshape(shape)
        return cls(grid, shares, codes, estimator.n_members_, axis_names(X)).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        filled = ax.contourf(*self.grid, self.shares, levels=np.linspace(0, 1, 21), cmap="Blues")
        ax.contour(*self.grid, self.codes, levels=np.arange(self.codes.max()) + 0.5, colors=VERMILION)
        ax.plot([], [], color=VERMILION, label="decision boundary")
        title = f"{self.shares.mean():.0%} of {self.n_members} trees evaluated"
        ax.set(xlabel=literal(self.names[0]), ylabel=literal(self.names[1]), title=title)
        ticks = np.linspace(0, 1, 6)
        ax.figure.colorbar(filled, ax=ax, label="fraction of trees evaluated", ticks=ticks)
        ax.legend(**LEGEND)


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
    return QueryMapDisplay.from_estimator(model, X, n_points=n_points, ax=ax).ax_


@dataclass(eq=False)
class QueriesDisplay(Display):
    """Histogram over rows of the number of trees evaluated.

    Parameters
    ----------
    queries : ndarray of shape (n_samples,)
        Number of trees evaluated for each row.
    n_members : int
        Number of trees.
    bins : int, default=40
        Number of bins.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca.plotting import QueriesDisplay
    >>> display = QueriesDisplay(np.array([5, 7, 30]), 101).plot()
    >>> display.ax_.get_xlabel()
    'trees evaluated, of 101'
    """

    queries: np.ndarray
    n_members: int
    bins: int = 40

    @classmethod
    def from_estimator(
        cls, estimator: "InstancePrunedClassifier", X: Any, *, bins: int = 40, ax: "Axes | None" = None
    ) -> Self:
        """Draw how many trees the rows need.

        Parameters
        ----------
        estimator : InstancePrunedClassifier
            A fitted model.
        X : array-like of shape (n_samples, n_features)
            Rows to predict.
        bins : int, default=40
            Number of bins.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : QueriesDisplay
        """
        check_number("bins", bins, 1, kind=Integral)
        queries = predicted_with(estimator, X, "return_queries", _KIND, "model")[1]
        return cls(queries, estimator.n_members_, bins).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        share = np.full(len(self.queries), 1 / len(self.queries))
        ax.hist(self.queries, bins=self.bins, range=(0, self.n_members), weights=share, color=BLUE)
        mean = self.queries.mean()
        ax.axvline(mean, color=INK, linestyle="dashed", label=f"mean {mean:.1f}")
        ax.set(xlabel=f"trees evaluated, of {self.n_members}", ylabel="fraction of rows")
        ax.legend(**LEGEND)


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
    return QueriesDisplay.from_estimator(model, X, bins=bins, ax=ax).ax_


@dataclass(eq=False)
class VoteSharesDisplay(Display):
    """Histogram over rows of the fraction of votes for the second of two classes, or the leading class.

    Parameters
    ----------
    size : EnsembleSize
        Estimate from `pauca.ensemble_size`.
    bins : int, default=50
        Number of bins.
    """

    size: "EnsembleSize"
    bins: int = 50

    def _draw(self, ax: Any) -> None:
        check_number("bins", self.bins, 1, kind=Integral)
        size, two = self.size, part_of(self.size, "shares", _SIZE, "size").shape[1] == 2
        shares = size.shares[:, 1] if two else size.shares.max(axis=1)
        ax.hist(shares, bins=self.bins, range=(0, 1), density=True, color=BLUE)
        if two:
            ax.axvline(0.5, color=GREY, linewidth=0.8)
        ax.set(
            xlabel=f"fraction of votes for the {'second' if two else 'leading'} class",
            ylabel="density",
            title=f"{size.size} members: {100 * size.confidence:g} % agreement with infinitely many",
        )


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
    return VoteSharesDisplay(size, bins).plot(ax=ax).ax_


@dataclass(eq=False)
class RequiredSizesDisplay(Display):
    """Probability that a row needs more than T members against T, beside its asymptotic power law.

    Parameters
    ----------
    size : EnsembleSize
        Estimate from `pauca.ensemble_size`.
    """

    size: "EnsembleSize"

    def _draw(self, ax: Any) -> None:
        size = self.size
        members, shares = exceedance(part_of(size, "required_sizes", _SIZE, "size"))
        ax.step(members, shares, where="post", color=BLUE, label="rows")
        law = {"color": INK, "linestyle": "dashed", "label": "power law, exponent -1/2"}
        ax.plot(members, size.tail(members), **law)
        if np.isfinite(size.size):
            ax.axvline(size.size, color=GREEN, label=f"estimated size: {size.size}")
        ax.set(xscale="log", yscale="log", xlabel="members T", ylabel="P(a row needs more than T)")
        ax.legend(**LEGEND)


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
    return RequiredSizesDisplay(size).plot(ax=ax).ax_
