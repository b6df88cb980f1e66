"""Labels that are right but for a share ε, which has a posterior of its own."""

from dataclasses import dataclass
from importlib import import_module

import numpy as np
from scipy.special import betaln, ndtr

from ..numerics import log_ndtr


def _compiled():
    return import_module("pauca.numerics.compiled_moments")


@dataclass(frozen=True)
class LabelNoise:
    """p(y | f, ε) = ε + (1 − 2ε) step(y f) with ε ~ Beta(a, b), y in {-1, +1}.

    Only the number of errors counts, not their size. With ``known`` ε is a / (a + b), without doubt. A step
    has no derivatives, so that this is a likelihood for expectation propagation alone.
    """

    a: float = 1.0
    b: float = 10.0
    known: bool = False

    @classmethod
    def fixed(cls, rate):
        """Labels of which a known share is wrong."""
        return cls(float(rate), 1.0 - float(rate), True)

    @property
    def mean(self):
        """E[ε]."""
        return self.a / (self.a + self.b)

    @property
    def log_norm(self):
        """log of the normaliser of the distribution of ε."""
        return 0.0 if self.known else float(betaln(self.a, self.b))

    def tilt(self, mean, var, a=None, b=None, weights=1.0):
        """log Z, P(f on the wrong side), slope and variance ratio of N(mean, var) times the factor of y = +1.

        For a factor to the power ``weights`` and ε ~ Beta(a, b), elementwise.
        """
        a, b = self.a if a is None else a, self.b if b is None else b
        parts = np.broadcast_arrays(*(np.asarray(part, dtype=float) for part in (mean, var, a, b, weights)))
        mean, var, a, b, weights = (np.ascontiguousarray(part) for part in np.atleast_1d(*parts))
        return _compiled().tilt_rows(mean, var, a, b, self.known, weights)

    def gains(self, mean, var, weights, expected=False):
        """KL by which each row of label +1 would move the posterior (``expected``: each row whose label is
        not known yet), and its log Z.
        """
        return _compiled().gains(mean, var, self.a, self.b, self.known, weights, expected)

    def matched(self, weight, flip):
        """The distribution of ε once a row has been seen that is wrong with probability ``flip``."""
        a, b = _compiled().matched_beta(self.a, self.b, self.known, float(weight), float(flip))
        return LabelNoise(a, b, self.known)

    def log_predictive(self, y, mean, var):
        """log p(y) for f ~ N(mean, var)."""
        z = y * mean / np.sqrt(var)
        with np.errstate(divide="ignore"):
            right, wrong = np.log1p(-self.mean), np.log(self.mean)
        return np.logaddexp(right + log_ndtr(z), wrong + log_ndtr(-z))

    def predict(self, mean, var):
        """P(y = +1) = ε + (1 − 2ε) Ψ(m / √v) at the mean of ε (6.84)."""
        return self.mean + (1 - 2 * self.mean) * ndtr(mean / np.sqrt(var))
