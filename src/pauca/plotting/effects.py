"""Effects of the columns of a table: curves with credible bands, bars for categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .canvas import BLUE, GREY, INK, LEGEND, VERMILION, Display, literal, new_axes
from .summaries import part_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..machines import SparseGPRegressor

# Half width of a 90 % credible band, in standard deviations.
_WIDTH = 1.645
# Levels of a category that are drawn, most frequent first, and characters of a name; set by hand, by looking.
_MOST_LEVELS, _MAX_NAME = 12, 16
# Panels in a row of `plot_effects`.
_N_COLUMNS = 3


@dataclass(eq=False)
class EffectDisplay(Display):
    """Main effect of a column with its 90 % credible band.

    Parameters
    ----------
    name : str
        Name of the column.
    entries : ndarray of shape (n_points,)
        Numbers in increasing order, or names of levels.
    mean : ndarray of shape (n_points,)
        Posterior mean of the effect of each entry.
    std : ndarray of shape (n_points,)
        Posterior standard deviation.
    missing : tuple of two floats or None, default=None
        Mean and standard deviation of the effect of a missing number.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca.plotting import EffectDisplay
    >>> display = EffectDisplay("age", np.array([20.0, 60.0]), np.array([-1.0, 1.0]), np.array([0.2, 0.3]))
    >>> display.plot().ax_.get_xlabel()
    'age'
    """

    name: str
    entries: np.ndarray
    mean: np.ndarray
    std: np.ndarray
    missing: tuple[float, float] | None = None

    @classmethod
    def from_estimator(
        cls, estimator: "SparseGPRegressor", column: str, *, label: Any = None, ax: "Axes | None" = None
    ) -> Self:
        """Draw the main effect of a column.

        Parameters
        ----------
        estimator : SparseGPRegressor
            A machine fitted to a table.
        column : str
            Name of the column.
        label : object, default=None
            Class whose latent function is explained; needed for more than two classes.
        ax : matplotlib axes, default=None
            Where to draw; by default on new axes.

        Returns
        -------
        display : EffectDisplay
        """
        effect_curve = part_of(estimator, "effect_curve", "a machine fitted to a table")
        return cls(*effect_curve(column, label)).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        if self.entries.dtype.kind == "f":
            self._draw_curve(ax)
        else:
            self._draw_bars(ax)
        ax.set(xlabel=literal(_short(self.name)), ylabel="effect")

    def _draw_curve(self, ax: Any) -> None:
        ax.fill_between(
            self.entries,
            self.mean - _WIDTH * self.std,
            self.mean + _WIDTH * self.std,
            color=BLUE,
            alpha=0.2,
            linewidth=0,
            label="90 % credible band",
        )
        ax.plot(self.entries, self.mean, color=BLUE)
        ax.axhline(0, color=GREY, linewidth=0.6)
        if self.missing is not None:
            mean, std = self.missing
            span = self.entries[-1] - self.entries[0]
            ax.errorbar(
                [self.entries[0] - 0.08 * span],
                [mean],
                [_WIDTH * std],
                color=VERMILION,
                marker="D",
                label="missing",
            )
        ax.legend(**LEGEND)

    def _draw_bars(self, ax: Any) -> None:
        shown = min(len(self.entries), _MOST_LEVELS)
        places = np.arange(shown)
        ax.bar(places, self.mean[:shown], color=BLUE, alpha=0.6)
        ax.errorbar(places, self.mean[:shown], _WIDTH * self.std[:shown], color=INK, linestyle="none")
        ax.axhline(0, color=GREY, linewidth=0.6)
        names = [literal(_short(entry)) for entry in self.entries[:shown]]
        ax.set_xticks(places, names, rotation=45, ha="right", fontsize="small")


def plot_effects(
    machine: "SparseGPRegressor", columns: Sequence[str] | None = None, *, label: Any = None
) -> np.ndarray:
    """Main effects of columns with their 90 % credible bands, one panel each.

    Parameters
    ----------
    machine : SparseGPRegressor
        A machine fitted to a table.
    columns : sequence of str or None, default=None
        Names of the columns; None: the six with the largest effects on training rows.
    label : object, default=None
        Class whose latent function is explained; needed for more than two classes.

    Returns
    -------
    axes : ndarray of matplotlib axes
        Panels with effects.
    """
    if columns is None:
        table = part_of(machine, "columns_", "a machine fitted to a table")
        order = np.argsort(-table["effect"].to_numpy(), kind="stable")
        used = ~table["kind"].isin(["identifier", "constant"]).to_numpy()
        columns = [str(table["column"][place]) for place in order if used[place]][:6]
    elif isinstance(columns, str) or not len(columns):
        raise ValueError(f"columns must be a list of names of columns; got {columns!r}.")
    n_rows = -(-len(columns) // _N_COLUMNS)
    panels = np.atleast_1d(new_axes(n_rows, min(len(columns), _N_COLUMNS))).ravel()
    panels[0].figure.set_size_inches(4 * min(len(columns), _N_COLUMNS), 3 * n_rows)
    for ax, column in zip(panels, columns, strict=False):
        EffectDisplay.from_estimator(machine, column, label=label, ax=ax)
    for ax in panels[len(columns) :]:
        ax.set_visible(False)
    return panels[: len(columns)]


def _short(name: object) -> str:
    text = str(name)
    return text if len(text) <= _MAX_NAME else text[: _MAX_NAME - 1] + "…"
