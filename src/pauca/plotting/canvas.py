"""Axes to draw on, and the marks that all pictures share."""

from importlib import import_module

CIRCLE = {"s": 150, "facecolors": "none", "edgecolors": "black", "label": "relevance vectors"}


def new_axes(n_rows=1, n_columns=1):
    """Axes of a new figure of pyplot; an array of them if there are several."""
    try:
        pyplot = import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError('Pictures need matplotlib: pip install "pauca[plot]"') from error
    return pyplot.subplots(n_rows, n_columns, layout="constrained")[1]
