"""Axes to draw on, the style that all plots share, and the base of the displays."""

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Message of the error where matplotlib is not installed.
MATPLOTLIB_MISSING = 'Plots need matplotlib: pip install "pauca[plot]"'
# Colours that people with any kind of colour vision tell apart (Okabe & Ito, Color Universal Design, 2008).
BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#E69F00",
    "#CC79A7",
    "#56B4E9",
)
PALETTE = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY)
INK, GREY = "#222222", "#777777"
# Lines and marks differ in shape as well, for prints without colours.
MARKERS = "osD^vPX*<>"
# Ring around a vector that a machine keeps.
RING: dict[str, Any] = {"s": 120, "facecolors": "none", "edgecolors": INK, "label": "relevance vectors"}
# Frame of a legend that may lie on data.
LEGEND: dict[str, Any] = {"fontsize": "small", "framealpha": 0.85}


class Display:
    """What a plot shows, computed once; ``plot`` draws it, as often as wanted.

    Attributes
    ----------
    ax_ : matplotlib axes
        Where it was drawn last.
    figure_ : matplotlib figure
        The figure of these axes.
    """

    ax_: Any
    figure_: Any

    def plot(self, *, ax: "Axes | None" = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : object
            The display itself.
        """
        drawn: Any = new_axes() if ax is None else ax
        style([drawn])
        self._draw(drawn)
        self.ax_, self.figure_ = drawn, drawn.figure
        return self

    def _draw(self, ax: Any) -> None:
        raise NotImplementedError


class PanelDisplay:
    """What a plot of several panels shows; ``plot`` draws it, as often as wanted.

    Attributes
    ----------
    axes_ : ndarray of matplotlib axes
        Where it was drawn last.
    figure_ : matplotlib figure
        The figure of these axes.
    """

    axes_: np.ndarray
    figure_: Any
    _shape = (2, 2)

    def plot(self, *, axes: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        axes : array of matplotlib axes, default=None
            Where to draw, one for each panel; by default on new axes.

        Returns
        -------
        display : object
            The display itself.
        """
        n_panels = self._shape[0] * self._shape[1]
        panels = np.asarray(new_axes(*self._shape) if axes is None else axes)
        if panels.size != n_panels:
            raise ValueError(f"axes must be {n_panels} axes; got {panels.size}.")
        style(panels.flat)
        self._draw(list(panels.flat))
        self.axes_, self.figure_ = panels, panels.flat[0].figure
        return self

    def _draw(self, axes: list[Any]) -> None:
        raise NotImplementedError


def new_axes(n_rows: int = 1, n_columns: int = 1) -> Any:
    """Axes of a new figure of pyplot; an array of them if there are several."""
    try:
        pyplot = import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError(MATPLOTLIB_MISSING) from error
    return pyplot.subplots(n_rows, n_columns, layout="constrained")[1]


def literal(text: object) -> str:
    """Text such as the name of a column, so that matplotlib shows it as it is: no dollar is a formula."""
    return str(text).replace("$", r"\$")


def style(axes: Iterable[Any]) -> None:
    """Give axes the colours of the palette and no lines on top and on the right."""
    for ax in axes:
        ax.set_prop_cycle(color=PALETTE)
        ax.spines[["top", "right"]].set_visible(False)
