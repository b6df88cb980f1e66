"""Predicted probabilities over the plane of two features, with the labels that may be wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .canvas import INK, LEGEND, MARKERS, PALETTE, RING, Display, literal
from .summaries import axis_names, check_classifier, known_labels, like, part_of, places_above, plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..machines import BayesMachineClassifier, SparseBayesMachineClassifier
# Share of the background's colour that is left, so that rows stand out. Set by hand.
_STRENGTH = 0.45
# Colours of two classes, ends of the map of probabilities.
_TWO = ["#2166ac", "#b2182b"]


@dataclass(eq=False)
class SurfaceDisplay(Display):
    """Predicted probabilities over two features, the decision boundary, rows and relevance vectors.

    With two classes the colour is the probability of the second; with more, classes have colours that mix.

    Parameters
    ----------
    grid : list of two ndarrays of shape (n, n)
        Coordinates of the points.
    surface : ndarray of shape (n, n, n_classes)
        Predicted probabilities.
    rows : ndarray of shape (n_samples, 2)
        Training rows.
    codes : ndarray of shape (n_samples,)
        Index of the class of each row.
    classes : list of str
        Names of the classes.
    names : list of str
        Labels of the axes.
    kept : ndarray of shape (n_vectors, 2)
        Relevance vectors.
    truth : ndarray of shape (n, n), default=None
        True probabilities of the second class.

    Examples
    --------
    >>> from pauca import SparseGPClassifier
    >>> from pauca.datasets import make_ripley
    >>> from pauca.plotting import SurfaceDisplay
    >>> X, y = make_ripley(80, random_state=0)
    >>> SurfaceDisplay.from_estimator(SparseGPClassifier().fit(X, y), X, y).surface.shape
    (200, 200, 2)
    """

    grid: Any
    surface: np.ndarray
    rows: np.ndarray
    codes: np.ndarray
    classes: list[str]
    names: list[str]
    kept: np.ndarray
    truth: np.ndarray | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        truth: Callable[[np.ndarray], np.ndarray] | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw a fitted classifier of two features.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier with ``predict_proba``; vectors that it keeps are circled.
        X : array-like of shape (n_samples, 2)
            Training data; the columns of a data frame name the axes.
        y : array-like of shape (n_samples,)
            Labels.
        truth : callable, default=None
            True probabilities of rows, for the Bayes-optimal boundary of two classes.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : SurfaceDisplay
        """
        return _computed(cls, estimator, X, y, truth).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        _draw_background(self, ax)
        if len(self.kept):
            ax.scatter(self.kept[:, 0], self.kept[:, 1], **RING)
            ax.set_title(f"{len(self.kept)} of {len(self.rows)} rows are kept")
        ax.legend(**LEGEND)


