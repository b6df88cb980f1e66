"""Selection: which columns, vectors or rows enter, stay and leave."""

from .active_factor import ActiveFactor
from .active_set import ActiveSet, select_active_set
from .ard import Actions, active_factors, candidate_factors, choose_actions
from .candidates import MAX_ENTERING, dissimilar, novel
from .criteria import CRITERIA, Criterion, LOOEstimates, loo_estimates
from .evidence_terms import best_precision, evidence_gain, log_evidence_term
from .inducing import InducingSearch
from .path import PATH_RECORD, Barrier, Path

__all__ = [
    "CRITERIA",
    "MAX_ENTERING",
    "PATH_RECORD",
    "Actions",
    "ActiveFactor",
    "ActiveSet",
    "Barrier",
    "Criterion",
    "InducingSearch",
    "LOOEstimates",
    "Path",
    "active_factors",
    "best_precision",
    "candidate_factors",
    "choose_actions",
    "dissimilar",
    "evidence_gain",
    "log_evidence_term",
    "loo_estimates",
    "novel",
    "select_active_set",
]
