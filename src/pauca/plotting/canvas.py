"""Axes to draw on, and the marks that several plots share."""

from importlib import import_module
from typing import Any

# Ring around a vector that a machine keeps.
RING: dict[str, Any] = {"s": 150, "facecolors": "none", "edgecolors": "black", "label": "relevance vectors"}


def new_axes(n_rows: int = 1, n_columns: int = 1) -> Any:
    """Axes of a new figure of pyplot; an array of them if there are several."""
    try:
        pyplot = import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError('Plots need matplotlib: pip install "pauca[plot]"') from error
    return pyplot.subplots(n_rows, n_columns, layout="constrained")[1]
