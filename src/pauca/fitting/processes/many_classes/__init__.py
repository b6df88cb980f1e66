"""Processes of more than two classes, which share kernel, scales, amplitude and vectors."""

from .evidence import ClassEvidence
from .fit import fit_classes

__all__ = ["ClassEvidence", "fit_classes"]
