"""Which basis functions enter, stay and leave."""

from .active_factor import ActiveFactor
from .active_set import ActiveSet, select_active_set
from .criteria import CRITERIA, Criterion, judge, judge_probabilities
from .path import PATH_RECORD, Barrier, Path
from .sequential import Actions, active_factors, candidate_factors, choose, novel, unlike
from .terms import best_precision, gain, log_evidence_term

__all__ = [
    "CRITERIA",
    "PATH_RECORD",
    "Actions",
    "ActiveFactor",
    "ActiveSet",
    "Barrier",
    "Criterion",
    "Path",
    "active_factors",
    "best_precision",
    "candidate_factors",
    "choose",
    "gain",
    "judge",
    "judge_probabilities",
    "log_evidence_term",
    "novel",
    "select_active_set",
    "unlike",
]
