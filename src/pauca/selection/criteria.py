"""Criteria by which a model of a search path is kept."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .protocols import PredictiveLikelihood

#: Names of the criteria.
CRITERIA = ("evidence", "loo_error", "loo_probability")


@dataclass(frozen=True)
class LOOEstimates:
    """Leave-one-out estimates from one posterior (Qi et al. 2004, eq. 12, 13), as weighted means over rows.

    Parameters
    ----------
    loo_error : float
        Fraction of the rows that the others predict wrongly, ties included.
    loo_probability : float
        Mean predicted probability of the wrong label.
    loo_log_density : float
        Mean log predictive density in nats.
    """

    loo_error: float
    loo_probability: float
    loo_log_density: float


@dataclass(frozen=True)
class Criterion:
    """Criterion by which a model of the path is kept.

    Parameters
    ----------
    name : {"evidence", "loo_error", "loo_probability"}
        Quantity that is compared.
    tail_scale : float, default=1.0
        Factor s of the probability of a wrong label, Ψ(−s z): for large s a smoothed count of errors.
    """

    name: str
    tail_scale: float = 1.0

    def score(self, log_evidence: float, estimates: LOOEstimates | None) -> float:
        """Score of a model; larger is better.

        Parameters
        ----------
        log_evidence : float
            Log evidence in nats.
        estimates : LOOEstimates or None
            Leave-one-out estimates; not needed by the criterion "evidence".

        Returns
        -------
        float
        """
        return log_evidence if self.name == "evidence" else -getattr(estimates, self.name)


def loo_estimates(
    likelihood: PredictiveLikelihood,
    y: NDArray,
    weights: NDArray,
    mean: NDArray,
    var: NDArray,
    tail_scale: float = 1.0,
) -> LOOEstimates:
    """Leave-one-out estimates of two classes from the moments of each latent value without its own row.

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood of labels -1 and +1.
    y : ndarray of shape (n_rows,)
        Labels -1 and +1.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    mean, var : ndarray of shape (n_rows,)
        Leave-one-out means and variances of the latent values.
    tail_scale : float, default=1.0
        Factor of the means in the probability of a wrong label.

    Returns
    -------
    LOOEstimates
    """
    share = weights / weights.sum()
    wrong = np.exp(likelihood.log_predictive(-y, tail_scale * mean, var))
    return LOOEstimates(
        float(share @ (y * mean <= 0)),
        float(share @ wrong),
        float(share @ likelihood.log_predictive(y, mean, var)),
    )
