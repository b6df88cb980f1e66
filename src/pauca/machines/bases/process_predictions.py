"""Predictions of Gaussian-process regression: means, deviations, covariances, distributions, draws."""

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from ...export import Link, Portable, Shippable
from ...fitting.processes import ProcessPosterior
from ...likelihoods import Gaussian
from ...validation import check_seed
from ..in_blocks.predictions import by_blocks
from ..portable import portable_processes
from .process_uncertainty import feature_shares, share_left


class ProcessPredictions(Shippable):
    """Predictions from the posterior of a process of standardised rows, in the units of y."""

    # Posterior of the latent function, a list of one, and the likelihood in units of standardised y.
    _posteriors: list[ProcessPosterior]
    _likelihood: Any
    # Centre and spread of the features, and of y.
    _standards: tuple[NDArray, NDArray]
    _units: tuple[Any, Any]
    # Variances of the standardised features over the training rows: one, or zero for constants.
    _feature_variances: NDArray

    def _placed(self, X):
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        return (rows - self._standards[0]) / self._standards[1]

    def _portable(self) -> Portable:
        link = Link("number", Gaussian(1 / (self._noise * self._units[1] ** 2)))
        return portable_processes(self, self._posteriors, self._standards, self._units, link)

    @property
    def _noise(self):
        """Variance of the noise of standardised y."""
        return 1 / self._likelihood.precision

    @overload
    def predict(
        self, X: ArrayLike, return_std: Literal[False] = False, return_cov: Literal[False] = False
    ) -> NDArray: ...

    @overload
    def predict(
        self, X: ArrayLike, return_std: Literal[True], return_cov: Literal[False] = False
    ) -> tuple[NDArray, NDArray]: ...

    @overload
    def predict(
        self, X: ArrayLike, return_std: Literal[False] = False, *, return_cov: Literal[True]
    ) -> tuple[NDArray, NDArray]: ...

    @overload
    def predict(
        self, X: ArrayLike, return_std: bool = False, return_cov: bool = False
    ) -> NDArray | tuple[NDArray, NDArray]: ...

    @by_blocks
    def predict(
        self, X: ArrayLike, return_std: bool = False, return_cov: bool = False
    ) -> NDArray | tuple[NDArray, NDArray]:
        """Predictive mean and, on request, standard deviation or covariance of new observations.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to predict.
        return_std : bool, default=False
            Whether to return the standard deviations, noise included.
        return_cov : bool, default=False
            Whether to return the covariance matrix, noise included.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            Predictive means.
        std : ndarray of shape (n_samples,)
            Predictive standard deviations; only when ``return_std``.
        cov : ndarray of shape (n_samples, n_samples)
            Predictive covariances; only when ``return_cov``.
        """
        if return_std and return_cov:
            raise ValueError("return_std and return_cov cannot both be True.")
        rows, (centre, spread), posterior = self._placed(X), self._units, self._posteriors[0]
        mean, var = posterior.latent(rows)
        if return_cov:
            noise = self._noise * np.eye(len(rows))
            return centre + spread * mean, spread**2 * (posterior.latent_covariance(rows) + noise)
        if return_std:
            return centre + spread * mean, spread * np.sqrt(var + self._noise)
        return centre + spread * mean

    def predict_distribution(self, X: ArrayLike) -> Any:
        """Predictive distribution of new observations.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        distribution : frozen distribution of scipy.stats
            Normal with the moments of ``predict``: ``ppf`` gives quantiles, ``interval`` intervals.
        """
        from scipy import stats

        return stats.norm(*self.predict(X, return_std=True))

    @property
    def feature_importances_(self) -> NDArray:
        """Shares of the features in the mean squared distance of training rows, as the kernel sees them."""
        check_is_fitted(self)
        return feature_shares(self._posteriors[0].process.scales, self._feature_variances)

    @by_blocks
    def novelty(self, X: ArrayLike) -> NDArray:
        """Share of the prior variance of f that remains at each row once f is known at the vectors.

        It is 0 at the vectors and 1 far from all of them, whatever the targets. Constant and trend are not
        part of f here.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to compare with the vectors.

        Returns
        -------
        novelty : ndarray of shape (n_samples,)
            Shares between 0 and 1.
        """
        rows = self._placed(X)
        prior = self._posteriors[0].process.variance(rows)
        return share_left(prior - np.square(self._posteriors[0].whitened(rows)).sum(axis=1), prior)

    @by_blocks
    def predict_uncertainty(self, X: ArrayLike) -> tuple[NDArray, NDArray]:
        """Standard deviations of the noise and of the function at each row, in the units of y.

        The noise would remain with any amount of data; the deviation of the function (constant, trend and f)
        is ignorance, which grows away from the data. Their squares sum to the squared deviation of
        ``predict``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        noise : ndarray of shape (n_samples,)
            Standard deviation of the noise, equal for all rows.
        ignorance : ndarray of shape (n_samples,)
            Posterior standard deviation of the function.
        """
        rows, spread = self._placed(X), self._units[1]
        ignorance = spread * np.sqrt(self._posteriors[0].latent(rows)[1])
        return np.full(len(rows), spread * np.sqrt(self._noise)), ignorance

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = 0) -> NDArray:
        """Draws of the latent function, jointly at all rows, with independent noise.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows.
        n_samples : int, default=1
            Number of draws.
        random_state : int, RandomState instance or None, default=0
            Source of the draws.

        Returns
        -------
        draws : ndarray of shape (n_rows, n_samples)
            Draws, a column each.
        """
        mean, cov = self.predict(X, return_cov=True)
        rng = check_seed(random_state)
        return rng.multivariate_normal(mean, cov, n_samples, check_valid="ignore").T
