"""Predictions of a regressor over its only feature."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..validation import as_numbers, check_number
from .canvas import BLUE, GREY, INK, LEGEND, RING, Display, literal
from .summaries import Curve, axis_names, check_length, curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False)
class FitDisplay(Display):
    """Predictive mean and error bars of a regressor of one feature, its rows and its relevance vectors.

    Parameters
    ----------
    curve : Curve
        Predictive mean and standard deviation over a grid.
    x : ndarray of shape (n_samples,)
        The feature of the training rows.
    y : ndarray of shape (n_samples,)
        Targets.
    kept : ndarray of shape (n_vectors,)
        Indices of the rows that the machine keeps.
    names : (str, str)
        Labels of the axes.
    truth : ndarray of shape (n_points,), default=None
        True function over the grid.
    n_std : float, default=2.0
        Half the width of the band, in standard deviations of a new observation.

    Examples
    --------
    >>> from pauca import SparseGPRegressor
    >>> from pauca.datasets import make_sinc
    >>> from pauca.plotting import FitDisplay
    >>> X, y = make_sinc(60, random_state=0)
    >>> display = FitDisplay.from_estimator(SparseGPRegressor().fit(X, y), X, y)
    >>> display.ax_.get_xlabel()
    'x'
    """

    curve: Curve
    x: np.ndarray
    y: np.ndarray
    kept: np.ndarray
    names: tuple[str, str]
    truth: np.ndarray | None = None
    n_std: float = 2.0

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        truth: Callable[[np.ndarray], np.ndarray] | None = None,
        n_std: float = 2.0,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw a fitted regressor.

        Parameters
        ----------
        estimator : regressor
            A fitted machine whose ``predict`` takes ``return_std``.
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
        display : FitDisplay
        """
        check_number("n_std", n_std, 0)
        values = as_numbers("y", y, 1)
        drawn = curve(estimator, X)
        check_length("y", values, np.shape(X)[0])
        kept = getattr(estimator, "relevance_", np.empty(0, dtype=int))
        names = axis_names(X)[0], str(getattr(y, "name", None) or "y")
        known = None if truth is None else truth(drawn.x)
        x = np.asarray(X, dtype=float)[:, 0]
        if len(kept) and kept.max() >= len(x):
            raise ValueError("X must be the rows of the fit: the machine keeps rows beyond them.")
        return cls(drawn, x, values, kept, names, known, n_std).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        drawn, n_std = self.curve, self.n_std
        lower, upper = drawn.mean - n_std * drawn.std, drawn.mean + n_std * drawn.std
        ax.fill_between(drawn.x, lower, upper, color=BLUE, alpha=0.2, linewidth=0, label=f"±{n_std:g} std")
        if self.truth is not None:
            ax.plot(drawn.x, self.truth, color=GREY, linestyle="dashed", label="truth")
        ax.plot(drawn.x, drawn.mean, color=INK, label="mean")
        ax.scatter(self.x, self.y, s=14, color=BLUE, label="rows")
        ax.scatter(self.x[self.kept], self.y[self.kept], **RING)
        xlabel, ylabel = map(literal, self.names)
        ax.set(xlabel=xlabel, ylabel=ylabel, title=f"{len(self.kept)} of {len(self.x)} rows are kept")
        ax.legend(**LEGEND)


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
    return FitDisplay.from_estimator(machine, X, y, truth=truth, n_std=n_std, ax=ax).ax_
