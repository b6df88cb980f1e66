"""Comparisons of methods: ranks and their critical differences, calibration, risk-coverage curves."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .canvas import new_axes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_INK, _BAR, _GREY = "#222222", "#b3402a", "#888888"
# Distance between bars in a critical-difference diagram, in units of its vertical axis.
_STEP = 0.5
_MARKERS = "osD^vPX*<>"


def plot_critical_difference(
    mean_ranks: "pd.DataFrame | Mapping[str, float]",
    critical_difference: float,
    *,
    ax: "Axes | None" = None,
    control: str | None = None,
    names: Mapping[str, str] | None = None,
) -> "Axes":
    """Mean ranks on an axis; a bar joins methods that do not differ significantly.

    Parameters
    ----------
    mean_ranks : data frame or mapping of str to float
        What `pauca.evaluation.mean_ranks` gives, or mean ranks by method.
    critical_difference : float
        From `pauca.evaluation.critical_difference`.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.
    control : str, default=None
        Compare with this method only (Bonferroni-Dunn): one bar, as far as the critical difference reaches to
        both sides of it. By default all pairs are compared (Nemenyi), with a bar for each group.
    names : mapping of str to str, default=None
        Labels of methods; by default their names.

    Returns
    -------
    ax : matplotlib axes
        The best method is on the left, as in J. Demsar, JMLR 7, 2006.
    """
    ranks = _sorted_ranks(mean_ranks)
    if not np.isfinite(list(ranks.values())).all():
        raise ValueError(
            "mean_ranks has missing values: leave out methods that were not measured on every dataset."
        )
    if control is not None and control not in ranks:
        raise ValueError(f"control {control!r} is not a method; there are {', '.join(map(str, ranks))}.")
    if control is None:
        bars = groups(list(ranks.values()), critical_difference)
    else:
        bars = [_reach(ranks[control], critical_difference, len(ranks))]
    ax = new_axes() if ax is None else ax
    _draw_scale(ax, len(ranks), critical_difference)
    first_label = _draw_bars(ax, bars) + _STEP
    depth = _draw_methods(ax, ranks, names or {}, first_label)
    ax.set_ylim(depth + _STEP, -2.2)
    ax.axis("off")
    return ax


def _sorted_ranks(mean_ranks: Any) -> dict[str, float]:
    """Mean ranks by method, best first."""
    if hasattr(mean_ranks, "columns"):
        mean_ranks = dict(zip(mean_ranks["method"], mean_ranks["mean_rank"], strict=True))
    return dict(sorted(dict(mean_ranks).items(), key=lambda item: item[1]))


def groups(ranks: Sequence[float], critical_difference: float) -> list[tuple[float, float]]:
    """Ends of the longest runs of sorted mean ranks that lie within the critical difference."""
    found: list[tuple[float, float]] = []
    for start, low in enumerate(ranks):
        high = max(rank for rank in ranks[start:] if rank - low <= critical_difference)
        if high > low and (not found or high > found[-1][1]):
            found.append((low, high))
    return found


def plot_rank_boxes(rank_table: "pd.DataFrame", *, ax: "Axes | None" = None) -> "Axes":
    """Box plots of the ranks of each method over datasets, best mean rank on top.

    Parameters
    ----------
    rank_table : pandas.DataFrame
        Ranks of methods (columns) on datasets (rows), from `pauca.evaluation.rank_table`.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    order = rank_table.mean().sort_values(ascending=False).index
    ax = new_axes() if ax is None else ax
    ax.boxplot(
        [rank_table[method] for method in order],
        orientation="horizontal",
        tick_labels=list(order),
        showmeans=True,
        meanprops={"marker": "D", "markerfacecolor": _BAR, "markeredgecolor": _BAR, "markersize": 5},
        medianprops={"color": _INK},
        widths=0.6,
    )
    ax.set_xlim(0.5, rank_table.shape[1] + 0.5)
    ax.set_xticks(range(1, rank_table.shape[1] + 1))
    ax.set_xlabel(f"rank on {len(rank_table)} datasets (diamond: mean)")
    return ax


