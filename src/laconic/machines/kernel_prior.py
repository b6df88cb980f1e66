"""One prior for all vectors, that of a Gaussian process with the kernel as covariance, carried by few of them.

With precisions of their own few vectors fit well, but that was the reason to choose them. Here f has the
covariance s · k(x, x′) and only the amplitude s is learned, with gamma, from the evidence. At the mode every row
is a vector of weight s · ∂ log p(y | f) / ∂f, which has the sign of its label: vectors that speak for their own
class come as near to it as one likes, and a few of them come near enough.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from ..basis import KernelBasis, drawn, with_bias
from ..inference import column_slopes, laplace
from ..learn import BIAS_PRECISION, Fit, Model, Recipe, judgement
from ..numerics import robust_cholesky, solve_lower, solve_upper, solve_with_factor
from ..priors import ARD
from ..selection import Path, unlike
from .feature_scales import descent, varying
from .gamma import Trial, best_of
from .labels import signs_of

# Multiples of the reference gamma, from wide kernels to narrow ones, and factors around the best of them.
_GRID, _REFINEMENTS = 10.0 ** np.arange(-2.0, 1.01), 10.0 ** np.array([0.5, 0.25])
# So many rows, whatever their labels, stand for all of them while the evidence is maximised.
_N_STANDING = 100
# Principal columns with a smaller share of the largest variance are as good as none.
_NEGLIGIBLE = 1e-6
# Latent values are at most so many times as large as makes a label nearly sure.
_LARGEST = 30.0
# How far from a guess the logarithm of the best amplitude may be, and how closely it is found.
_REACH, _CLOSE = 4.0, 0.2
# What a vector must be worth, in nats of the log joint density of labels and weights at its maximum.
_WORTH = 0.1
# Vectors that enter together are worth at least this share of the best.
_MOST_ENTERING, _SHARE_OF_BEST = 10, 0.3
# A column with a smaller share of its size outside the span of the model adds only rounding.
_NOVELTY = 1e-6
# Columns of candidates may fill so much memory.
_MOST_BYTES = 256 * 2**20


@dataclass(frozen=True)
class Amplitudes:
    """A value of gamma, the amplitude of each machine, and the log evidence of all machines.

    ``n_terms`` principal columns stand for the kernel. No column was picked for how well it fits: the evidence
    has no price and is the ``score``.
    """

    gamma: float
    values: tuple
    log_evidence: float
    n_terms: int
    scales: np.ndarray | None = None

    @property
    def score(self):
        """What is compared with other trials."""
        return self.log_evidence


@dataclass(frozen=True)
class KernelPrior:
    """The machines of a problem with this prior.

    ``basis_at(gamma)`` gives the columns without signs; at most ``max_candidates`` of them may be kept.
    """

    basis_at: Callable[..., KernelBasis]
    targets: list
    weights: np.ndarray
    recipe: Recipe
    seed: int
    max_candidates: int | None

    def search(self, reference):
        """Amplitudes for values of gamma around ``reference`` and around the best of them."""
        tried: list[Amplitudes] = []
        for factor in _GRID:
            tried.append(self.at(reference * factor, tried))
        for step in _REFINEMENTS:
            best = best_of(tried)
            for gamma in (best.gamma / step, best.gamma * step):
                tried.append(self.at(gamma, tried))
        return tried

    def at(self, gamma, known=(), scales=None):
        """The amplitudes of the largest evidence for one gamma; those of the nearest ``known`` one are where
        to begin."""
        V = _principal_columns(self.basis_at(gamma, scales), np.random.default_rng(self.seed))
        nearest = min(known, key=lambda other: abs(np.log(other.gamma / gamma)), default=None)
        starts = nearest.values if nearest else [self.recipe.likelihood.sure**2] * len(self.targets)
        parts = zip(self.targets, starts, strict=True)
        found = [_amplitude(V, y, self.weights, self.recipe, start) for y, start in parts]
        values, log_evidences = zip(*found, strict=True)
        return Amplitudes(gamma, values, float(sum(log_evidences)), V.shape[1] - 1, scales)

    def trial(self, amplitudes):
        """The machines of a few vectors."""
        basis = self.basis_at(amplitudes.gamma, amplitudes.scales)
        rng = np.random.default_rng(self.seed)
        size = min(self.max_candidates or basis.n_candidates, max(1, _MOST_BYTES // (8 * basis.n_rows)))
        candidates = drawn(basis, size, rng)
        fits = [
            _carried(basis.signed(signs_of(basis, y)), candidates, y, self.weights, self.recipe, amplitude)
            for y, amplitude in zip(self.targets, amplitudes.values, strict=True)
        ]
        return Trial(
            amplitudes.gamma,
            tuple(fits),
            amplitudes.score,
            amplitudes.scales,
            weight=float(self.weights.sum()),
            amplitudes=amplitudes,
        )


    def scaled_trial(self, gamma, scales, draw):
        """The machines with scales of the features."""
        return self.trial(self.at(gamma, scales=scales))

    def descent_of(self, trial):
        """What climbs to better scales go down."""
        basis = self.basis_at(trial.gamma)
        evidences = []
        for y, fit, amplitude in zip(self.targets, trial.fits, trial.amplitudes.values, strict=True):
            if len(fit.model.active):
                signed = basis.signed(signs_of(basis, y))
                evidences.append(CarriedEvidence(signed, fit.model, amplitude, y, self.weights))
        return descent(evidences, varying(basis.X))


def _principal_columns(basis, rng):
    """A column of ones and V with V Vᵀ ≈ k(X, X), from the kernel of some rows."""
    size = min(_N_STANDING, basis.n_candidates)
    standing = rng.choice(basis.n_candidates, size, replace=False)
    variances, directions = np.linalg.eigh(basis.gram(standing, standing))
    kept = variances > _NEGLIGIBLE * variances[-1]
    return with_bias(basis.plain(standing) @ (directions[:, kept] / np.sqrt(variances[kept])))


def _amplitude(V, y, weights, recipe, guess):
    """The amplitude of the largest evidence, at most some way from a ``guess``, and the evidence."""
    likelihood = recipe.likelihood
    largest = 2 * np.log(_LARGEST * likelihood.sure)
    middle = min(np.log(guess), largest)
    start = None

    def descent(log_amplitude):
        nonlocal start
        posterior = laplace(likelihood, _same_precision(V, log_amplitude), V, y, weights, start)
        start = posterior.start(slice(None), 0)
        return _size_cost(log_amplitude, likelihood) - posterior.log_evidence

    bounds = (middle - _REACH, min(middle + _REACH, largest))
    found = minimize_scalar(descent, bounds=bounds, method="bounded", options={"xatol": _CLOSE})
    posterior = recipe.engine(likelihood, _same_precision(V, found.x), V, y, weights, start)
    return float(np.exp(found.x)), posterior.log_evidence - _size_cost(found.x, likelihood)


def _size_cost(log_amplitude, likelihood):
    """Minus the log prior of the amplitude, flat while it leaves labels in doubt; where classes separate, the
    evidence would let it grow without end."""
    return np.logaddexp(0.0, log_amplitude - 2 * np.log(likelihood.sure))


def _same_precision(V, log_amplitude):
    return ARD(np.append(BIAS_PRECISION, np.full(V.shape[1] - 1, np.exp(-log_amplitude))))


def _carried(basis, candidates, y, weights, recipe, amplitude):
    """The machine of a few candidates that is nearly as good as that of all, and the way there.

    Vectors enter, best first, as long as they are worth it; they leave when they no longer are, or would speak
    for the other class.
    """
    search = _Search(basis, candidates, y, weights, recipe.likelihood, amplitude)
    path, model = Path(), search.model(np.empty(0, dtype=int), laplace)
    path.add(model, 0, 0, _judgement(recipe, model, y, weights))
    while len(entering := search.entering(model)):
        model, n_left = search.exchanged(model, entering)
        path.add(model, len(entering), n_left, _judgement(recipe, model, y, weights))
    if recipe.engine is not laplace:
        model, n_left = search.settled(search.places(model), recipe.engine)
        path.add(model, 0, n_left, _judgement(recipe, model, y, weights))
    return Fit(model, path.records, model.posterior.converged)


def _judgement(recipe, model, y, weights):
    return judgement(model, y, weights) if recipe.judged else None


class _Search:
    """Standardised columns of the candidates, the precision matrix of their weights, and what was tried."""

    def __init__(self, basis, candidates, y, weights, likelihood, amplitude):
        self.candidates, self.y, self.weights, self.likelihood = candidates, y, weights, likelihood
        self.columns, _, scale = basis.columns(candidates)
        self.precision = basis.gram(candidates, candidates) / (amplitude * np.outer(scale, scale))
        self.tried = ~np.isfinite(scale)

    def places(self, model):
        """Where the active candidates stand among all."""
        return np.searchsorted(self.candidates, model.active)

    def entering(self, model):
        """Places of the candidates that are worth most and not too much alike."""
        gains = np.where(self.tried, 0.0, self._gains(model))
        order = np.argsort(-gains, kind="stable")[: 4 * _MOST_ENTERING]
        order = order[gains[order] > max(_WORTH, _SHARE_OF_BEST * gains.max())]
        return order[unlike(self.columns[:, order], min(_MOST_ENTERING, 1 + len(model.active)))]

    def _gains(self, model):
        """By how much the log joint density would rise with each candidate, its weight being positive."""
        posterior, places = model.posterior, self.places(model)
        b, e = posterior.sites.precision, posterior.sites.residual
        cross = (model.Phi.T * b) @ self.columns
        cross[1:] += self.precision[places]
        size = np.einsum("n,nc,nc->c", b, self.columns, self.columns) + np.diag(self.precision)
        curvature = size - np.square(solve_lower(posterior.factor, cross)).sum(axis=0)
        slope = self.columns.T @ e - self.precision[:, places] @ posterior.mean[1:]
        useful = (slope > 0) & (curvature > _NOVELTY * size)
        return np.where(useful, 0.5 * np.square(slope) / np.where(useful, curvature, 1.0), 0.0)

    def exchanged(self, model, entering):
        """The model with more vectors, less those that are not worth it then, and the number of these."""
        self.tried[entering] = True
        start = model.posterior.start(slice(None), len(entering))
        return self.settled(np.append(self.places(model), entering), laplace, start)

    def settled(self, places, engine, start=None):
        """The model of the vectors that are worth it among each other, and how many are not."""
        n_before = len(places)
        while True:
            model = self.model(places, engine, start)
            weights, variances = model.posterior.mean[1:], model.posterior.variances[1:]
            worth = 0.5 * weights * np.abs(weights) / variances
            if len(places) == 0 or worth.min() >= _WORTH:
                return model, n_before - len(places)
            stays = np.arange(len(places)) != np.argmin(worth)
            places, start = places[stays], model.posterior.start(np.append(True, stays), 0)

    def model(self, places, engine, start=None):
        """The model of the candidates at some places."""
        Phi, precision = with_bias(self.columns[:, places]), self.precision[np.ix_(places, places)]
        posterior = _inferred(Phi, precision, self.likelihood, self.y, self.weights, engine, start)
        prior = ARD(np.append(BIAS_PRECISION, np.diag(precision)))
        return Model(self.candidates[places], Phi, prior, self.likelihood, posterior)


def _inferred(Phi, precision, likelihood, y, weights, engine, start):
    """Posterior of the weights of Φ, the first the bias, the others with a ``precision`` matrix.

    The engine sees u = Rᵀ w with R Rᵀ that matrix, whose precisions are one.
    """
    whole = np.zeros((Phi.shape[1], Phi.shape[1]))
    whole[0, 0], whole[1:, 1:] = BIAS_PRECISION, precision
    R, whitened = robust_cholesky(whole), ARD(np.ones(Phi.shape[1]))
    if start is not None:
        start = replace(start, mean=R.T @ start.mean)
    posterior = engine(likelihood, whitened, solve_lower(R, Phi.T).T, y, weights, start)
    return replace(posterior, mean=solve_upper(R, posterior.mean), factor=R @ posterior.factor)


class CarriedEvidence:
    """Log evidence of the vectors of one machine, and its slopes, as a function of the scales of features.

    The covariance of the weights changes with the kernel; the amplitude stays as it is.
    """

    def __init__(self, basis, model, amplitude, y, weights):
        self.basis, self.model, self.amplitude, self.y, self.weights = basis, model, amplitude, y, weights
        self.start = None

    def __call__(self, scales):
        active, basis = self.model.active, self.basis.rescaled(scales)
        columns, gram = basis.plain(active), basis.gram(active, active)
        Phi, precision = with_bias(columns), gram / self.amplitude
        posterior = _inferred(
            Phi, precision, self.model.likelihood, self.y, self.weights, laplace, self.start
        )
        self.start = posterior.start(slice(None), 0)
        by_columns = column_slopes(Phi, posterior)[:, 1:] * columns
        by_gram = _precision_slopes(precision, posterior) * precision
        Z = basis.Z[active]
        slopes = basis.kernel.scale_slopes(basis.X, Z, by_columns) + basis.kernel.scale_slopes(Z, Z, by_gram)
        return posterior.log_evidence, slopes


def _precision_slopes(precision, posterior):
    """Derivatives of the log evidence in the entries of the precision matrix: ½ (A⁻¹ − E[w wᵀ])."""
    identity = np.eye(len(posterior.mean))
    moments = solve_with_factor(posterior.factor, identity) + np.outer(posterior.mean, posterior.mean)
    return 0.5 * (solve_with_factor(robust_cholesky(precision), identity[1:, 1:]) - moments[1:, 1:])
