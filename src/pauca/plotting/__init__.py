"""Plots of machines, ensembles and comparisons; drawing needs the extra ``plot``.

Every plot is a display in the convention of scikit-learn: ``InclusionDisplay.from_estimator(machine)``
computes what is shown and draws it, ``display.plot(ax=ax)`` draws it again, and ``ax_`` and ``figure_`` are
what it was drawn on. The functions ``plot_*`` do the same in one call and return the axes. All colours can be
told apart by the colour-blind.
"""

from .calibration import ReliabilityDisplay, RiskCoverageDisplay, plot_reliability, plot_risk_coverage
from .effects import EffectDisplay, plot_effects
from .ensembles import DecompositionDisplay, ErrorCurvesDisplay, plot_decomposition, plot_error_curves
from .inclusion import ExpressionDisplay, InclusionDisplay, plot_expression, plot_inclusion
from .predictions import FitDisplay, plot_fit
from .ranks import CriticalDifferenceDisplay, RankBoxesDisplay, plot_critical_difference, plot_rank_boxes
from .relevance import (
    FeatureScalesDisplay,
    PathDisplay,
    PrecisionsDisplay,
    WeightsDisplay,
    plot_feature_scales,
    plot_path,
    plot_precisions,
    plot_weights,
)
from .stability import StabilityDisplay, plot_stability
from .surfaces import SurfaceDisplay, SuspectsDisplay, plot_surface, plot_suspects
from .votes import (
    QueriesDisplay,
    QueryMapDisplay,
    RequiredSizesDisplay,
    VoteSharesDisplay,
    plot_queries,
    plot_query_map,
    plot_required_sizes,
    plot_vote_shares,
)

__all__ = [
    "CriticalDifferenceDisplay",
    "DecompositionDisplay",
    "EffectDisplay",
    "ErrorCurvesDisplay",
    "ExpressionDisplay",
    "FeatureScalesDisplay",
    "FitDisplay",
    "InclusionDisplay",
    "PathDisplay",
    "PrecisionsDisplay",
    "QueriesDisplay",
    "QueryMapDisplay",
    "RankBoxesDisplay",
    "ReliabilityDisplay",
    "RequiredSizesDisplay",
    "RiskCoverageDisplay",
    "StabilityDisplay",
    "SurfaceDisplay",
    "SuspectsDisplay",
    "VoteSharesDisplay",
    "WeightsDisplay",
    "plot_critical_difference",
    "plot_decomposition",
    "plot_effects",
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
