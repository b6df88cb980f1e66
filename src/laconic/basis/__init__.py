"""Basis functions: kernels, bias, signed columns, candidates streamed in blocks."""

from .basis import Basis, KernelBasis, PrecomputedBasis, with_bias
from .kernels import KERNELS, WITH_GAMMA, Kernel
from .pool import CandidatePool

__all__ = [
    "KERNELS",
    "WITH_GAMMA",
    "Basis",
    "CandidatePool",
    "Kernel",
    "KernelBasis",
    "PrecomputedBasis",
    "with_bias",
]
