"""Pictures of machines and of comparisons. What is drawn is computed in `summaries`; drawing needs the extra ``plot``.

Every ``plot_*`` function takes the matplotlib axes to draw on (``ax``, by default new ones) and returns them.
"""

from .calibration import plot_error_curves, plot_reliability
from .ranks import plot_critical_difference, plot_rank_boxes
from .regression import plot_fit
from .relevance import plot_precisions, plot_weights
from .surface import plot_surface

__all__ = [
    "plot_critical_difference",
    "plot_error_curves",
    "plot_fit",
    "plot_precisions",
    "plot_rank_boxes",
    "plot_reliability",
    "plot_surface",
    "plot_weights",
]