def plot_reliability(
    curves: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]], *, ax: "Axes | None" = None
) -> "Axes":
    """Reliability diagram: observed frequency against predicted probability, a line for each method.

    Parameters
    ----------
    curves : mapping of str to (predicted, observed, n_rows)
        For each method three arrays with an entry for each bin: predicted probability, observed frequency and
        number of rows, for example from `pauca.evaluation.pooled_calibration`. Fuller bins have larger marks.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    ax = new_axes() if ax is None else ax
    ax.plot([0, 1], [0, 1], color="#999999", linestyle="--", linewidth=1, label="calibrated")
    for place, (method, (predicted, observed, n_rows)) in enumerate(curves.items()):
        (line,) = ax.plot(predicted, observed, linewidth=1.3, label=method)
        sizes = 12 + 60 * n_rows / n_rows.max()
        marker = _MARKERS[place % len(_MARKERS)]
        ax.scatter(predicted, observed, s=sizes, color=line.get_color(), marker=marker, zorder=3)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    ax.set(xlabel="predicted probability", ylabel="observed frequency")
    ax.set_aspect("equal")
    return ax


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
    ax = new_axes() if ax is None else ax
    for place, (method, values) in enumerate(curves.items()):
        marker = _MARKERS[place % len(_MARKERS)]
        ax.plot(
            np.asarray(coverage), np.asarray(values), linewidth=1.3, marker=marker, markersize=4, label=method
        )
    ax.set(xlim=(0, 1.02), xlabel=xlabel, ylabel=ylabel)
    ax.set_ylim(bottom=0)
    return ax


def _reach(rank: float, critical_difference: float, n_methods: int) -> tuple[float, float]:
    """Ranks that do not differ significantly from this one."""
    return max(1.0, rank - critical_difference), min(float(n_methods), rank + critical_difference)


def _draw_scale(ax: "Axes", n_methods: int, critical_difference: float) -> None:
    """The axis of ranks, and above it a bar of the critical difference."""
    margin = 0.06 * (n_methods - 1)
    ax.set_xlim(1 - margin, n_methods + margin)
    ax.plot([1, n_methods], [0, 0], color=_INK, linewidth=1)
    for rank in range(1, n_methods + 1):
        ax.plot([rank, rank], [-0.18, 0], color=_INK, linewidth=1)
        ax.text(rank, -0.3, str(rank), ha="center", va="bottom", color=_INK)
    end = 1 + min(critical_difference, n_methods - 1)
    ax.plot([1, end], [-1.35, -1.35], color=_GREY, linewidth=1.5)
    for x in (1, end):
        ax.plot([x, x], [-1.47, -1.23], color=_GREY, linewidth=1.5)
    ax.text((1 + end) / 2, -1.5, f"CD = {critical_difference:.2f}", ha="center", va="bottom", color=_INK)


def _draw_bars(ax: "Axes", bars: Sequence[tuple[float, float]]) -> float:
    """Draw bars below the axis, each on a level of its own; the depth of the lowest."""
    for level, (low, high) in enumerate(bars, start=1):
        ax.plot([low, high], [level * _STEP] * 2, color=_BAR, linewidth=4, solid_capstyle="butt")
    return len(bars) * _STEP


def _draw_methods(ax: "Axes", ranks: Mapping[str, float], names: Mapping[str, str], top: float) -> float:
    """Draw a line from each rank to its name, the better half on the left; the depth of the lowest."""
    left, right = ax.get_xlim()
    n_left = (len(ranks) + 1) // 2
    depth = top
    for place, (method, rank) in enumerate(ranks.items()):
        on_left = place < n_left
        level = top + _STEP * (place if on_left else len(ranks) - 1 - place) * 1.5
        end: Any = left if on_left else right
        ax.plot([rank, rank, end], [0, level, level], color=_INK, linewidth=0.9)
        ax.annotate(
            f"{names.get(method, method)} ({rank:.2f})",
            (end, level),
            xytext=(-4 if on_left else 4, 0),
            textcoords="offset points",
            ha="right" if on_left else "left",
            va="center",
            color=_INK,
            annotation_clip=False,
        )
        depth = max(depth, level)
    return depth
