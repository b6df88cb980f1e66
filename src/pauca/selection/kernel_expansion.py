"""Selection of the vectors of a sparse expansion of a Gaussian process by their gain in log density."""

import numpy as np
from numpy.typing import NDArray

from ..numerics import inverse_diagonal, robust_cholesky, solve_lower, solve_with_factor
from .candidates import MAX_ENTERING, NOVELTY, dissimilar, entry_threshold, shortlist
from .protocols import GaussianPosterior

# Entry threshold as a multiple of the threshold for staying; chosen by test loss on half splits 0-11 of 15
# sets.
_ENTRY_FACTOR = 2.0


class ExpansionCandidates:
    """Candidate vectors of one latent function: signed columns and the precision matrix of their weights.

    Parameters
    ----------
    columns : ndarray of shape (n_rows, n_candidates)
        Standardised kernel columns.
    signs : ndarray of shape (n_candidates,)
        Sign that each column is multiplied with.
    precision : ndarray of shape (n_candidates, n_candidates)
        Prior precision matrix of the weights of the unsigned columns.
    usable : ndarray of bool, shape (n_candidates,)
        Candidates that may enter.
    """

    def __init__(self, columns: NDArray, signs: NDArray, precision: NDArray, usable: NDArray) -> None:
        self.columns, self.signs = columns, signs
        self.precision = precision * np.outer(signs, signs)
        self.tried = ~usable | (np.diag(self.precision) <= 0)
        # Second derivatives of minus the log joint density in the weight of each candidate, as last computed.
        self.curvatures = np.ones(len(signs))

    def signed(self, places: NDArray) -> NDArray:
        """Signed columns of the candidates at some places."""
        return self.columns[:, places] * self.signs[places]

    def entering(
        self,
        Phi: NDArray,
        posterior: GaussianPosterior,
        active: NDArray,
        residual_products: NDArray,
        min_gain: float,
    ) -> NDArray:
        """Places of the candidates that enter: those with the largest gains that are not too similar.

        Parameters
        ----------
        Phi : ndarray of shape (n_rows, 1 + n_active)
            Design of the model.
        posterior : Posterior
            Posterior of the weights of Φ.
        active : ndarray of shape (n_active,)
            Places of the candidates in the model.
        residual_products : ndarray of shape (n_candidates,)
            Products of all columns with the residuals of the sites.
        min_gain : float
            Threshold for staying in nats; the threshold for entering is twice as high.

        Returns
        -------
        places : ndarray of int
        """
        gradient = self.signs * residual_products - self.precision[:, active] @ posterior.mean[1:]
        gradient = np.where(self.tried, 0.0, np.maximum(gradient, 0.0))
        places = shortlist(np.square(gradient) / self.curvatures, MAX_ENTERING)
        self.update_curvatures(Phi, posterior, active, places)
        gains = 0.5 * np.square(gradient[places]) / self.curvatures[places]
        order = np.argsort(-gains, kind="stable")
        places = places[order[gains[order] > entry_threshold(gains, _ENTRY_FACTOR * min_gain)]]
        return places[dissimilar(self.columns[:, places], min(MAX_ENTERING, 1 + len(active)))]

    def update_curvatures(
        self, Phi: NDArray, posterior: GaussianPosterior, active: NDArray, places: NDArray | slice
    ) -> None:
        """Update the curvatures of some candidates, infinite where a column lies in the span of the model.

        The other weights of the same latent function are maximised over; those of other classes are fixed.

        Parameters
        ----------
        Phi : ndarray of shape (n_rows, 1 + n_active)
            Design of the model.
        posterior : Posterior
            Posterior of the weights of Φ.
        active : ndarray of shape (n_active,)
            Places of the candidates in the model.
        places : ndarray of int or slice
            Places of the candidates to update.
        """
        b, columns = posterior.sites.precision, self.columns[:, places]
        cross = ((Phi.T * b) @ columns) * self.signs[places]
        cross[1:] += self.precision[active][:, places]
        size = np.einsum("n,nc,nc->c", b, columns, columns) + np.diag(self.precision)[places]
        inside = np.square(solve_lower(posterior.factor, cross)).sum(axis=0)
        self.curvatures[places] = np.where(size - inside > NOVELTY * size, size - inside, np.inf)


def staying(posterior: GaussianPosterior, min_gain: float) -> NDArray:
    """Boolean mask of the weights that stay when negative ones and those of the smallest gains leave in turn.

    The gain of a weight is the fall of the log joint density in nats when it is removed.

    Parameters
    ----------
    posterior : Posterior
        Posterior of the weights; the first is the bias, which always stays.
    min_gain : float
        Smallest gain in nats of a weight that stays.

    Returns
    -------
    stays : ndarray of bool, shape (n_weights,)
    """
    precision = posterior.factor @ posterior.factor.T
    natural_mean = precision @ posterior.mean
    kept = np.arange(len(natural_mean))
    while len(kept) > 1:
        factor = robust_cholesky(precision[np.ix_(kept, kept)])
        mean = solve_with_factor(factor, natural_mean[kept])[1:]
        gains = 0.5 * mean * np.abs(mean) / inverse_diagonal(factor)[1:]
        if gains.min() >= min_gain:
            break
        kept = np.delete(kept, 1 + np.argmin(gains))
    return np.isin(np.arange(len(natural_mean)), kept)
