"""Priors on the weights, and on their precisions."""

from .ard import ARD, GammaARD
from .base import Prior
from .hyperpriors import Gamma
from .network import coupled_inclusion, neighbours
from .spike_slab import SpikeSlab
from .truncated import SoftTruncated, Truncated

__all__ = [
    "ARD",
    "Gamma",
    "GammaARD",
    "Prior",
    "SoftTruncated",
    "SpikeSlab",
    "Truncated",
    "coupled_inclusion",
    "neighbours",
]
