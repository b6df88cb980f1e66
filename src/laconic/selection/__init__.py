"""Which basis functions enter, stay and leave."""

from .active_factor import ActiveFactor
from .active_set import ActiveSet, select_active_set
from .sequential import (
    Actions,
    active_factors,
    best_precision,
    candidate_factors,
    choose,
    gain,
    log_evidence_term,
    novel,
)

__all__ = [
    "Actions",
    "ActiveFactor",
    "ActiveSet",
    "active_factors",
    "best_precision",
    "candidate_factors",
    "choose",
    "gain",
    "log_evidence_term",
    "novel",
    "select_active_set",
]
