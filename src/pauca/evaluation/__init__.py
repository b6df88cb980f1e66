"""Evidence for claims: scores, protocols, rank tests, runs that can be resumed, published tables."""

from .analysis import Analysis, analyse
from .comparison import HIGHER_IS_BETTER, NEITHER_IS_BETTER, Comparison, Contest, compare
from .curves import SHARES, pooled_calibration
from .environment import environment
from .pairs import bayesian_signed_rank, corrected_t, five_by_two_f, holm, paired_t, wilcoxon_holm
from .papers import Bound, Measure, PaperTable, reproduce
from .protocols import five_by_two, median_choice, repeated_splits
from .ranks import (
    bonferroni_dunn,
    critical_difference,
    friedman,
    mean_ranks,
    nemenyi,
    nemenyi_matrix,
    rank_table,
)
from .runs import Job, Workers, run
from .scores import (
    classification_scores,
    expected_calibration_error,
    interval,
    negative_log_density,
    regression_scores,
)
from .sizes import innermost, n_vectors
from .stability import Stability, kuncheva_index, stability
from .store import RunStore, Unit
from .targets import Target
from .trials import evaluate
from .verdicts import compared_ranks, failures, judge, targets

__all__ = [
    "HIGHER_IS_BETTER",
    "NEITHER_IS_BETTER",
    "SHARES",
    "Analysis",
    "Bound",
    "Comparison",
    "Contest",
    "Job",
    "Measure",
    "PaperTable",
    "RunStore",
    "Stability",
    "Target",
    "Unit",
    "Workers",
    "analyse",
    "bayesian_signed_rank",
    "bonferroni_dunn",
    "classification_scores",
    "compare",
    "compared_ranks",
    "corrected_t",
    "critical_difference",
    "environment",
    "evaluate",
    "expected_calibration_error",
    "failures",
    "five_by_two",
    "five_by_two_f",
    "friedman",
    "holm",
    "innermost",
    "interval",
    "judge",
    "kuncheva_index",
    "mean_ranks",
    "median_choice",
    "n_vectors",
    "negative_log_density",
    "nemenyi",
    "nemenyi_matrix",
    "paired_t",
    "pooled_calibration",
    "rank_table",
    "regression_scores",
    "repeated_splits",
    "reproduce",
    "run",
    "stability",
    "targets",
    "wilcoxon_holm",
]
