"""Predictions of Gaussian-process regression: means, deviations, covariances, distributions, draws."""

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from ...export import CannotExport, Link, Portable, Shippable
from ...fitting.processes import ProcessPosterior
from ...validation import check_seed
from ..in_blocks.predictions import by_blocks
from ..on_tables import TableRegressor
from ..portable import portable_processes
from ..processes.observations import KINDS, check_exposure
from ..processes.targets import by_target
from ..processes.uncertainty import feature_shares, share_left


class ProcessPredictions(TableRegressor, Shippable):
    """Predictions from the posterior of a process of standardised rows, in the units of y."""

    likelihood: str
    _scheme: str
    targets_: list
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
        if self._columns is not None:
            return self._place_table(X)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        return (rows - self._standards[0]) / self._standards[1]

    def _portable(self) -> Portable:
        if "targets_" in self.__dict__:
            raise CannotExport(
                "a model of several targets has no portable form; export each one in targets_."
            )
        link = Link(self._scheme, self.likelihood_)
        return portable_processes(self, self._posteriors, self._standards, self._units, link)

    @property
    def likelihood_(self) -> Any:
        """Likelihood in the units of y, with its learned parameters."""
        check_is_fitted(self)
        return self._likelihood.rescaled(self._units[1])

    @property
    def noise_std_(self) -> float:
        """Standard deviation of the noise in the units of y."""
        likelihood = self.likelihood_
        if KINDS[self.likelihood].is_count:
            raise AttributeError("noise_std_ does not exist for counts, whose variance depends on the rate.")
        return float(np.sqrt(likelihood.predictive_moments(0.0, 0.0)[1]))

    def _latent_values(self, X, exposure):
        """Placed rows, and mean and variance of f in the units of y, or of the log expected counts."""
        rows, (centre, spread) = self._placed(X), self._units
        mean, var = self._posteriors[0].latent(rows)
        exposure = check_exposure(exposure, KINDS[self.likelihood], rows)
        mean = centre + spread * mean
        return rows, mean if exposure is None else mean + np.log(exposure), spread**2 * var

    @overload
    def predict(
        self,
        X: ArrayLike,
        return_std: Literal[False] = False,
        return_cov: Literal[False] = False,
        *,
        exposure: ArrayLike | None = None,
    ) -> NDArray: ...

    @overload
    def predict(
        self,
        X: ArrayLike,
        return_std: Literal[True],
        return_cov: Literal[False] = False,
        *,
        exposure: ArrayLike | None = None,
    ) -> tuple[NDArray, NDArray]: ...

    @overload
    def predict(
        self,
        X: ArrayLike,
        return_std: Literal[False] = False,
        *,
        return_cov: Literal[True],
        exposure: ArrayLike | None = None,
    ) -> tuple[NDArray, NDArray]: ...

    @overload
    def predict(
        self,
        X: ArrayLike,
        return_std: bool = False,
        return_cov: bool = False,
        *,
        exposure: ArrayLike | None = None,
    ) -> NDArray | tuple[NDArray, NDArray]: ...

    @by_target()
    @by_blocks
    def predict(
        self,
        X: ArrayLike,
        return_std: bool = False,
        return_cov: bool = False,
        *,
        exposure: ArrayLike | None = None,
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
        exposure : array-like of shape (n_samples,), default=None
            Exposure of each row, by which its rate is multiplied; for counts only. None: one for all rows.

        Returns
        -------
        mean : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictive means. Several targets are the last axis of all results.
        std : ndarray of shape (n_samples,)
            Predictive standard deviations; only when ``return_std``.
        cov : ndarray of shape (n_samples, n_samples)
            Predictive covariances; only when ``return_cov``.
        """
        if return_std and return_cov:
            raise ValueError("return_std and return_cov cannot both be True.")
        rows, mean, var = self._latent_values(X, exposure)
        likelihood = self.likelihood_
        centre, std = likelihood.predict(mean, var)
        if return_cov:
            cov = self._units[1] ** 2 * self._posteriors[0].latent_covariance(rows)
            return centre, likelihood.predictive_covariance(mean, cov)
        return (centre, std) if return_std else centre

    @by_target()
    def predict_distribution(self, X: ArrayLike, *, exposure: ArrayLike | None = None) -> Any:
        """Predictive distribution of new observations.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to predict.
        exposure : array-like of shape (n_samples,), default=None
            Exposure of each row, by which its rate is multiplied; for counts only. None: one for all rows.

        Returns
        -------
        distribution : frozen distribution, or list of one for each of several targets
            ``ppf`` gives quantiles, ``interval`` intervals, ``rvs`` draws. Normal for Gaussian noise; else a
            `Predictive` with the methods of scipy, which integrates over the function.
        """
        _, mean, var = self._latent_values(X, exposure)
        return self.likelihood_.predictive(mean, var)

    @property
    def feature_importances_(self) -> NDArray:
        """Shares of the features in the mean squared distance of training rows, as the kernel sees them."""
        check_is_fitted(self)
        if "targets_" in self.__dict__:
            return np.mean([each.feature_importances_ for each in self.targets_], axis=0)
        if self._columns is not None:
            return self._column_shares
        return feature_shares(self._posteriors[0].process.scales, self._feature_variances)

    @by_target()
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

    @by_target()
    @by_blocks
    def predict_uncertainty(
        self, X: ArrayLike, *, exposure: ArrayLike | None = None
    ) -> tuple[NDArray, NDArray]:
        """Standard deviations of the noise and of the expectation at each row, in the units of y.

        The noise would remain with any amount of data; the deviation of the expectation of y (constant, trend
        and f) is ignorance, which grows away from the data. Their squares sum to the squared deviation of
        ``predict``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to predict.
        exposure : array-like of shape (n_samples,), default=None
            Exposure of each row, by which its rate is multiplied; for counts only. None: one for all rows.

        Returns
        -------
        noise : ndarray of shape (n_samples,)
            Standard deviation of the noise; for counts it depends on the row.
        ignorance : ndarray of shape (n_samples,)
            Posterior standard deviation of the expectation.
        """
        _, mean, var = self._latent_values(X, exposure)
        _, noise, ignorance = self.likelihood_.predictive_moments(mean, var)
        return np.sqrt(noise), np.sqrt(ignorance)

    def sample_y(
        self,
        X: ArrayLike,
        n_samples: int = 1,
        random_state: Any = 0,
        *,
        exposure: ArrayLike | None = None,
    ) -> NDArray:
        """Draws of the latent function, jointly at all rows, with independent noise.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows.
        n_samples : int, default=1
            Number of draws.
        random_state : int, RandomState instance or None, default=0
            Source of the draws.
        exposure : array-like of shape (n_rows,), default=None
            Exposure of each row, by which its rate is multiplied; for counts only. None: one for all rows.

        Returns
        -------
        draws : ndarray of shape (n_rows, n_samples) or (n_rows, n_targets, n_samples)
            Draws, a column each; independent ones of several targets.
        """
        if "targets_" in self.__dict__:
            seeds = check_seed(random_state).randint(np.iinfo(np.int32).max, size=len(self.targets_))
            pairs = zip(self.targets_, seeds, strict=True)
            draws = [each.sample_y(X, n_samples, int(seed), exposure=exposure) for each, seed in pairs]
            return np.stack(draws, axis=1)
        rows, mean, _ = self._latent_values(X, exposure)
        cov, rng = self._units[1] ** 2 * self._posteriors[0].latent_covariance(rows), check_seed(random_state)
        f = rng.multivariate_normal(mean, cov, n_samples, check_valid="ignore")
        return self.likelihood_.draw(f, rng).T
