"""Priors on the weights, and on their precisions."""

from .ard import ARD, GammaARD
from .hyperpriors import Gamma

__all__ = ["ARD", "Gamma", "GammaARD"]
