"""Base of spike-and-slab estimators: from checked data to inclusion probabilities."""

import warnings
from abc import abstractmethod
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from ...basis.blocks.memory_maps import held
from ...config import LinksToSite
from ...export import Link, Portable, Shippable
from ...fitting import wide_rows
from ...fitting.fitters import SpikeSlabFitter
from ...inference.ep import (
    CredibleSet,
    credible_sets,
    factorised,
    full_covariance,
    is_affordable,
    single_effects,
)
from ...likelihoods import Probit
from ...priors import neighbours
from ...reporting import tell
from ...validation import check_number, check_option, check_rows, check_share, check_size
from ..portable import portable_linear
from .linear_latents import LinearLatent

# Rows that are predicted at a time; bounds the memory of predictions.
_CHUNK = 64
# Least number of single effects, and their number as a multiple of the expected number of features; set by
# hand. Ten are customary.
_LEAST_EFFECTS, _EFFECTS_SHARE = 10, 2
# Most features whose subsets are added up where nothing else is asked for, in a fiftieth of a second; set by
# hand.
_FEW = 10
#: Engines of expectation propagation.
EP_ENGINES = ("ep", "ep-correlated", "ep-independent")
# Largest entry of features that are not standardised, and largest variance of the slab; numerical guards.
_LARGEST = 1e6
_LARGEST_SLAB = 1e100


def _dense(X: Any) -> NDArray:
    """Rows as an array: standardised features of a sparse matrix are not sparse."""
    return X.toarray() if sparse.issparse(X) else X


def _is_plain(prior: Any) -> bool:
    """Whether excluded weights are zero, and none is included for sure but the bias."""
    return prior.spike == 0 and bool((prior.inclusion[1:] < 1).all())


def _without_signal(posteriors: Any) -> float:
    """Least posterior probability that no feature matters; nan where it was not weighed."""
    chances = [posterior.weights[-1] for posterior in posteriors if hasattr(posterior, "parts")]
    return float(min(chances)) if len(chances) == len(posteriors) else np.nan


