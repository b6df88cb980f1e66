"""Export: a fitted machine as ONNX, as C, as a predictor without validation, as a readable page."""

from .compiled import Predictor
from .errors import CannotExport
from .forest import FlatTrees, PortableEnsemble
from .form import Draws, Latent, Portable, PriorVariance
from .inputs import Inputs
from .links import Blend, Link
from .machine import Shippable
from .onnx import register_converters, to_onnx
from .preprocessing import portable_of
from .summary import Summary
from .targets import c_bytes, to_c

__all__ = [
    "Blend",
    "CannotExport",
    "Draws",
    "FlatTrees",
    "Inputs",
    "Latent",
    "Link",
    "Portable",
    "PortableEnsemble",
    "Predictor",
    "PriorVariance",
    "Shippable",
    "Summary",
    "c_bytes",
    "portable_of",
    "register_converters",
    "to_c",
    "to_onnx",
]
