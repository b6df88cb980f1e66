"""Whether probabilities can be trusted: reliability diagrams and risk-coverage curves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_regressor

from ..evaluation.curves import COVERAGES, classification_curves, pooled_calibration, regression_curves
from ..validation import as_numbers, distinct
from .canvas import GREY, LEGEND, MARKERS, Display, literal
from .summaries import check_classifier, class_curves, known_labels, predicted_with

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Curve = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(eq=False)
class ReliabilityDisplay(Display):
    """Reliability diagram: observed frequency against predicted probability, a line for each method.

    Parameters
    ----------
    curves : dict of str to (predicted, observed, n_rows)
        For each method three arrays with an entry for each bin: predicted probability, observed frequency and
        number of rows. Fuller bins have larger marks.
    xlabel : str, default="predicted probability"
        Label of the horizontal axis.
    ylabel : str, default="observed frequency"
        Label of the vertical axis.

    Examples
    --------
    >>> from pauca.plotting import ReliabilityDisplay
    >>> display = ReliabilityDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.9])
    >>> predicted, observed, n_rows = display.curves["predictions"]
    >>> int(n_rows.sum())
    4
    """

    curves: dict[str, Curve]
    xlabel: str = "predicted probability"
    ylabel: str = "observed frequency"

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_prob: ArrayLike, *, name: str = "predictions", ax: "Axes | None" = None
    ) -> Self:
        """Draw the calibration of predicted probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_prob : array-like of shape (n_samples,) or (n_samples, n_classes)
            Probabilities of the second of two classes, or of all classes in the order of their sorted labels.
            With more than two classes, the probability of the predicted class counts.
        name : str, default="predictions"
            Label of the line.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : ReliabilityDisplay
        """
        curves = class_curves(y_true, y_prob)
        return cls({name: pooled_calibration([curves["calibration"]])}).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, name: str | None = None, ax: "Axes | None" = None
    ) -> Self:
        """Draw the calibration of a fitted estimator on held-out rows.

        Parameters
        ----------
        estimator : classifier with ``predict_proba``, or regressor whose ``predict`` takes ``return_std``
            A fitted estimator. Of a regressor the central intervals are drawn: nominal and observed coverage.
        X : array-like of shape (n_samples, n_features)
            Held-out rows.
        y : array-like of shape (n_samples,)
            Their targets.
        name : str, default=None
            Label of the line; by default the name of the class.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : ReliabilityDisplay
        """
        name = type(estimator).__name__ if name is None else name
        if not is_regressor(estimator):
            check_classifier(estimator)
            p = estimator.predict_proba(X)
            curves = classification_curves(known_labels(y, estimator.classes_), p, estimator.classes_)
            return cls({name: pooled_calibration([curves["calibration"]])}).plot(ax=ax)
        kinds = "a classifier, or a regressor with standard deviations"
        mean, std = predicted_with(estimator, X, "return_std", kinds, "estimator")
        curves = regression_curves(np.asarray(y), mean, std)
        labels = "nominal coverage of the interval", "observed coverage"
        return cls({name: pooled_calibration([curves["calibration"]])}, *labels).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label="calibrated")
        for place, (method, (predicted, observed, n_rows)) in enumerate(self.curves.items()):
            (line,) = ax.plot(predicted, observed, linewidth=1.3, label=literal(method))
            sizes = 12 + 60 * n_rows / n_rows.max()
            marker = MARKERS[place % len(MARKERS)]
            ax.scatter(predicted, observed, s=sizes, color=line.get_color(), marker=marker, zorder=3)
        ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xlabel=self.xlabel, ylabel=self.ylabel)
        ax.set_aspect("equal")
        ax.legend(loc="upper left", **LEGEND)


def plot_reliability(
    curves: "Mapping[str, Curve] | ArrayLike",
    y_prob: ArrayLike | None = None,
    *,
    name: str = "predictions",
    ax: "Axes | None" = None,
) -> "Axes":
    """Reliability diagram: observed frequency against predicted probability, a line for each method.

    Parameters
    ----------
    curves : array-like of shape (n_samples,), or mapping of str to (predicted, observed, n_rows)
        True labels, or for each method three arrays with an entry for each bin: predicted probability,
        observed frequency and number of rows, for example from `pauca.evaluation.pooled_calibration`.
    y_prob : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        With labels: probabilities of the second of two classes, or of all classes.
    name : str, default="predictions"
        With labels: the label of the line.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from pauca.plotting import plot_reliability
    >>> plot_reliability([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.9]).get_xlabel()
    'predicted probability'
    """
    if isinstance(curves, Mapping):
        for name, curve in curves.items():
            if np.ndim(curve) != 2 or len(curve) != 3 or not as_numbers("curves", curve).size:
                raise ValueError(
                    f"curves must hold three arrays of one length for each method; {name!r} not."
                )
        return ReliabilityDisplay(dict(curves)).plot(ax=ax).ax_
    distinct("curves", curves)
    if y_prob is None:
        raise ValueError("y_prob must be the predicted probabilities: plot_reliability(y, y_prob).")
    return ReliabilityDisplay.from_predictions(curves, y_prob, name=name, ax=ax).ax_


@dataclass(eq=False)
class RiskCoverageDisplay(Display):
    """Risk-coverage curves: error among the most confident predictions, a line for each method.

    Parameters
    ----------
    coverage : ndarray of shape (n,)
        Fractions of the rows.
    curves : dict of str to array-like of shape (n,)
        Error among each fraction of the rows, by method.
    labels : dict of str to str, default={}
        ``xlabel`` and ``ylabel`` of the axes, where they differ from those of classification.

    Examples
    --------
    >>> from pauca.plotting import RiskCoverageDisplay
    >>> display = RiskCoverageDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.2])
    >>> display.curves["predictions"][-1]
    0.25
    """

    coverage: np.ndarray
    curves: dict[str, Any]
    labels: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_prob: ArrayLike, *, name: str = "predictions", ax: "Axes | None" = None
    ) -> Self:
        """Draw the error among the rows whose predictions are most confident.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_prob : array-like of shape (n_samples,) or (n_samples, n_classes)
            Probabilities of the second of two classes, or of all classes in the order of their sorted labels.
        name : str, default="predictions"
            Label of the line.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : RiskCoverageDisplay
        """
        return cls(COVERAGES, {name: class_curves(y_true, y_prob)["risk_coverage"]}).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, name: str | None = None, ax: "Axes | None" = None
    ) -> Self:
        """Draw the error of a fitted classifier among its most confident predictions of held-out rows.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier with ``predict_proba``.
        X : array-like of shape (n_samples, n_features)
            Held-out rows.
        y : array-like of shape (n_samples,)
            Their labels.
        name : str, default=None
            Label of the line; by default the name of the class.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : RiskCoverageDisplay
        """
        name = type(estimator).__name__ if name is None else name
        check_classifier(estimator)
        p = estimator.predict_proba(X)
        curves = classification_curves(known_labels(y, estimator.classes_), p, estimator.classes_)
        return cls(COVERAGES, {name: curves["risk_coverage"]}).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        for place, (method, values) in enumerate(self.curves.items()):
            mark = {"marker": MARKERS[place % len(MARKERS)], "markersize": 4}
            ax.plot(
                np.asarray(self.coverage), np.asarray(values), linewidth=1.3, label=literal(method), **mark
            )
        labels = {"xlabel": "coverage (most confident rows first)", "ylabel": "error rate", **self.labels}
        ax.set(xlim=(0, 1.02), **labels)
        ax.set_ylim(bottom=0)
        ax.legend(loc="upper left", **LEGEND)


def plot_risk_coverage(
    coverage: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    ax: "Axes | None" = None,
    xlabel: str = "coverage (most confident rows first)",
    ylabel: str = "error rate",
) -> "Axes":
    """Risk-coverage curves: error among the most confident predictions, a line for each method.

    Parameters
    ----------
    coverage : array-like of shape (n,)
        Fractions of the rows, for example `pauca.evaluation.COVERAGES`.
    curves : mapping of str to array-like of shape (n,)
        Error among each fraction of the rows, by method.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.
    xlabel : str, default="coverage (most confident rows first)"
        Label of the horizontal axis.
    ylabel : str, default="error rate"
        Label of the vertical axis.

    Returns
    -------
    ax : matplotlib axes
    """
    labels, shares = {"xlabel": xlabel, "ylabel": ylabel}, as_numbers("coverage", coverage, 1)
    if not isinstance(curves, Mapping):
        raise TypeError(f"curves must hold errors by method; got {curves!r:.60}.")
    errors = {name: as_numbers("curves", values, 1) for name, values in curves.items()}
    if any(len(values) != len(shares) for values in errors.values()):
        raise ValueError(f"curves must have an error for each of the {len(shares)} entries of coverage.")
    return RiskCoverageDisplay(shares, errors, labels).plot(ax=ax).ax_
