"""Weights, precisions and feature scales of a fitted machine, and the path of its search."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .canvas import BLUE, GREY, LEGEND, VERMILION, Display, PanelDisplay, literal
from .summaries import feature_names, largest, log_precisions, numbers_or_none, part_of, path_of, weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Panels of the path: names of its columns, and titles.
_PATH_PANELS = {
    "log_evidence": "log evidence",
    "loo_probability": "leave-one-out probability of error",
    "loo_error": "leave-one-out error rate",
    "n_terms": "number of terms",
}


@dataclass(eq=False)
class PrecisionsDisplay(Display):
    """Histogram of the posterior mean precisions α of the kept weights, as log10⟨α⟩.

    Parameters
    ----------
    values : ndarray of shape (n_weights,)
        Decimal logarithms of the precisions.
    bins : int, default=20
        Number of bins.

    Examples
    --------
    >>> from pauca import RVMRegressor
    >>> from pauca.datasets import make_sinc
    >>> from pauca.plotting import PrecisionsDisplay
    >>> machine = RVMRegressor(gamma=0.1, inference="variational").fit(*make_sinc(50, random_state=0))
    >>> display = PrecisionsDisplay.from_estimator(machine)
    >>> len(display.values) == len(machine.relevance_)
    True
    """

    values: np.ndarray
    bins: int = 20

    @classmethod
    def from_estimator(cls, estimator: Any, *, bins: int = 20, ax: "Axes | None" = None) -> Self:
        """Draw the precisions of a machine fitted with ``inference="variational"``.

        Parameters
        ----------
        estimator : RVMClassifier or RVMRegressor
            A fitted machine.
        bins : int, default=20
            Number of bins.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : PrecisionsDisplay
        """
        return cls(log_precisions(estimator, bins), bins).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        ax.hist(self.values, bins=self.bins, color=BLUE)
        title = f"{len(self.values)} weights are kept"
        ax.set(xlabel="log₁₀⟨α⟩", ylabel="weights", title=title)


def plot_precisions(machine: Any, *, bins: int = 20, ax: "Axes | None" = None) -> "Axes":
    """Histogram of the posterior mean precisions α of the kept weights, as log10⟨α⟩.

    Parameters
    ----------
    machine : estimator
        A machine fitted with ``inference="variational"``.
    bins : int, default=20
        Number of bins.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    return PrecisionsDisplay.from_estimator(machine, bins=bins, ax=ax).ax_


@dataclass(eq=False)
class WeightsDisplay(Display):
    """Stem plot of the mean weights over the training rows on which their columns are centred.

    Parameters
    ----------
    rows : ndarray of shape (n_weights,)
        Training rows.
    coef : ndarray of shape (n_weights,)
        Mean weights.
    """

    rows: np.ndarray
    coef: np.ndarray

    @classmethod
    def from_estimator(cls, estimator: Any, *, which: int = 0, ax: "Axes | None" = None) -> Self:
        """Draw the weights of a fitted machine.

        Parameters
        ----------
        estimator : estimator
            A fitted machine with ``dual_coef_``.
        which : int, default=0
            Index of the class, with more than two classes.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : WeightsDisplay
        """
        return cls(*weights(estimator, which)).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        ax.axhline(0.0, color=GREY, linewidth=0.8)
        if len(self.rows):
            ax.stem(self.rows, self.coef, basefmt=" ")
        title = f"{len(self.rows)} weights are not zero"
        ax.set(xlabel="row of the training data", ylabel="mean weight", title=title)


