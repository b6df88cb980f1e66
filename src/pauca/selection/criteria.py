"""Which model of a path to keep."""

from dataclasses import dataclass

import numpy as np

CRITERIA = ("evidence", "loo_error", "loo_probability")


@dataclass(frozen=True)
class LOOEstimates:
    """Leave-one-out estimates that come with a posterior (Qi et al. 2004, eq. 12, 13), as means over rows.

    ``loo_error`` is the share of rows that the others predict wrongly (or not at all), ``loo_probability``
    the mean probability of a wrong prediction, ``loo_log_density`` the mean log density in nats.
    """

    loo_error: float
    loo_probability: float
    loo_log_density: float


@dataclass(frozen=True)
class Criterion:
    """Criterion by which a model of the path is kept.

    With ``tail_scale`` s the probability of being wrong is Ψ(−s z) in place of Ψ(−z): for large s a
    smoothed count of errors.
    """

    name: str
    tail_scale: float = 1.0

    def score(self, log_evidence, estimates):
        """Score of a model with its log evidence and leave-one-out estimates; the larger the better."""
        return log_evidence if self.name == "evidence" else -getattr(estimates, self.name)


def loo_estimates(likelihood, y, weights, mean, var, tail_scale=1.0):
    """Leave-one-out estimates from the moments of each latent value without its own row."""
    share = weights / weights.sum()
    wrong = np.exp(likelihood.log_predictive(-y, tail_scale * mean, var))
    return LOOEstimates(
        float(share @ (y * mean <= 0)),
        float(share @ wrong),
        float(share @ likelihood.log_predictive(y, mean, var)),
    )


def loo_estimates_of_classes(probabilities, codes, weights):
    """Leave-one-out estimates from the class probabilities of each row without itself and its class code."""
    share, own = weights / weights.sum(), probabilities[np.arange(len(codes)), codes]
    return LOOEstimates(
        float(share @ (probabilities.argmax(axis=1) != codes)),
        float(share @ (1 - own)),
        float(share @ np.log(np.maximum(own, np.finfo(float).tiny))),
    )
