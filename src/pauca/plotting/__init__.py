"""Plots of machines, ensembles and comparisons; drawing needs the extra ``plot``.

What is drawn of machines is computed in `summaries`, of comparisons in `pauca.evaluation`. Every ``plot_*``
function takes the matplotlib axes to draw on (``ax``, by default new ones) and returns them.
"""

from .comparisons import plot_critical_difference, plot_rank_boxes, plot_reliability, plot_risk_coverage
from .ensembles import plot_decomposition, plot_error_curves
from .inclusion import plot_expression, plot_inclusion, plot_stability
from .predictions import plot_fit, plot_surface, plot_suspects
from .relevance import plot_feature_scales, plot_path, plot_precisions, plot_weights
from .votes import plot_queries, plot_query_map, plot_required_sizes, plot_vote_shares

__all__ = [
    "plot_critical_difference",
    "plot_decomposition",
    "plot_error_curves",
    "plot_expression",
    "plot_feature_scales",
    "plot_fit",
    "plot_inclusion",
    "plot_path",
    "plot_precisions",
    "plot_queries",
    "plot_query_map",
    "plot_rank_boxes",
    "plot_reliability",
    "plot_required_sizes",
    "plot_risk_coverage",
    "plot_stability",
    "plot_surface",
    "plot_suspects",
    "plot_vote_shares",
    "plot_weights",
]
