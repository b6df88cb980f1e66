"""Which model of a path to keep."""

from dataclasses import dataclass

import numpy as np

CRITERIA = ("evidence", "loo_error", "loo_probability")


@dataclass(frozen=True)
class Judgement:
    """Leave-one-out estimates that come with a posterior (Qi et al. 2004, eq. 12, 13).

    Shares of rows: those whose prediction without them is wrong (or undecided), and the mean probability of
    being wrong; and the mean log density.
    """

    loo_error: float
    loo_probability: float
    loo_log_density: float


@dataclass(frozen=True)
class Criterion:
    """A way to compare models of a path: ``score`` is to be as large as possible.

    With ``tail_scale`` s the probability of being wrong is Ψ(−s z) in place of Ψ(−z): for large s a
    smoothed count of errors.
    """

    name: str
    tail_scale: float = 1.0

    def score(self, log_evidence, judgement):
        """The larger the better."""
        return log_evidence if self.name == "evidence" else -getattr(judgement, self.name)


def judge(likelihood, y, weights, mean, var, tail_scale=1.0):
    """What the rows say about each other, from latent moments without the row itself."""
    share = weights / weights.sum()
    wrong = np.exp(likelihood.log_predictive(-y, tail_scale * mean, var))
    return Judgement(
        float(share @ (y * mean <= 0)),
        float(share @ wrong),
        float(share @ likelihood.log_predictive(y, mean, var)),
    )


def judge_probabilities(probabilities, codes, weights):
    """The same from the probabilities of many classes without the row itself, and the codes of its class."""
    share, own = weights / weights.sum(), probabilities[np.arange(len(codes)), codes]
    return Judgement(
        float(share @ (probabilities.argmax(axis=1) != codes)),
        float(share @ (1 - own)),
        float(share @ np.log(np.maximum(own, np.finfo(float).tiny))),
    )
