"""Processes of more than two classes, which share kernel, scales, amplitude and vectors."""

from .evidence import ClassEvidence, IndicatorEvidence
from .fit import fit_classes

__all__ = ["ClassEvidence", "IndicatorEvidence", "fit_classes"]
