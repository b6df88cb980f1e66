"""The few vectors that carry a Gaussian process: which enter and leave, and what they know together."""

from dataclasses import replace
from functools import partial

import numpy as np

from ..basis import with_bias
from ..inference import column_slopes, laplace
from ..learn import BIAS_PRECISION, Fit, Model, judgement
from ..numerics import inverse_diagonal, robust_cholesky, solve_lower, solve_upper, solve_with_factor
from ..priors import ARD
from ..selection import Path, unlike

# To enter, a vector must be worth so many times what it must be worth to stay.
_ENTRY = 2.0
# So many enter together at most, if they are worth at least this share of the best.
_MOST_ENTERING, _SHARE_OF_BEST = 10, 0.3
# A column with a smaller share of its size outside the span of the model adds only rounding.
_NOVELTY = 1e-6
# The mode on the way, where the decrement of Newton's method need not be smaller.
_roughly = partial(laplace, tol=1e-3)


def carried(basis, candidates, y, weights, recipe, amplitude, *, worth, max_iter):
    """The machine of a few candidates that is nearly as good as that of all, and the way there.

    Vectors enter, best first, in at most ``max_iter`` rounds; they leave when they are no longer ``worth`` so
    many nats of the log joint density of labels and weights, or would speak for the other class.
    """
    search = _Search(basis, candidates, y, weights, recipe.likelihood, amplitude, worth)
    path, model = Path(), search.model(np.empty(0, dtype=int), laplace)
    path.add(model, 0, 0, _judgement(recipe, model, y, weights))
    while len(entering := search.entering(model)) and len(path) < max_iter:
        model, n_left = search.exchanged(model, entering)
        path.add(model, len(entering), n_left, _judgement(recipe, model, y, weights))
    start = model.posterior.start(slice(None), 0)
    model, n_left = search.settled(search.places(model), recipe.engine, start)
    path.add(model, 0, n_left, _judgement(recipe, model, y, weights))
    return Fit(model, path.records, len(entering) == 0 and model.posterior.converged)


def _judgement(recipe, model, y, weights):
    return judgement(model, y, weights) if recipe.judged else None


class _Search:
    """Standardised columns of the candidates, the precision matrix of their weights, and what was tried.

    ``curvatures`` are those of the log joint density in the weight of each candidate, as last seen.
    """

    def __init__(self, basis, candidates, y, weights, likelihood, amplitude, worth):
        self.candidates, self.y, self.weights, self.likelihood = candidates, y, weights, likelihood
        self.worth = worth
        self.columns, _, scale = basis.columns(candidates)
        self.precision = precision_of_weights(basis, candidates, scale, amplitude)
        self.tried = ~np.isfinite(scale) | (np.diag(self.precision) <= 0)
        self.curvatures = np.ones(len(candidates))

    def places(self, model):
        """Where the active candidates stand among all."""
        return np.searchsorted(self.candidates, model.active)

    def entering(self, model):
        """Places of the candidates that are worth most and not too much alike.

        As long as there are some, only the most promising are looked at closely.
        """
        slopes = np.where(self.tried, 0.0, np.maximum(self._slopes(model), 0.0))
        places, gains = self._most_promising(model, slopes)
        if gains[0] <= _ENTRY * self.worth:
            self._look(model, np.arange(len(slopes)))
            places, gains = self._most_promising(model, slopes)
        places = places[gains > max(_ENTRY * self.worth, _SHARE_OF_BEST * gains[0])]
        return places[unlike(self.columns[:, places], min(_MOST_ENTERING, 1 + len(model.active)))]

    def _most_promising(self, model, slopes):
        """Places of some candidates, best first, and by how much each would raise the log joint density."""
        places = np.argsort(-np.square(slopes) / self.curvatures, kind="stable")[: 4 * _MOST_ENTERING]
        self._look(model, places)
        gains = 0.5 * np.square(slopes[places]) / self.curvatures[places]
        order = np.argsort(-gains, kind="stable")
        return places[order], gains[order]

    def _slopes(self, model):
        """Of the log joint density in the weight of each candidate."""
        posterior = model.posterior
        pull = self.precision[:, self.places(model)] @ posterior.mean[1:]
        return self.columns.T @ posterior.sites.residual - pull

    def _look(self, model, places):
        """Compute the curvatures of some candidates anew, infinite where a column says nothing new."""
        b, columns = model.posterior.sites.precision, self.columns[:, places]
        cross = (model.Phi.T * b) @ columns
        cross[1:] += self.precision[np.ix_(self.places(model), places)]
        size = np.einsum("n,nc,nc->c", b, columns, columns) + self.precision[places, places]
        inside = np.square(solve_lower(model.posterior.factor, cross)).sum(axis=0)
        self.curvatures[places] = np.where(size - inside > _NOVELTY * size, size - inside, np.inf)

    def exchanged(self, model, entering):
        """The model with more vectors, less those that are not worth it then, and the number of these."""
        self.tried[entering] = True
        start = model.posterior.start(slice(None), len(entering))
        return self.settled(np.append(self.places(model), entering), _roughly, start)

    def settled(self, places, engine, start=None):
        """The model of the vectors that are worth it among each other, and how many are not."""
        n_before = len(places)
        while True:
            model = self.model(places, engine, start)
            stays = _worth_it(model.posterior, self.worth)
            if stays.all():
                return model, n_before - len(places)
            places, start = places[stays[1:]], model.posterior.start(stays, 0)

    def model(self, places, engine, start=None):
        """The model of the candidates at some places."""
        Phi, precision = with_bias(self.columns[:, places]), self.precision[np.ix_(places, places)]
        posterior = _inferred(Phi, precision, self.likelihood, self.y, self.weights, engine, start)
        prior = ARD(np.append(BIAS_PRECISION, np.diag(precision)))
        return Model(self.candidates[places], Phi, prior, self.likelihood, posterior)


