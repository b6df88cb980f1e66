"""Basis functions: kernels, bias, signed columns, candidates streamed in blocks."""

from .basis import Basis, CentredBasis, FeatureBasis, KernelBasis, PrecomputedBasis, with_bias
from .kernels import KERNELS, WITH_GAMMA, Kernel, multiplied
from .pool import CandidatePool, drawn

__all__ = [
    "KERNELS",
    "WITH_GAMMA",
    "Basis",
    "CandidatePool",
    "CentredBasis",
    "FeatureBasis",
    "Kernel",
    "KernelBasis",
    "PrecomputedBasis",
    "drawn",
    "multiplied",
    "with_bias",
]