@dataclass(eq=False)
class SuspectsDisplay(SurfaceDisplay):
    """Predicted probabilities over two features, with suspicious labels marked.

    Parameters
    ----------
    grid : list of two ndarrays of shape (n, n)
        Coordinates of the points.
    surface : ndarray of shape (n, n, n_classes)
        Predicted probabilities.
    rows : ndarray of shape (n_samples, 2)
        Training rows.
    codes : ndarray of shape (n_samples,)
        Index of the class of each row.
    classes : list of str
        Names of the classes.
    names : list of str
        Labels of the axes.
    kept : ndarray of shape (n_vectors, 2)
        Relevance vectors, which are not drawn here.
    truth : ndarray of shape (n, n), default=None
        True probabilities of the second class.
    suspects : ndarray of shape (n_suspects,), default=()
        Indices of the rows whose labels are suspicious.
    noise : float, default=0.0
        Estimated fraction of wrong labels.
    """

    suspects: Any = ()
    noise: float = 0.0

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        threshold: float = 0.5,
        truth: Callable[[np.ndarray], np.ndarray] | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw a fitted machine of two features.

        Parameters
        ----------
        estimator : BayesMachineClassifier or SparseBayesMachineClassifier
            A fitted machine.
        X : array-like of shape (n_samples, 2)
            Training data.
        y : array-like of shape (n_samples,)
            Labels.
        threshold : float, default=0.5
            Rows are marked whose label is wrong with at least this probability.
        truth : callable, default=None
            True probabilities of rows, for the Bayes-optimal boundary of two classes.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : SuspectsDisplay
        """
        flips = part_of(estimator, "flip_probability_", "a fitted BayesMachineClassifier or its sparse kind")
        display = _computed(cls, estimator, X, y, truth)
        display.suspects = places_above(flips, threshold, X)
        display.noise = float(estimator.noise_)
        return display.plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        _draw_background(self, ax)
        rows = self.rows[self.suspects]
        marks: Any = {"s": 120, "marker": "X", "facecolors": "none", "edgecolors": INK, "linewidths": 1.2}
        ax.scatter(rows[:, 0], rows[:, 1], label="suspicious labels", **marks)
        ax.set_title(
            f"{len(rows)} of {len(self.rows)} labels are suspicious; label noise {100 * self.noise:.1f} %"
        )
        ax.legend(**LEGEND)


def plot_surface(
    machine: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    truth: Callable[[np.ndarray], np.ndarray] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Predicted probabilities over two features, the decision boundary, rows and relevance vectors.

    Parameters
    ----------
    machine : classifier
        A fitted classifier with ``predict_proba``; vectors that it keeps are circled.
    X : array-like of shape (n_samples, 2)
        Training data; the columns of a data frame name the axes.
    y : array-like of shape (n_samples,)
        Labels.
    truth : callable, default=None
        True probabilities of rows, for the Bayes-optimal boundary of two classes.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    return SurfaceDisplay.from_estimator(machine, X, y, truth=truth, ax=ax).ax_


def plot_suspects(
    machine: "BayesMachineClassifier | SparseBayesMachineClassifier",
    X: ArrayLike,
    y: ArrayLike,
    *,
    threshold: float = 0.5,
    truth: Callable[[np.ndarray], np.ndarray] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Predicted probabilities over two features, with suspicious labels marked.

    Parameters
    ----------
    machine : BayesMachineClassifier or SparseBayesMachineClassifier
        A fitted machine.
    X : array-like of shape (n_samples, 2)
        Training data.
    y : array-like of shape (n_samples,)
        Labels.
    threshold : float, default=0.5
        Rows are marked whose label is wrong with at least this probability.
    truth : callable, default=None
        True probabilities of rows, for the Bayes-optimal boundary of two classes.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    return SuspectsDisplay.from_estimator(machine, X, y, threshold=threshold, truth=truth, ax=ax).ax_


def _computed(kind: Any, machine: Any, X: Any, y: ArrayLike, truth: Any) -> Any:
    """A display of the predictions of a machine."""
    check_classifier(machine)
    grid, points = plane(X)
    labels, n = known_labels(y, machine.classes_, len(np.asarray(X))), len(grid[0])
    surface = machine.predict_proba(like(machine, X, points)).reshape(n, n, -1)
    kept = getattr(machine, "relevance_vectors_", None)
    kept = kept if kept is not None and np.shape(kept)[1] == 2 else np.empty((0, 2))
    if truth is not None and len(machine.classes_) != 2:
        raise ValueError(f"truth is drawn for two classes only; the machine has {len(machine.classes_)}.")
    known = None if truth is None else np.asarray(truth(points)).reshape(n, n)
    codes, names = np.searchsorted(machine.classes_, labels), [str(name) for name in machine.classes_]
    rows = np.asarray(X, dtype=float)
    return kind(grid, surface, rows, codes, names, axis_names(X), kept, known)


def _draw_background(shown: SurfaceDisplay, ax: Any) -> None:
    """Draw the predicted probabilities, the decision boundary and the rows."""
    two = len(shown.classes) == 2
    colours = _TWO if two else [PALETTE[k % len(PALETTE)] for k in range(len(shown.classes))]
    _draw_two(shown, ax) if two else _draw_many(shown, ax, colours)
    ax.plot([], [], color=INK, label="decision boundary")
    for code, (name, colour) in enumerate(zip(shown.classes, colours, strict=True)):
        rows, marker = shown.rows[shown.codes == code], MARKERS[code % len(MARKERS)]
        ax.scatter(rows[:, 0], rows[:, 1], s=14, marker=marker, color=colour, label=f"class {literal(name)}")
    ax.set(xlabel=literal(shown.names[0]), ylabel=literal(shown.names[1]))


def _draw_two(shown: SurfaceDisplay, ax: Any) -> None:
    """Colour the probability of the second class."""
    surface = shown.surface[:, :, 1]
    filled = ax.contourf(*shown.grid, surface, levels=np.linspace(0, 1, 21), cmap="RdBu_r", alpha=0.55)
    ax.contour(*shown.grid, surface, levels=[0.5], colors=INK)
    if shown.truth is not None:
        ax.contour(*shown.grid, shown.truth, levels=[0.5], colors=INK, linestyles="dashed")
        ax.plot([], [], color=INK, linestyle="dashed", label="Bayes-optimal boundary")
    title, ticks = f"P(class {literal(shown.classes[1])})", np.linspace(0, 1, 6)
    ax.figure.colorbar(filled, ax=ax, label=title, ticks=ticks)


def _draw_many(shown: SurfaceDisplay, ax: Any, colours: list[str]) -> None:
    """Mix the colours of the classes by their probabilities."""
    channels = np.array([[int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)] for colour in colours])
    image = 1 - _STRENGTH * (1 - shown.surface @ channels)
    ends = [end(coordinate) for coordinate in shown.grid for end in (np.min, np.max)]
    ax.imshow(np.clip(image, 0, 1), extent=ends, origin="lower", aspect="auto", interpolation="bilinear")
    first = shown.surface.argmax(axis=2)
    for code in np.unique(first):
        ax.contour(*shown.grid, first == code, levels=[0.5], colors=INK, linewidths=1)
