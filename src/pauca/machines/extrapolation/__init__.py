"""Far from the data: an extra basis function at the test row, a linear model, the base rate."""

from .base_rate import BaseRates
from .extra_basis import ExtraBasis
from .linear_fallback import LinearFallback
from .linear_model import LinearModel, pooled

__all__ = ["BaseRates", "ExtraBasis", "LinearFallback", "LinearModel", "pooled"]
