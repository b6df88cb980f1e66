"""The pictures of ``pauca demo --plot`` and ``pauca rank --plot``."""

from typing import Any

from pauca.plotting import plot_expression, plot_inclusion, plot_surface

try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError('Pictures need matplotlib: pip install "pauca[plot]"') from error


def draw_surface(machine, X, y, path, truth):
    """Draw P(class 1) of a two-class machine, its training rows and its relevance vectors to a file."""
    figure = Figure(figsize=(7, 5), dpi=150, layout="constrained")
    axes: Any = plot_surface(machine, X, y, truth=truth, ax=figure.subplots())
    axes.set_title(f"Ripley's mixture: {axes.get_title()}")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, format="png")


def draw_expression(machine, X, y, path, top):
    """Draw the heat map of the best features to a file."""
    figure = Figure(figsize=(9, 2 + 0.25 * top), dpi=150, layout="constrained")
    plot_expression(machine, X, y, top=top, ax=figure.subplots())
    figure.savefig(path, format="png")


def draw_inclusion(machine, path):
    """Draw the probabilities of all features to a file."""
    figure = Figure(figsize=(9, 5), dpi=150, layout="constrained")
    plot_inclusion(machine, ax=figure.subplots())
    figure.savefig(path, format="png")
