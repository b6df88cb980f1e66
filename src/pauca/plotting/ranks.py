"""Ranks of methods over datasets: critical-difference diagrams and box plots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..validation import check_number
from .canvas import GREY, INK, VERMILION, Display, literal

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Distance between bars in a critical-difference diagram, in units of its vertical axis.
_STEP = 0.5


@dataclass(eq=False)
class CriticalDifferenceDisplay(Display):
    """Mean ranks on an axis; a bar joins methods that do not differ significantly.

    The best method is on the left, as in J. Demsar, JMLR 7, 2006.

    Parameters
    ----------
    ranks : dict of str to float
        Mean ranks by method, best first.
    critical_difference : float
        Smallest difference of mean ranks that is significant.
    bars : list of (float, float)
        Ends of the bars.

    Examples
    --------
    >>> from pauca.plotting import CriticalDifferenceDisplay
    >>> display = CriticalDifferenceDisplay.from_ranks({"a": 1.2, "b": 1.9, "c": 2.9}, 0.9)
    >>> display.bars
    [(1.2, 1.9)]
    """

    ranks: dict[str, float]
    critical_difference: float
    bars: list[tuple[float, float]]

    @classmethod
    def from_ranks(
        cls,
        mean_ranks: "pd.DataFrame | Mapping[str, float]",
        critical_difference: float,
        *,
        control: str | None = None,
        names: Mapping[str, str] | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw mean ranks.

        Parameters
        ----------
        mean_ranks : data frame or mapping of str to float
            Values of `pauca.evaluation.mean_ranks`, or mean ranks by method.
        critical_difference : float
            From `pauca.evaluation.critical_difference`.
        control : str, default=None
            Compare with this method only (Bonferroni-Dunn): one bar, as far as the critical difference
            reaches to both sides of it. By default all pairs are compared (Nemenyi), with a bar for each
            group.
        names : mapping of str to str, default=None
            Labels of methods; by default their names.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : CriticalDifferenceDisplay
        """
        ranks = _sorted_ranks(mean_ranks)
        check_number("critical_difference", critical_difference, 0)
        if control is not None and control not in ranks:
            raise ValueError(f"control {control!r} is not a method; there are {', '.join(map(str, ranks))}.")
        if control is None:
            bars = groups(list(ranks.values()), critical_difference)
        else:
            bars = [_reach(ranks[control], critical_difference, len(ranks))]
        labels = names or {}
        named = {literal(labels.get(method, method)): rank for method, rank in ranks.items()}
        return cls(named, critical_difference, bars).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        _draw_scale(ax, len(self.ranks), self.critical_difference)
        depth = _draw_methods(ax, self.ranks, _draw_bars(ax, self.bars) + _STEP)
        ax.set_ylim(depth + _STEP, -2.2)
        ax.axis("off")


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
        Values of `pauca.evaluation.mean_ranks`, or mean ranks by method.
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
    display = CriticalDifferenceDisplay.from_ranks
    return display(mean_ranks, critical_difference, control=control, names=names, ax=ax).ax_


@dataclass(eq=False)
class RankBoxesDisplay(Display):
    """Box plots of the ranks of each method over datasets, best mean rank on top.

    Parameters
    ----------
    rank_table : pandas.DataFrame
        Ranks of methods (columns) on datasets (rows), from `pauca.evaluation.rank_table`.

    Examples
    --------
    >>> import pandas as pd
    >>> from pauca.plotting import RankBoxesDisplay
    >>> display = RankBoxesDisplay(pd.DataFrame({"a": [1, 2, 1], "b": [2, 1, 2]})).plot()
    >>> display.ax_.get_xlabel()
    'rank on 3 datasets (diamond: mean)'
    """

    rank_table: "pd.DataFrame"

    def _draw(self, ax: Any) -> None:
        if not hasattr(self.rank_table, "columns") or self.rank_table.empty:
            raise TypeError("rank_table must be a data frame of pauca.evaluation.rank_table.")
        order = self.rank_table.mean().sort_values(ascending=False).index
        mark = {"marker": "D", "markerfacecolor": VERMILION, "markeredgecolor": VERMILION, "markersize": 5}
        ax.boxplot(
            [self.rank_table[method] for method in order],
            orientation="horizontal",
            tick_labels=[literal(name) for name in order],
            showmeans=True,
            meanprops=mark,
            medianprops={"color": INK},
            widths=0.6,
        )
        n_methods = self.rank_table.shape[1]
        ax.set_xlim(0.5, n_methods + 0.5)
        ax.set_xticks(range(1, n_methods + 1))
        ax.set_xlabel(f"rank on {len(self.rank_table)} datasets (diamond: mean)")


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
    return RankBoxesDisplay(rank_table).plot(ax=ax).ax_


