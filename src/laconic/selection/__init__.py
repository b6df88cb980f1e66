"""Which basis functions enter, stay and leave."""

from .sequential import Actions, active_factors, candidate_factors, choose, novel
from .terms import best_precision, gain, log_evidence_term

__all__ = [
    "Actions",
    "active_factors",
    "best_precision",
    "candidate_factors",
    "choose",
    "gain",
    "log_evidence_term",
    "novel",
]
