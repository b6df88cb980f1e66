"""Gaussian processes that few vectors carry: hyperparameters by evidence, vectors, posteriors.

One core for numbers, counts and classes: a `Process` and a likelihood have a `ProcessEvidence` with its
gradient, `fit_process` makes a `ProcessPosterior` of a `ProcessProblem`.
"""

from .choice import first_evidence
from .columns import column_factors, column_shares, effect_moments
from .copies import evidence_weights
from .evidence import Evidence, IndicatorEvidence, ProcessEvidence
from .fit import fit_process
from .hyperparameters import Hyperparameters
from .many_classes import ClassEvidence, first_class_evidence, fit_classes
from .posterior import ProcessPosterior, infer
from .problem import TRIAL_RECORD, ProcessFit, ProcessProblem, ProcessTrial
from .process import Process
from .sparse_evidence import SparseEvidence
from .vectors import select_vectors

__all__ = [
    "TRIAL_RECORD",
    "ClassEvidence",
    "Evidence",
    "Hyperparameters",
    "IndicatorEvidence",
    "Process",
    "ProcessEvidence",
    "ProcessFit",
    "ProcessPosterior",
    "ProcessProblem",
    "ProcessTrial",
    "SparseEvidence",
    "column_factors",
    "column_shares",
    "effect_moments",
    "evidence_weights",
    "first_class_evidence",
    "first_evidence",
    "fit_classes",
    "fit_process",
    "infer",
    "select_vectors",
]
