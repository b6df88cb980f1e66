"""Axes to draw on, and the marks that several plots share."""

from importlib import import_module
from typing import Any

# Message of the error where matplotlib is not installed.
MATPLOTLIB_MISSING = 'Plots need matplotlib: pip install "pauca[plot]"'
# Ring around a vector that a machine keeps.
RING: dict[str, Any] = {"s": 150, "facecolors": "none", "edgecolors": "black", "label": "relevance vectors"}


def new_axes(n_rows: int = 1, n_columns: int = 1) -> Any:
    """Axes of a new figure of pyplot; an array of them if there are several."""
    try:
        pyplot = import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError(MATPLOTLIB_MISSING) from error
    return pyplot.subplots(n_rows, n_columns, layout="constrained")[1]