def plot_weights(machine: Any, *, which: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Stem plot of the mean weights over the training rows on which their columns are centred.

    Parameters
    ----------
    machine : estimator
        A fitted machine.
    which : int, default=0
        Index of the class, with more than two classes.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    return WeightsDisplay.from_estimator(machine, which=which, ax=ax).ax_


@dataclass(eq=False)
class FeatureScalesDisplay(Display):
    """Bars of the scales that multiply the features in the kernel, largest first.

    Parameters
    ----------
    scales : ndarray of shape (n_shown,)
        Scales, largest first.
    names : list of str
        Names of these features.
    n_features : int
        Number of all features.
    """

    scales: np.ndarray
    names: list[str]
    n_features: int

    @classmethod
    def from_estimator(cls, estimator: Any, *, top: int = 20, ax: "Axes | None" = None) -> Self:
        """Draw the feature scales of a fitted machine.

        Parameters
        ----------
        estimator : estimator
            A fitted machine with ``feature_scales_``.
        top : int, default=20
            Number of features that are shown.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : FeatureScalesDisplay
        """
        scales = part_of(estimator, "feature_scales_", "a machine that learns feature scales")
        best = largest(scales, top)
        return cls(scales[best], feature_names(estimator, best), len(scales)).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        places = np.arange(len(self.scales))
        ax.barh(places, self.scales, color=BLUE)
        ax.axvline(1.0, color=GREY, linewidth=0.8)
        ax.set_yticks(places, [literal(name) for name in self.names])
        ax.invert_yaxis()
        title = f"{len(self.scales)} of {self.n_features} features"
        ax.set(xlabel="scale in the kernel", ylabel="feature", title=title)


def plot_feature_scales(machine: Any, *, top: int = 20, ax: "Axes | None" = None) -> "Axes":
    """Bars of the scales that multiply the features in the kernel, largest first.

    Parameters
    ----------
    machine : estimator
        A fitted machine with ``feature_scales_``.
    top : int, default=20
        Number of features that are shown.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    return FeatureScalesDisplay.from_estimator(machine, top=top, ax=ax).ax_


@dataclass(eq=False)
class PathDisplay(PanelDisplay):
    """Evidence, leave-one-out estimates and number of terms along the path, the chosen round marked.

    Parameters
    ----------
    path : ndarray of shape (n_rounds,)
        Rounds of the search.
    chosen : int
        Index of the round that is kept.
    test_error : ndarray of shape (n_rounds,), default=None
        Error rates on test rows.
    """

    path: np.ndarray
    chosen: int
    test_error: np.ndarray | None = None
    _shape = (4, 1)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, which: int = 0, test_error: ArrayLike | None = None, axes: Any = None
    ) -> Self:
        """Draw the search of a fitted machine.

        Parameters
        ----------
        estimator : ARDClassifier, EPCVMClassifier, RVMClassifier or SparseGPClassifier
            A fitted machine; other than ARDClassifier with ``inference="ep"``.
        which : int, default=0
            Index of the class, with more than two classes; classes that are inferred jointly have one path.
        test_error : array-like of shape (n_rounds,), default=None
            Error rates on test rows to draw beside the leave-one-out error rates.
        axes : array of four matplotlib axes, default=None
            Where to draw; by default on new axes, one above the other.

        Returns
        -------
        display : PathDisplay
        """
        path, chosen = path_of(estimator, which)
        return cls(path, chosen, numbers_or_none("test_error", test_error)).plot(axes=axes)

    def _draw(self, axes: list[Any]) -> None:
        for panel, (name, title) in zip(axes, _PATH_PANELS.items(), strict=True):
            panel.plot(self.path[name], color=BLUE)
            panel.axvline(self.chosen, color=VERMILION, linestyle="--")
            panel.set_title(title, loc="left", fontsize="small", pad=3)
            panel.locator_params(axis="y", nbins=4)
            panel.label_outer()
        if self.test_error is not None:
            axes[2].plot(self.test_error, color=GREY, linestyle="dotted", label="test rows")
            axes[2].legend(**LEGEND)
        axes[-1].set_xlabel("round")
        axes[0].figure.suptitle(f"{len(self.path)} rounds, round {self.chosen} is kept")


def plot_path(
    machine: Any, *, which: int = 0, test_error: ArrayLike | None = None, ax: Any = None
) -> np.ndarray:
    """Evidence, leave-one-out estimates and number of terms along the path, the chosen round marked.

    Parameters
    ----------
    machine : ARDClassifier, EPCVMClassifier, RVMClassifier or SparseGPClassifier
        A fitted machine; other than ARDClassifier with ``inference="ep"``.
    which : int, default=0
        Index of the class, with more than two classes; classes that are inferred jointly have one path.
    test_error : array-like of shape (n_rounds,), default=None
        Error rates on test rows to draw beside the leave-one-out error rates.
    ax : array of four matplotlib axes, default=None
        Where to draw; by default on new axes, one above the other.

    Returns
    -------
    ax : array of four matplotlib axes
    """
    return PathDisplay.from_estimator(machine, which=which, test_error=test_error, axes=ax).axes_
