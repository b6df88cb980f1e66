"""Pictures of comparisons: critical-difference diagrams and box plots of ranks."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .canvas import new_axes

_INK, _BAR, _GREY = "#222222", "#b3402a", "#888888"
_STEP = 0.5


def plot_critical_difference(mean_ranks, critical_difference, *, ax=None, control=None, names=None):
    """Mean ranks on an axis; a bar joins methods that do not differ significantly.

    Parameters
    ----------
    mean_ranks : data frame or mapping of str to float
        What `pauca.evaluation.mean_ranks` gives, or mean ranks by method.
    critical_difference : float
        From `pauca.evaluation.critical_difference`.
    ax : matplotlib axes, optional
    control : str, optional
        Compare with this method only (Bonferroni-Dunn): one bar, as far as the critical difference reaches to
        both sides of it. By default all pairs are compared (Nemenyi), with a bar for each group.
    names : mapping of str to str, optional
        How methods are called in the picture.

    Returns
    -------
    matplotlib axes
        The best method is on the left, as in J. Demsar, JMLR 7, 2006.
    """
    if hasattr(mean_ranks, "columns"):
        mean_ranks = dict(zip(mean_ranks["method"], mean_ranks["mean_rank"], strict=True))
    ranks = dict(sorted(dict(mean_ranks).items(), key=lambda item: item[1]))
    if not np.isfinite(list(ranks.values())).all():
        raise ValueError("mean_ranks has gaps: leave out methods that were not measured on every dataset.")
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


def groups(ranks, critical_difference):
    """Ends of the longest runs of sorted mean ranks that lie within the critical difference."""
    found: list[tuple[float, float]] = []
    for start, low in enumerate(ranks):
        high = max(rank for rank in ranks[start:] if rank - low <= critical_difference)
        if high > low and (not found or high > found[-1][1]):
            found.append((low, high))
    return found


def plot_rank_boxes(rank_table, *, ax=None):
    """A box for each method over its ranks on the datasets, best mean rank on top.

    Parameters
    ----------
    rank_table : pandas.DataFrame
        From `pauca.evaluation.rank_table`.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
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


def _reach(rank, critical_difference, n_methods):
    """Ranks that do not differ significantly from this one."""
    return max(1.0, rank - critical_difference), min(float(n_methods), rank + critical_difference)


def _draw_scale(ax, n_methods, critical_difference):
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


def _draw_bars(ax, bars):
    """Bars below the axis, each on a level of its own; how deep they go."""
    for level, (low, high) in enumerate(bars, start=1):
        ax.plot([low, high], [level * _STEP] * 2, color=_BAR, linewidth=4, solid_capstyle="butt")
    return len(bars) * _STEP


def _draw_methods(ax, ranks: Mapping[str, float], names: Mapping[str, str], top):
    """A line from each rank down and out to its name: the better half to the left; how deep they go."""
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
