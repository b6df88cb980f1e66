"""Processes of more than two classes, which share kernel, scales, amplitude and vectors."""

from .evidence import ClassEvidence
from .fit import first_class_evidence, fit_classes

__all__ = ["ClassEvidence", "first_class_evidence", "fit_classes"]
