"""Export: a fitted machine as ONNX, as C, as a predictor without validation, as a readable page."""

from .compiled import Predictor
from .form import Portable
from .links import Link
from .machine import Shippable
from .targets import to_c

__all__ = ["Link", "Portable", "Predictor", "Shippable", "to_c"]