class SpikeSlabMachine(LinksToSite, Shippable, SelectorMixin, BaseEstimator):
    """Linear model whose weights have a spike-and-slab prior; subclasses define the targets."""

    expected_features: float | str
    slab_variance: float
    spike_variance: float
    prior: str
    standardize: bool
    threshold: float
    n_features_to_select: int | None
    tol: float
    max_iter: int
    inference: str
    n_effects: int | None
    coverage: float
    min_purity: float
    network: Any
    coupling: float
    no_signal: float
    verbose: int
    credible_sets_: list[CredibleSet]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_arguments(self) -> None:
        if isinstance(self.expected_features, str):
            check_option("expected_features", self.expected_features, ("evidence", "posterior"))
        else:
            check_number("expected_features", self.expected_features, 0, strict=True)
        if self.expected_features == "posterior" and self.inference not in EP_ENGINES:
            raise ValueError(
                f"expected_features='posterior' needs inference='ep'; got inference={self.inference!r}."
            )
        check_number("no_signal", self.no_signal, 0)
        if self.no_signal >= 1:
            raise ValueError(f"no_signal must be below 1; got {self.no_signal!r}.")
        check_number("slab_variance", self.slab_variance, 0, strict=True)
        if self.slab_variance > _LARGEST_SLAB:
            raise ValueError(
                f"slab_variance must not exceed {_LARGEST_SLAB:.0e}; got {self.slab_variance!r}."
            )
        check_number("spike_variance", self.spike_variance, 0)
        if self.spike_variance >= self.slab_variance:
            raise ValueError(
                f"spike_variance must be below slab_variance={self.slab_variance!r}; "
                f"got {self.spike_variance!r}."
            )
        check_option("prior", self.prior, ("spike-slab", "gaussian"))
        check_number("threshold", self.threshold, 0)
        check_number("n_features_to_select", self.n_features_to_select, 1, kind=Integral, optional=True)
        check_number("tol", self.tol, 0)
        check_number("max_iter", self.max_iter, 1, kind=Integral)
        check_number("n_effects", self.n_effects, 1, kind=Integral, optional=True)
        check_share("coverage", self.coverage)
        check_number("coupling", self.coupling, 0)
        check_number("min_purity", self.min_purity, 0)
        plain = self.spike_variance == 0 and self.prior == "spike-slab"
        if self.inference == "single-effects" and not plain:
            raise ValueError(
                "inference='single-effects' needs spike_variance=0 and prior='spike-slab'; else use 'ep'."
            )

    def _check_data(self, X, y, **kwargs):
        """X in its own precision, and y, checked; memory maps are read in single precision."""
        X, y = check_rows(self, held(X), y, dtype=(np.float64, np.float32), accept_sparse="csr", **kwargs)
        X = _dense(X)
        check_size("X", X)
        return X, y

    def _rows(self, X, y, weights):
        """Distinct standardised training rows."""
        if not self.standardize and np.abs(X).max() > _LARGEST:
            raise ValueError(
                f"X has entries beyond {_LARGEST:.0e}; scale it, or leave it to standardize=True."
            )
        self._n_seen = len(X)
        return wide_rows(X, y, weights, self.standardize)

    @abstractmethod
    def _targets(self, rows):
        """Targets of the latent functions: one, or one for each class."""

    def _fitter(self, rows, noise=0.0):
        """Fitter of some rows at one variance of the noise."""
        is_gaussian = self.prior == "gaussian"
        variances = self.slab_variance, self.spike_variance
        targets, report = self._targets(rows), self._report
        given = self.network is not None
        links = neighbours(self.network, rows.X.shape[1] - 1) if given else None
        parts = rows, targets, self._posterior, *variances, is_gaussian, noise, report
        return SpikeSlabFitter(*parts, links, float(self.coupling), float(self.no_signal))

    def _posterior(self, observations, prior):
        if self.inference == "single-effects":
            return self._single_effects(observations, prior)
        options: Any = {"tol": self.tol, "max_iter": self.max_iter}
        n_features = observations.X.shape[1] - 1
        if self.inference == "ep" and n_features <= _FEW and _is_plain(prior):
            return single_effects(observations, prior, n_features, **options)
        affordable = self.inference == "ep" and is_affordable(observations.X)
        if affordable or self.inference == "ep-correlated":
            posterior = full_covariance(observations, prior, **options)
            if posterior.converged:
                return posterior
        return factorised(observations, prior, **options)

    def _single_effects(self, observations, prior, learn_noise=False):
        """Posterior of a sum of single effects."""
        expected, n_features = prior.inclusion[1:].sum(), observations.X.shape[1] - 1
        wanted = max(_LEAST_EFFECTS, int(np.ceil(_EFFECTS_SHARE * expected)))
        n_effects = min(wanted if self.n_effects is None else self.n_effects, n_features)
        options = {"learn_noise": learn_noise, "tol": self.tol, "max_iter": self.max_iter}
        return single_effects(observations, prior, n_effects, **options)

    def _labels(self, n_latent):
        """Class of each latent function; None for numbers."""
        return [None] * n_latent

    def _store_sets(self, posteriors, rows):
        """Store credible sets."""
        options = {"coverage": self.coverage, "min_purity": self.min_purity}
        self.credible_sets_ = [
            each
            for posterior, label in zip(posteriors, self._labels(len(posteriors)), strict=True)
            for each in credible_sets(
                posterior.assignments, rows.X[:, 1:], rows.weights, label=label, **options
            )
        ]

    def _report(self, trial):
        tell(f"{trial.expected_features:.4g} features expected: log evidence {trial.log_evidence:.2f}")

    def _store(self, trial, fitter):
        """Store the moments of the weights; public ones are in the units of X."""
        posteriors, standards = trial.posteriors, fitter.rows.standards
        self._standards = standards
        self._latents = [LinearLatent.of(posterior) for posterior in posteriors]
        means = np.array([latent.mean for latent in self._latents])
        variances = np.array([posterior.var for posterior in posteriors], dtype=float)
        self.coef_ = means[:, 1:] / standards.scale
        self.coef_std_ = np.sqrt(variances[:, 1:]) / standards.scale
        self.intercept_ = means[:, 0] - self.coef_ @ standards.centre
        self.inclusion_by_class_ = np.array(
            [posterior.inclusion[1:] for posterior in posteriors], dtype=float
        )
        self.inclusion_probabilities_ = self.inclusion_by_class_.max(axis=0)
        self.ranking_ = np.lexsort((-np.abs(means[:, 1:]).max(axis=0), -self.inclusion_probabilities_))
        self.prior_inclusion_ = float(fitter.prior(trial.expected_features).inclusion[-1])
        self.expected_features_ = float(trial.expected_features)
        self.no_signal_probability_ = _without_signal(posteriors)
        self.log_evidence_ = float(sum(posterior.log_evidence for posterior in posteriors))
        self.n_iter_ = max(posterior.n_iter for posterior in posteriors)
        self.converged_ = all(posterior.converged for posterior in posteriors)
        if self.inference == "single-effects":
            self._store_sets(posteriors, fitter.rows)
        if not self.converged_:
            warnings.warn(
                f"{type(self).__name__} did not converge; raise {self._remedy()}.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _remedy(self) -> str:
        """Arguments to raise where a fit does not converge."""
        return f"max_iter={self.max_iter} or tol={self.tol}"

    def _latent(self, X):
        """Mean and variance of every latent function: two arrays of shape (n_rows, n_latent)."""
        check_is_fitted(self)
        if isinstance(X, np.memmap) and X.ndim == 2 and len(X) > _CHUNK:
            pieces = [self._latent(X[first : first + _CHUNK]) for first in range(0, len(X), _CHUNK)]
            means, variances = (np.concatenate(part) for part in zip(*pieces, strict=True))
            return means, variances
        X = check_rows(self, held(X), dtype=(np.float64, np.float32), accept_sparse="csr", reset=False)
        starts = range(0, X.shape[0], _CHUNK)
        parts = [self._chunk(_dense(X[first : first + _CHUNK])) for first in starts]
        means, variances = (np.concatenate(part) for part in zip(*parts, strict=True))
        return means, variances

    def _chunk(self, X):
        """Mean and variance of every latent function at checked rows."""
        x = self._standards.apply(X)
        means, variances = zip(*(latent.moments(x) for latent in self._latents), strict=True)
        return np.column_stack(means), np.column_stack(variances)

    def _portable(self) -> Portable:
        return portable_linear(self, self._link())

    def _link(self) -> Link:
        """From moments of the latent functions to predictions."""
        return Link("multinomial") if len(self._latents) > 1 else Link("binary", Probit())

    def _get_support_mask(self):
        """Boolean mask of the best features, or of those that are probable enough; always at least one."""
        check_is_fitted(self)
        chosen = self.inclusion_probabilities_ >= self.threshold
        if self.n_features_to_select is not None:
            chosen = np.zeros(len(self.ranking_), dtype=bool)
            chosen[self.ranking_[: self.n_features_to_select]] = True
        chosen[self.ranking_[0]] = True
        return chosen
