"""The picture of ``laconic demo --plot``: probabilities in the plane, and the few rows that carry them."""

from typing import Any

import numpy as np

try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError('Pictures need matplotlib: pip install "laconic[plot]"') from error

_COLOURS = "#2166ac", "#b2182b"


def draw_surface(machine, X, y, path, truth):
    """Draw P(class 1) of a two-class machine, its training rows and its relevance vectors."""
    figure = Figure(figsize=(7, 5), dpi=150, layout="constrained")
    axes: Any = figure.subplots()
    grid, points = _plane(X)
    surface = machine.predict_proba(points)[:, 1].reshape(grid[0].shape)
    best = truth(points).reshape(grid[0].shape)
    filled = axes.contourf(*grid, surface, levels=np.linspace(0, 1, 21), cmap="RdBu_r", alpha=0.55)
    axes.contour(*grid, surface, levels=[0.5], colors="black")
    axes.contour(*grid, best, levels=[0.5], colors="black", linestyles="dashed")
    for label, marker, colour in zip(machine.classes_, "os", _COLOURS, strict=True):
        axes.scatter(
            X[y == label, 0], X[y == label, 1], s=14, marker=marker, color=colour, label=f"class {label}"
        )
    kept = machine.relevance_vectors_
    circles = {"s": 150, "facecolors": "none", "edgecolors": "black", "label": "relevance vectors"}
    axes.scatter(kept[:, 0], kept[:, 1], **circles)
    axes.plot([], [], color="black", label="decision boundary")
    axes.plot([], [], color="black", linestyle="dashed", label="best possible boundary")
    axes.set(xlabel="$x_1$", ylabel="$x_2$", title=f"Ripley's mixture: {len(kept)} of {len(X)} rows are kept")
    figure.colorbar(filled, ax=axes, label="P(class 1)", ticks=np.linspace(0, 1, 6))
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, format="png")


def _plane(X, n=200, margin=0.15):
    """A grid over the data: the two coordinate matrices, and the points as rows."""
    low, high = X.min(axis=0), X.max(axis=0)
    pad = margin * (high - low)
    grid = np.meshgrid(*np.linspace(low - pad, high + pad, n).T)
    return grid, np.column_stack([grid[0].ravel(), grid[1].ravel()])
