"""Pictures of machines. What is drawn is computed in `summaries`; drawing needs the extra ``plot``.

Every ``plot_*`` function takes the matplotlib axes to draw on (``ax``, by default new ones) and returns them.
"""

from .regression import plot_fit
from .relevance import plot_precisions, plot_weights
from .surface import plot_surface

__all__ = ["plot_fit", "plot_precisions", "plot_surface", "plot_weights"]