def _sorted_ranks(mean_ranks: Any) -> dict[str, float]:
    """Mean ranks by method, best first."""
    if hasattr(mean_ranks, "columns"):
        mean_ranks = dict(zip(mean_ranks["method"], mean_ranks["mean_rank"], strict=True))
    elif not (isinstance(mean_ranks, Mapping) or hasattr(mean_ranks, "to_dict")) or not len(mean_ranks):
        raise TypeError(f"mean_ranks must be a data frame, or ranks by method; got {mean_ranks!r:.60}.")
    mean_ranks = dict(mean_ranks)
    try:
        gaps = not np.isfinite(list(mean_ranks.values())).all()
    except TypeError as error:
        raise TypeError("mean_ranks must hold numbers only.") from error
    if gaps:
        raise ValueError(
            "mean_ranks has missing values: leave out methods that were not measured on every dataset."
        )
    return dict(sorted(mean_ranks.items(), key=lambda item: item[1]))


def groups(ranks: Sequence[float], critical_difference: float) -> list[tuple[float, float]]:
    """Ends of the longest runs of sorted mean ranks that lie within the critical difference."""
    found: list[tuple[float, float]] = []
    for start, low in enumerate(ranks):
        high = max(rank for rank in ranks[start:] if rank - low <= critical_difference)
        if high > low and (not found or high > found[-1][1]):
            found.append((low, high))
    return found


def _reach(rank: float, critical_difference: float, n_methods: int) -> tuple[float, float]:
    """Ranks that do not differ significantly from this one."""
    return max(1.0, rank - critical_difference), min(float(n_methods), rank + critical_difference)


def _draw_scale(ax: Any, n_methods: int, critical_difference: float) -> None:
    """The axis of ranks, and above it a bar of the critical difference."""
    margin = 0.06 * (n_methods - 1)
    ax.set_xlim(1 - margin, n_methods + margin)
    ax.plot([1, n_methods], [0, 0], color=INK, linewidth=1)
    for rank in range(1, n_methods + 1):
        ax.plot([rank, rank], [-0.18, 0], color=INK, linewidth=1)
        ax.text(rank, -0.3, str(rank), ha="center", va="bottom", color=INK)
    end = 1 + min(critical_difference, n_methods - 1)
    ax.plot([1, end], [-1.35, -1.35], color=GREY, linewidth=1.5)
    for x in (1, end):
        ax.plot([x, x], [-1.47, -1.23], color=GREY, linewidth=1.5)
    ax.text((1 + end) / 2, -1.5, f"CD = {critical_difference:.2f}", ha="center", va="bottom", color=INK)


def _draw_bars(ax: Any, bars: Sequence[tuple[float, float]]) -> float:
    """Draw bars below the axis, each on a level of its own; the depth of the lowest."""
    for level, (low, high) in enumerate(bars, start=1):
        ax.plot([low, high], [level * _STEP] * 2, color=VERMILION, linewidth=4, solid_capstyle="butt")
    return len(bars) * _STEP


def _draw_methods(ax: Any, ranks: Mapping[str, float], top: float) -> float:
    """Draw a line from each rank to its name, the better half on the left; the depth of the lowest."""
    left, right = ax.get_xlim()
    n_left = (len(ranks) + 1) // 2
    depth = top
    for place, (method, rank) in enumerate(ranks.items()):
        on_left = place < n_left
        level = top + _STEP * (place if on_left else len(ranks) - 1 - place) * 1.5
        end: Any = left if on_left else right
        ax.plot([rank, rank, end], [0, level, level], color=INK, linewidth=0.9)
        ax.annotate(
            f"{method} ({rank:.2f})",
            (end, level),
            xytext=(-4 if on_left else 4, 0),
            textcoords="offset points",
            ha="right" if on_left else "left",
            va="center",
            color=INK,
            annotation_clip=False,
        )
        depth = max(depth, level)
    return depth
