"""PNG files of ``pauca demo --plot`` and ``pauca rank --plot``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pauca.atomic_file import replacing
from pauca.plotting import plot_expression, plot_inclusion, plot_surface
from pauca.plotting.canvas import MATPLOTLIB_MISSING

try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError(MATPLOTLIB_MISSING) from error

_DPI = 150


def draw_surface(
    machine: Any,
    X: np.ndarray,
    y: np.ndarray,
    path: Path,
    *,
    title: str,
    truth: Callable[[np.ndarray], np.ndarray],
) -> None:
    """Draw P(class 1) of a two-class machine over the plane, its training rows and its relevance vectors."""
    figure = Figure(figsize=(7, 5), dpi=_DPI, layout="constrained")
    axes: Any = plot_surface(machine, X, y, truth=truth, ax=figure.subplots())
    axes.set_title(f"{title}: {axes.get_title()}")
    _save(figure, path)


def draw_expression(machine: Any, X: Any, y: np.ndarray, path: Path, top: int) -> None:
    """Draw the heat map of the most probable features."""
    figure = Figure(figsize=(9, 2 + 0.25 * top), dpi=_DPI, layout="constrained")
    plot_expression(machine, X, y, top=top, ax=figure.subplots())
    _save(figure, path)


def draw_inclusion(machine: Any, path: Path) -> None:
    """Draw the inclusion probabilities of all features."""
    figure = Figure(figsize=(9, 5), dpi=_DPI, layout="constrained")
    plot_inclusion(machine, ax=figure.subplots())
    _save(figure, path)


def _save(figure: Figure, path: Path) -> None:
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png")
