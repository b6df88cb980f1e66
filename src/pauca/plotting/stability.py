"""Stability of rankings of features."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .canvas import GREY, LEGEND, MARKERS, Display, literal
from .summaries import part_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..evaluation import Stability


@dataclass(eq=False)
class StabilityDisplay(Display):
    """Kuncheva's stability index of rankings against the number of features.

    Parameters
    ----------
    results : dict of str to Stability
        Results of `pauca.stability` by the names of the estimators; a single one may have the name "".

    Examples
    --------
    >>> import numpy as np
    >>> from pauca.evaluation import Stability
    >>> from pauca.plotting import StabilityDisplay
    >>> result = Stability(np.array([1, 5]), np.array([0.4, 0.6]), np.zeros((2, 9), dtype=int))
    >>> StabilityDisplay({"l1": result}).plot().ax_.get_ylabel()
    "Kuncheva's stability index"
    """

    results: "dict[str, Stability]"

    def _draw(self, ax: Any) -> None:
        for result in self.results.values():
            part_of(result, "sizes", "a result of pauca.stability, or several by name", "results")
        for place, (name, result) in enumerate(self.results.items()):
            ax.plot(result.sizes, result.index, marker=MARKERS[place % 10], markersize=4, label=literal(name))
        ax.axhline(0.0, color=GREY, linewidth=0.8)
        ax.set(
            xscale="log",
            xlabel="features taken from the top",
            ylabel="Kuncheva's stability index",
            ylim=(-0.05, 1.05),
        )
        sizes = np.unique(np.concatenate([result.sizes for result in self.results.values()]))
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.minorticks_off()
        if list(self.results) != [""]:
            ax.legend(**LEGEND)


def plot_stability(results: "Stability | Mapping[str, Stability]", *, ax: "Axes | None" = None) -> "Axes":
    """Kuncheva's stability index of rankings against the number of features.

    Parameters
    ----------
    results : Stability or mapping of str to Stability
        Results of `pauca.stability`, for one or for several estimators.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    named = dict(results) if isinstance(results, Mapping) else {"": results}
    return StabilityDisplay(named).plot(ax=ax).ax_
