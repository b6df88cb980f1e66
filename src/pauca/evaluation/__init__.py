"""Evaluation: scores, protocols, statistical comparison, resumable runs, published tables.

The folders: `comparison` evaluates methods on datasets and tests the differences, `runs` works through jobs
and stores results, `papers` repeats published tables.
"""

from .comparison.analysis import Analysis, analyse
from .comparison.experiment import HIGHER_IS_BETTER, NEITHER_IS_BETTER, Benchmark, Comparison, compare
from .comparison.paired_scores import corrected_t, five_by_two_f, paired_t
from .comparison.ranks import (
    bonferroni_dunn,
    critical_difference,
    friedman,
    mean_ranks,
    nemenyi,
    nemenyi_matrix,
    rank_table,
)
from .comparison.signed_ranks import bayesian_signed_rank, holm, wilcoxon_holm
from .curves import COVERAGES, pooled_calibration
from .papers.published import Bound, Measure, PaperTable
from .papers.records import measured_cells, read_records, records_of, summaries_of, write_records
from .papers.reproduction import reproduce
from .papers.targets import Target, targets
from .papers.verdicts import compare_with_published, compared_ranks, failures, with_verdicts
from .protocols import five_by_two, median_choice, repeated_splits
from .runs.execution import run
from .runs.jobs import Job
from .runs.provenance import environment
from .runs.store import RunStore, Unit
from .runs.workers import Workers
from .scores import (
    classification_scores,
    expected_calibration_error,
    interval,
    negative_log_density,
    regression_scores,
)
from .stability import Stability, kuncheva_index, stability
from .trials import evaluate, innermost, n_vectors

__all__ = [
    "COVERAGES",
    "HIGHER_IS_BETTER",
    "NEITHER_IS_BETTER",
    "Analysis",
    "Benchmark",
    "Bound",
    "Comparison",
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
    "compare_with_published",
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
    "kuncheva_index",
    "mean_ranks",
    "measured_cells",
    "median_choice",
    "n_vectors",
    "negative_log_density",
    "nemenyi",
    "nemenyi_matrix",
    "paired_t",
    "pooled_calibration",
    "rank_table",
    "read_records",
    "records_of",
    "regression_scores",
    "repeated_splits",
    "reproduce",
    "run",
    "stability",
    "summaries_of",
    "targets",
    "wilcoxon_holm",
    "with_verdicts",
    "write_records",
]