def precision_of_weights(basis, candidates, scale, amplitude):
    """Precision matrix of the weights of columns that were divided by their ``scale``."""
    return basis.gram(candidates) / (amplitude * np.outer(scale, scale))


def with_that_of_the_bias(precision):
    """A precision matrix of weights with a row and a column for the bias before them."""
    whole = np.zeros((1 + len(precision), 1 + len(precision)))
    whole[0, 0], whole[1:, 1:] = BIAS_PRECISION, precision
    return whole


def _worth_it(posterior, least):
    """Which weights are left, the bias among them, when the negative and the least worthy go in turn."""
    precision = posterior.factor @ posterior.factor.T
    natural_mean = precision @ posterior.mean
    kept = np.arange(len(natural_mean))
    while len(kept) > 1:
        factor = robust_cholesky(precision[np.ix_(kept, kept)])
        mean = solve_with_factor(factor, natural_mean[kept])[1:]
        worth = 0.5 * mean * np.abs(mean) / inverse_diagonal(factor)[1:]
        if worth.min() >= least:
            break
        kept = np.delete(kept, 1 + np.argmin(worth))
    return np.isin(np.arange(len(natural_mean)), kept)


def _inferred(Phi, precision, likelihood, y, weights, engine, start):
    """Posterior of the weights of Φ, the first the bias, the others with a ``precision`` matrix.

    The engine sees u = Rᵀ w with R Rᵀ that matrix, whose precisions are one.
    """
    R, whitened = robust_cholesky(with_that_of_the_bias(precision)), ARD(np.ones(Phi.shape[1]))
    if start is not None:
        start = replace(start, mean=R.T @ start.mean)
    posterior = engine(likelihood, whitened, solve_lower(R, Phi.T).T, y, weights, start)
    return replace(posterior, mean=solve_upper(R, posterior.mean), factor=R @ posterior.factor)


class CarriedEvidence:
    """Log evidence of the vectors of one machine, and its slopes, as a function of the scales of features.

    The covariance of the weights changes with the kernel; the amplitude stays as it is.
    """

    def __init__(self, basis, model, amplitude, y, weights, engine=laplace):
        self.basis, self.model, self.amplitude, self.y, self.weights = basis, model, amplitude, y, weights
        self.engine, self.start = engine, None

    def __call__(self, scales):
        active, basis = self.model.active, self.basis.rescaled(scales)
        columns, gram = basis.plain(active), basis.gram(active)
        Phi, precision = with_bias(columns), gram / self.amplitude
        posterior = _inferred(
            Phi, precision, self.model.likelihood, self.y, self.weights, self.engine, self.start
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
