"""Far from the data: an extra basis function at the test row, a linear model, the base rate."""

from .base_rate import BaseRates
from .extra_basis import ExtraBasis
from .linear_fallback import LinearFallback
from .linear_mixture import LinearMixture
from .linear_model import LinearModel

__all__ = ["BaseRates", "ExtraBasis", "LinearFallback", "LinearMixture", "LinearModel"]
