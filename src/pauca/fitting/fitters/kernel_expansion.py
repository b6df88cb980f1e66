"""Sparse expansion of Gaussian processes: rounds of selecting vectors and inferring their weights."""

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis import with_bias
from ...inference import column_gradient
from ...priors import ARD, GaussianProcessPrior, expansion_precision
from ...selection import ExpansionCandidates, Path, staying
from ..classes import signs_of
from ..fitter import Fit, Model
from ..recipe import BIAS_PRECISION

_NO_VECTORS = np.empty(0, dtype=int)


def select_vectors(basis: Any, candidates: NDArray, classes: Any, amplitudes: list, limits: Any) -> list[Fit]:
    """Fit of each latent function: few candidates that are nearly as good as all.

    Vectors enter, best first, in at most ``limits.max_iter`` rounds; they leave when they add less than
    ``limits.min_gain`` nats to the log joint density of labels and weights, or when their weight is negative.
    """
    search = ExpansionSearch(basis, candidates, classes, amplitudes, classes.gain_share * limits.min_gain)
    path, models = Path(), search.models([_NO_VECTORS] * len(amplitudes), classes.approximate)
    path.add(_together(models), 0, 0, classes.loo_estimates(models))
    while _count(entering := search.entering(models)) and len(path) < limits.max_iter:
        models, n_left = search.exchanged(models, entering)
        path.add(_together(models), _count(entering), n_left, classes.loo_estimates(models))
    models, n_left = search.settled(search.places(models), classes.final, _warm_starts(models))
    path.add(_together(models), 0, n_left, classes.loo_estimates(models))
    records, found_all = path.records, _count(entering) == 0
    return [Fit(model, records, found_all and model.posterior.converged) for model in models]


def _together(models):
    """Models of all latent functions as one, for the record of the path."""
    active = np.concatenate([model.active for model in models])
    return SimpleNamespace(log_evidence=float(sum(model.log_evidence for model in models)), active=active)


def _count(places):
    return sum(map(len, places))


def _warm_starts(models, entering=None):
    """Warm starts when some vectors have entered each latent function."""
    counts = [0] * len(models) if entering is None else map(len, entering)
    return [model.posterior.warm_start(slice(None), n) for model, n in zip(models, counts, strict=True)]


class ExpansionSearch:
    """Latent functions of a class scheme, which share the standardised columns of the candidates."""

    def __init__(self, basis: Any, candidates: NDArray, classes: Any, amplitudes: list, min_gain: float):
        self.candidates, self.classes, self.min_gain = candidates, classes, min_gain
        self.columns, _, scale = basis.columns(candidates)
        gram, usable = basis.gram(candidates), np.isfinite(scale)
        self.parts = [
            ExpansionCandidates(
                self.columns,
                signs_of(basis, target)[candidates],
                expansion_precision(gram, scale, amplitude),
                usable,
            )
            for target, amplitude in zip(classes.targets, amplitudes, strict=True)
        ]

    def places(self, models: list[Model]) -> list[NDArray]:
        """Places of the active candidates of each latent function among all candidates."""
        return [np.searchsorted(self.candidates, model.active) for model in models]

    def entering(self, models: list[Model]) -> list[NDArray]:
        """Places of the candidates with the largest gains for each latent function.

        Only the most promising are examined, unless none of them is good enough.
        """
        residuals = np.column_stack([model.posterior.sites.residual for model in models])
        parts = list(
            zip(self.parts, models, self.places(models), (self.columns.T @ residuals).T, strict=True)
        )

        def entering():
            return [
                part.entering(model.Phi, model.posterior, places, products, self.min_gain)
                for part, model, places, products in parts
            ]

        if _count(found := entering()):
            return found
        for part, model, places, _ in parts:
            part.update_curvatures(model.Phi, model.posterior, places, slice(None))
        return entering()

    def exchanged(self, models: list[Model], entering: list[NDArray]) -> tuple[list[Model], int]:
        """Models with the entering vectors, without those of too small a gain, and the number of these."""
        for part, entered in zip(self.parts, entering, strict=True):
            part.tried[entered] = True
        pairs = zip(self.places(models), entering, strict=True)
        places = [np.append(before, entered) for before, entered in pairs]
        return self.settled(places, self.classes.approximate, _warm_starts(models, entering))

    def settled(self, places, inferred, starts=None) -> tuple[list[Model], int]:
        """Models of the vectors whose gains are large enough among each other, and how many have left."""
        n_before = _count(places)
        while True:
            models = self.models(places, inferred, starts)
            stays = [staying(model.posterior, self.min_gain) for model in models]
            if all(stay.all() for stay in stays):
                return models, n_before - _count(places)
            places = [place[stay[1:]] for place, stay in zip(places, stays, strict=True)]
            starts = [model.posterior.warm_start(stay, 0) for model, stay in zip(models, stays, strict=True)]

    def models(self, places, inferred, starts=None) -> list[Model]:
        """Models of the candidates at some places, posteriors by ``inferred``, a method of the scheme."""
        pairs = list(zip(self.parts, places, strict=True))
        Phis = [with_bias(part.signed(place)) for part, place in pairs]
        precisions = [part.precision[np.ix_(place, place)] for part, place in pairs]
        priors = [GaussianProcessPrior.of(precision, BIAS_PRECISION) for precision in precisions]
        posteriors = infer_whitened(Phis, priors, inferred, starts)
        return [
            Model(
                self.candidates[place],
                Phi,
                ARD(np.diag(prior.precision_matrix)),
                self.classes.likelihood,
                posterior,
            )
            for place, Phi, prior, posterior in zip(places, Phis, priors, posteriors, strict=True)
        ]


def infer_whitened(Phis, priors, inferred, starts=None):
    """Posteriors of the weights of each Φ under Gaussian-process priors, inferred in whitened weights."""
    parts = zip(priors, Phis, starts or [None] * len(Phis), strict=True)
    designs, whitened = zip(*[prior.whiten(Phi, start) for prior, Phi, start in parts], strict=True)
    units = [ARD(np.ones(Phi.shape[1])) for Phi in Phis]
    posteriors = inferred(units, designs, None if starts is None else whitened)
    return [prior.unwhiten(posterior) for prior, posterior in zip(priors, posteriors, strict=True)]


class ExpansionEvidence:
    """Log evidence of the vectors of one latent function and its gradient as a function of the scales.

    The covariance of the weights changes with the kernel; the amplitude stays as it is. ``inferred`` is a
    method of a class scheme.
    """

    def __init__(self, basis, active, amplitude, inferred):
        self.basis, self.active, self.amplitude, self.inferred = basis, active, amplitude, inferred
        self.starts = None

    def __call__(self, scales):
        active, basis = self.active, self.basis.rescaled(scales)
        columns, gram = basis.plain(active), basis.gram(active)
        Phi, precision = with_bias(columns), gram / self.amplitude
        prior = GaussianProcessPrior.of(precision, BIAS_PRECISION)
        (posterior,) = infer_whitened([Phi], [prior], self.inferred, self.starts)
        self.starts = [posterior.warm_start(slice(None), 0)]
        gradient = basis.plain_scale_gradient(active, column_gradient(Phi, posterior)[:, 1:], columns)
        by_gram = prior.precision_gradient(posterior) / self.amplitude
        return posterior.log_evidence, gradient + basis.gram_scale_gradient(active, by_gram, gram)
