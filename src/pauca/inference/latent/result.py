"""What the engines of latent values return."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class LatentFit:
    """Gaussian approximation of the posterior of g, where f = offset + g are the latent values of some rows.

    Parameters
    ----------
    posterior : DensePosterior or DesignPosterior
        Posterior of g given the sites.
    sites : ndarray of shape (2, n_rows)
        Precision and shift of the Gaussian site of each row, weights included.
    log_evidence : float
        Approximate log evidence in nats.
    state : ndarray
        Point from which a similar problem may start.
    converged : bool
        Whether the engine converged.
    """

    posterior: Any
    sites: NDArray
    log_evidence: float
    state: NDArray
    converged: bool = True

    @property
    def coef(self) -> NDArray:
        """C⁻¹ ĝ of the prior covariance C at the posterior mean ĝ."""
        return self.posterior.coef


def steady_step(step: float, before: float, change: float, largest: float = 1.0) -> float:
    """Damping of the next round: half the step where changes have grown, else a longer one."""
    return max(step / 2, 0.05) if change > before else min(1.2 * step, largest)
