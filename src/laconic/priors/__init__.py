"""Priors on the weights."""

from .ard import ARD

__all__ = ["ARD"]
