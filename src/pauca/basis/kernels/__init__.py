"""Kernels: values, derivatives in log gamma and in the scales of features, reference widths."""

from .additive import Additive, ColumnMeasure
from .base import Composition, Kernel, Product, Sum
from .dot_product import Cosine, Linear, Polynomial
from .features import multiplied, scale_gamma
from .given import FunctionKernel, GivenRows, Precomputed
from .registry import KERNELS, as_kernel, is_precomputed, register_kernel, takes_sparse, unregister_kernel
from .scaled import Scaled
from .stationary import RBF, Isotropic, Laplacian, Matern32, Matern52, RationalQuadratic
from .without_gamma import KernelWithoutGamma

__all__ = [
    "KERNELS",
    "RBF",
    "Additive",
    "ColumnMeasure",
    "Composition",
    "Cosine",
    "FunctionKernel",
    "GivenRows",
    "Isotropic",
    "Kernel",
    "KernelWithoutGamma",
    "Laplacian",
    "Linear",
    "Matern32",
    "Matern52",
    "Polynomial",
    "Precomputed",
    "Product",
    "RationalQuadratic",
    "Scaled",
    "Sum",
    "as_kernel",
    "is_precomputed",
    "multiplied",
    "register_kernel",
    "scale_gamma",
    "takes_sparse",
    "unregister_kernel",
]
