"""Relevant features: inclusion probabilities, heat maps of their values, and stability of rankings."""

from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..validation import check_number
from .canvas import BLUE, GREY, INK, LEGEND, Display, literal
from .summaries import Expression, check_index, expression, feature_names, part_of, sets_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..machines import SpikeSlabClassifier, SpikeSlabRegressor

# Distance from the mean, in standard deviations, at which the colours of the heat map saturate. Set by hand.
_SATURATED = 2.0
# Characters of a feature's name that are drawn.
_MAX_NAME = 36
# Height of a line of text, and width of a character, as fractions of the axes. Set by hand, by looking.
_LINE, _CHARACTER = 0.06, 0.0125
# Empty share of the features beside the first and the last one; set by hand.
_MARGIN = 0.02


@dataclass(eq=False)
class InclusionDisplay(Display):
    """Posterior inclusion probability of every feature, beside the prior probability.

    Parameters
    ----------
    probabilities : ndarray of shape (n_features,)
        Inclusion probabilities.
    prior : float
        Inclusion probability a priori.
    named : dict of int to str
        Names that are drawn, by the index of the feature.
    sets : list of CredibleSet, default=[]
        Groups of features of which one matters, drawn in a colour each.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca.plotting import InclusionDisplay
    >>> display = InclusionDisplay(np.array([0.1, 0.9, 0.2]), 0.15, {1: "age"}).plot()
    >>> display.ax_.get_title()
    '1 of 3 features have a probability of at least 0.5'
    """

    probabilities: np.ndarray
    prior: float
    named: dict[int, str]
    sets: list[Any] = field(default_factory=list)

    @classmethod
    def from_estimator(
        cls,
        estimator: "SpikeSlabClassifier | SpikeSlabRegressor",
        *,
        which: int | None = None,
        n_named: int = 5,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the inclusion probabilities of a fitted machine.

        Parameters
        ----------
        estimator : SpikeSlabClassifier or SpikeSlabRegressor
            A fitted machine.
        which : int or None, default=None
            Index of the class, with more than two classes; None: the largest probability over classes.
        n_named : int, default=5
            Number of features whose names are drawn, most probable first.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : InclusionDisplay
        """
        by_class = which is not None
        rho = part_of(estimator, "inclusion_probabilities_", "a SpikeSlabClassifier or SpikeSlabRegressor")
        if by_class:
            classes = part_of(estimator, "inclusion_by_class_", "a SpikeSlabClassifier")
            check_index("which", which, len(classes))
            rho = classes[which]
        check_number("n_named", n_named, 0, kind=Integral)
        best = np.argsort(-rho, kind="stable")[:n_named]
        named = dict(zip(best.tolist(), feature_names(estimator, best), strict=True))
        sets = sets_of(estimator, which)
        return cls(rho, estimator.prior_inclusion_, named, sets).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        rho, features = self.probabilities, np.arange(len(self.probabilities))
        ax.vlines(features, np.minimum(rho, self.prior), rho, color=BLUE, linewidth=1)
        for number, each in enumerate(self.sets):
            members, colour = np.sort(each.features), f"C{1 + number % 9}"
            what = f"one of {len(members)} features" if len(members) > 1 else "one feature"
            label = f"{what}: {each.probability:.2f}"
            ax.vlines(members, 0, rho[members], color=colour, linewidth=2, label=label)
            ax.plot(members, rho[members], "o", color=colour, markersize=4)
        named = list(self.named)
        ax.scatter(named, rho[named], s=6, color=BLUE, zorder=1)
        ax.axhline(self.prior, color=INK, linestyle="dashed", linewidth=0.8, label=f"prior: {self.prior:.2g}")
        top = min(1.15 * max(rho.max(), self.prior), 1.05)
        ax.set(
            xlabel="feature",
            ylabel="inclusion probability",
            xlim=(-_MARGIN * len(rho) - 0.5, (1 + _MARGIN) * len(rho) - 0.5),
            ylim=(0, top),
            title=f"{np.sum(rho >= 0.5)} of {len(rho)} features have a probability of at least 0.5",
        )
        for feature, (x, y, name) in zip(self.named, self._places(top), strict=True):
            side = "right" if x < self._across(feature) else "left"
            ax.annotate(
                literal(name),
                (feature, rho[feature]),
                (x, y),
                textcoords="axes fraction",
                fontsize="small",
                ha=side,
                va="center",
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.5},
                arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkA": 1, "shrinkB": 0},
            )
        if self.sets:
            # Below the axes, where it covers no set.
            legend = {**LEGEND, "loc": "upper center", "bbox_to_anchor": (0.5, -0.12)}
            ax.legend(**legend, ncols=min(len(self.sets) + 1, 4))
        else:
            ax.legend(**LEGEND)

    def _across(self, feature: int) -> float:
        """Place of a feature in fractions of the axes."""
        share = (feature + 0.5) / len(self.probabilities)
        return (share + _MARGIN) / (1 + 2 * _MARGIN)

    def _places(self, top: float) -> list[tuple[float, float, str]]:
        """Where names are written, in fractions of the axes, so that none covers another."""
        places: list[tuple[float, float, str]] = []
        taken: list[tuple[float, float, float]] = []
        for feature, name in self.named.items():
            name = _short(name)
            at, width = self._across(feature), _CHARACTER * len(name)
            x, left = (at - 0.015, at - 0.015 - width) if at > 0.6 else (at + 0.015, at + 0.015)
            y = min(self.probabilities[feature] / top, 0.97)
            while any(left < b and a < left + width and abs(y - c) < _LINE for a, b, c in taken):
                y -= _LINE / 4
            taken.append((left, left + width, y))
            places.append((x, y, name))
        return places


def plot_inclusion(
    machine: "SpikeSlabClassifier | SpikeSlabRegressor",
    *,
    which: int | None = None,
    n_named: int = 5,
    ax: "Axes | None" = None,
) -> "Axes":
    """Posterior inclusion probability of every feature, beside the prior probability.

    Credible sets of a machine with ``inference="single-effects"`` have a colour each.

    Parameters
    ----------
    machine : SpikeSlabClassifier or SpikeSlabRegressor
        A fitted machine.
    which : int or None, default=None
        Index of the class, with more than two classes; None: the largest probability over classes.
    n_named : int, default=5
        Number of features whose names are drawn, most probable first.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    return InclusionDisplay.from_estimator(machine, which=which, n_named=n_named, ax=ax).ax_


@dataclass(eq=False)
class ExpressionDisplay(Display):
    """Heat map of the most probable features in all samples.

    Parameters
    ----------
    shown : Expression
        Standardised values of features (rows) in samples (columns), indices of features, labels of samples.
    probabilities : ndarray of shape (n_shown,)
        Inclusion probabilities of these features.
    names : list of str
        Their names.
    """

    shown: Expression
    probabilities: np.ndarray
    names: list[str]

    @classmethod
    def from_estimator(
        cls,
        estimator: "SpikeSlabClassifier",
        X: ArrayLike,
        y: ArrayLike,
        *,
        top: int = 16,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the features that a fitted machine holds most probable.

        Parameters
        ----------
        estimator : SpikeSlabClassifier
            A fitted machine.
        X : array-like of shape (n_samples, n_features)
            Samples to draw.
        y : array-like of shape (n_samples,)
            Class labels of the samples.
        top : int, default=16
            Number of features, most probable first.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : ExpressionDisplay
        """
        shown = expression(estimator, X, y, top)
        rho = estimator.inclusion_probabilities_[shown.features]
        return cls(shown, rho, feature_names(estimator, shown.features)).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        colours: Any = {"cmap": "cividis", "vmin": -_SATURATED, "vmax": _SATURATED}
        image = ax.imshow(self.shown.values, aspect="auto", interpolation="nearest", **colours)
        rows = np.arange(len(self.names))
        ax.set_yticks(rows, [f"{p:.2f}" for p in self.probabilities])
        names = ax.secondary_yaxis("right")
        names.set_yticks(rows, [literal(name) for name in self.names])
        for side in (ax, names):
            side.tick_params(axis="y", labelsize="small", length=0)
        _mark_classes(ax, self.shown.labels)
        ax.set(ylabel="inclusion probability", title=f"The {len(rows)} most probable features")
        ax.figure.colorbar(image, ax=ax, label="standardised value", pad=0.02, extend="both")


def plot_expression(
    machine: "SpikeSlabClassifier", X: ArrayLike, y: ArrayLike, *, top: int = 16, ax: "Axes | None" = None
) -> "Axes":
    """Heat map of the most probable features in all samples.

    Samples are grouped by class, the most probable feature is on top; probabilities are on the left and names
    on the right.

    Parameters
    ----------
    machine : SpikeSlabClassifier
        A fitted machine.
    X : array-like of shape (n_samples, n_features)
        Samples to draw.
    y : array-like of shape (n_samples,)
        Class labels of the samples.
    top : int, default=16
        Number of features, most probable first.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    return ExpressionDisplay.from_estimator(machine, X, y, top=top, ax=ax).ax_


def _short(name: str) -> str:
    """A name that fits beside a plot; of a longer one both ends."""
    half = _MAX_NAME // 2
    return name if len(name) <= _MAX_NAME else f"{name[: half - 1]}…{name[-half:]}"


def _mark_classes(ax: Any, labels: np.ndarray) -> None:
    """Draw a white line between classes, and write their names below."""
    classes, starts, counts = np.unique(labels, return_index=True, return_counts=True)
    for start in np.sort(starts)[1:]:
        ax.axvline(start - 0.5, color="white", linewidth=2)
    ax.set_xticks(
        starts + (counts - 1) / 2,
        [f"{literal(name)} ({count})" for name, count in zip(classes, counts, strict=True)],
    )
    ax.tick_params(axis="x", length=0)
