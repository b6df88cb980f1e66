"""Ensembles: error against the number of members, and its decomposition."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..validation import as_numbers
from .canvas import GREY, INK, LEGEND, Display, PanelDisplay, literal
from .summaries import part_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..ensembles import Decomposition

_PANELS = {
    "mse": "mean squared error",
    "squared_bias": "squared bias",
    "variance": "variance",
    "covariance": "covariance",
}


@dataclass(eq=False)
class ErrorCurvesDisplay(Display):
    """Error against the number of members, a line for each order of the members.

    Parameters
    ----------
    curves : dict of str to ndarray of shape (n_members,)
        Errors of the first 1, 2, ... members.
    kept : dict of str to int, default={}
        Number of members that a pruned ensemble keeps, by the name of its curve.
    levels : dict of str to float, default={}
        Errors that have no number of members: horizontal lines.
    points : dict of str to (int, float), default={}
        Single pairs of number of members and error: crosses.

    Examples
    --------
    >>> from pauca.plotting import ErrorCurvesDisplay
    >>> display = ErrorCurvesDisplay({"bagging": [3.0, 2.0, 1.5]}, kept={"bagging": 2}).plot()
    >>> display.ax_.get_xlabel()
    'members'
    """

    curves: dict[str, Any]
    kept: dict[str, int] = field(default_factory=dict)
    levels: dict[str, float] = field(default_factory=dict)
    points: dict[str, tuple[int, float]] = field(default_factory=dict)

    @classmethod
    def from_estimator(cls, estimator: Any, *, name: str | None = None, ax: "Axes | None" = None) -> Self:
        """Draw the errors of a pruned ensemble, with a mark at the members that are kept.

        Parameters
        ----------
        estimator : PrunedEnsembleClassifier or PrunedEnsembleRegressor
            A fitted ensemble whose method orders the members.
        name : str, default=None
            Label of the line; by default the method.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : ErrorCurvesDisplay
        """
        if getattr(estimator, "error_curve_", None) is None:
            raise ValueError(
                'the ensemble has no error curve: prune it with a method that orders members, as "ordered".'
            )
        name = str(getattr(estimator, "method", type(estimator).__name__)) if name is None else name
        return cls({name: np.asarray(estimator.error_curve_)}, {name: len(estimator.selected_)}).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        for name, errors in self.curves.items():
            (line,) = ax.plot(np.arange(1, len(errors) + 1), errors, label=literal(name))
            if name in self.kept:
                kept = self.kept[name]
                ax.plot(kept, errors[kept - 1], "o", color=line.get_color(), label=f"{kept} kept")
        for name, level in self.levels.items():
            ax.axhline(level, color=GREY, linestyle="dashed", label=literal(name))
        for name, (size, error) in self.points.items():
            ax.plot(size, error, "x", color=INK, markersize=9, label=literal(name))
        ax.set(xlabel="members", ylabel="error")
        ax.legend(**LEGEND)


def plot_error_curves(
    curves: Any,
    *,
    levels: Mapping[str, float] | None = None,
    points: Mapping[str, tuple[int, float]] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Error against the number of members, a line for each order of the members.

    Parameters
    ----------
    curves : fitted pruned ensemble, or mapping of str to such ensembles or array-likes of shape (n_members,)
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
    if not isinstance(curves, Mapping):
        curves = {str(getattr(curves, "method", "members")): curves}
    errors = {
        name: as_numbers("curves", getattr(curve, "error_curve_", curve), 1) for name, curve in curves.items()
    }
    kept = {name: len(curve.selected_) for name, curve in curves.items() if hasattr(curve, "selected_")}
    return ErrorCurvesDisplay(errors, kept, dict(levels or {}), dict(points or {})).plot(ax=ax).ax_


@dataclass(eq=False)
class DecompositionDisplay(PanelDisplay):
    """Mean squared error, squared bias, variance and covariance against the number of members.

    Parameters
    ----------
    parts : dict of str to Decomposition
        From `pauca.ensembles.bias_variance_covariance`, a line for each.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca.ensembles import bias_variance_covariance
    >>> from pauca.plotting import DecompositionDisplay
    >>> outputs = np.random.default_rng(0).normal(size=(9, 5, 7))
    >>> display = DecompositionDisplay({"noise": bias_variance_covariance(outputs, np.zeros(7))}).plot()
    >>> display.axes_.shape
    (2, 2)
    """

    parts: "dict[str, Decomposition]"

    def _draw(self, axes: list[Any]) -> None:
        for ax, (attribute, title) in zip(axes, _PANELS.items(), strict=True):
            for name, decomposition in self.parts.items():
                ax.plot(decomposition.size, getattr(decomposition, attribute), label=literal(name))
            ax.set(xlabel="members", title=title)
        axes[0].legend(**LEGEND)


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
    if not isinstance(parts, Mapping):
        raise TypeError(f"parts must be a mapping of names to Decomposition; got {parts!r:.60}.")
    for each in parts.values():
        part_of(each, "squared_bias", "a result of bias_variance_covariance", "parts")
    return DecompositionDisplay(dict(parts)).plot(axes=axes).axes_
