"""Observations of each likelihood: their checks, their units, and the likelihood to start from."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array, check_consistent_length

from ...likelihoods import Gaussian, NegativeBinomial, Poisson, StudentT, exposed_counts

# Multiple of the largest distance of a row from the middle at which the trend of a log rate ends: rates would
# grow without bounds otherwise. Set by hand.
_REACH = 2.0


@dataclass(frozen=True)
class Kind:
    """Kind of observations.

    Parameters
    ----------
    start : Likelihood
        Likelihood with the parameters to start from, for standardised numbers or for counts.
    is_count : bool
        Whether observations are counts, which have no units.
    """

    start: Any
    is_count: bool = False

    def reach(self, X: NDArray) -> float:
        """Distance from the origin at which constant and trend end."""
        return _REACH * float(np.sqrt(np.square(X).sum(axis=1).max())) if self.is_count else np.inf


# Parameters to start from are set by hand.
KINDS = {
    "gaussian": Kind(Gaussian(10.0)),
    "student_t": Kind(StudentT(0.3, 6.0)),
    "poisson": Kind(Poisson(), is_count=True),
    "negative_binomial": Kind(NegativeBinomial(0.3), is_count=True),
}


def check_exposure(exposure: ArrayLike | None, kind: Kind, X: NDArray) -> NDArray | None:
    """Exposures of the rows, or None; raise where they are no positive numbers of counts."""
    if exposure is None:
        return None
    if not kind.is_count:
        raise ValueError('exposure is for counts: take likelihood="poisson" or "negative_binomial".')
    values = check_array(exposure, ensure_2d=False, dtype=np.float64, input_name="exposure")
    if values.ndim != 1:
        raise ValueError(f"exposure must be one-dimensional; got shape {values.shape}.")
    check_consistent_length(values, X)
    if (values <= 0).any():
        raise ValueError("exposure must be positive; leave out rows that were not observed at all.")
    return values


def observed_counts(y: NDArray, exposure: NDArray | None) -> NDArray:
    """Observations of count likelihoods; raise unless y holds counts."""
    if (y < 0).any() or (y != np.floor(y)).any():
        raise ValueError(
            "y must hold counts 0, 1, 2, ... for this likelihood; pass rates as counts and their exposure."
        )
    return exposed_counts(y, exposure)
