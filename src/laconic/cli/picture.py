"""The picture of ``laconic demo --plot``."""

from typing import Any

from laconic.plotting import plot_surface

try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError('Pictures need matplotlib: pip install "laconic[plot]"') from error


def draw_surface(machine, X, y, path, truth):
    """Draw P(class 1) of a two-class machine, its training rows and its relevance vectors to a file."""
    figure = Figure(figsize=(7, 5), dpi=150, layout="constrained")
    axes: Any = plot_surface(machine, X, y, truth=truth, ax=figure.subplots())
    axes.set_title(f"Ripley's mixture: {axes.get_title()}")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, format="png")
