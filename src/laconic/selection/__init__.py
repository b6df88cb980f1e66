"""Which basis functions enter, stay and leave."""

from .criteria import CRITERIA, Criterion
from .path import PATH_RECORD, Barrier, Path
from .sequential import Actions, active_factors, candidate_factors, choose, novel
from .terms import best_precision, gain, log_evidence_term

__all__ = [
    "CRITERIA",
    "PATH_RECORD",
    "Actions",
    "Barrier",
    "Criterion",
    "Path",
    "active_factors",
    "best_precision",
    "candidate_factors",
    "choose",
    "gain",
    "log_evidence_term",
    "novel",
]
