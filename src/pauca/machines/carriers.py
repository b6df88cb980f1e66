"""The few vectors that carry a Gaussian process: which enter and leave, and what they know together."""

from dataclasses import dataclass, replace

import numpy as np

from ..basis import with_bias
from ..inference import column_gradient
from ..learn import BIAS_PRECISION, Fit, Model
from ..numerics import inverse_diagonal, robust_cholesky, solve_lower, solve_upper, solve_with_factor
from ..priors import ARD
from ..selection import Path, unlike
from .labels import signs_of

# To enter, a vector must be worth so many times what it must be worth to stay.
_ENTRY = 2.0
# So many enter one machine together at most, if they are worth at least this share of the best.
_MOST_ENTERING, _SHARE_OF_BEST = 10, 0.3
# A column with a smaller share of its size outside the span of the model adds only rounding.
_NOVELTY = 1e-6
_NOTHING = np.empty(0, dtype=int)


def carried(basis, candidates, contest, amplitudes, *, worth, max_iter):
    """A fit for each machine of a ``contest``: few candidates that are nearly as good as all.

    Vectors enter, best first, in at most ``max_iter`` rounds; they leave when they are no longer ``worth`` so
    many nats of the log joint density of labels and weights, or would speak for the other class.
    """
    search = _Search(basis, candidates, contest, amplitudes, contest.share * worth)
    path, models = Path(), search.models([_NOTHING] * len(amplitudes), contest.roughly)
    path.add(_Together(models), 0, 0, contest.judgement(models))
    while _count(entering := search.entering(models)) and len(path) < max_iter:
        models, n_left = search.exchanged(models, entering)
        path.add(_Together(models), _count(entering), n_left, contest.judgement(models))
    models, n_left = search.settled(search.places(models), contest.closely, _starts(models))
    path.add(_Together(models), 0, n_left, contest.judgement(models))
    records, found_all = path.records, _count(entering) == 0
    return [Fit(model, records, found_all and model.posterior.converged) for model in models]


@dataclass(frozen=True)
class _Together:
    """The models of all machines as one."""

    models: list

    @property
    def log_evidence(self):
        return float(sum(model.log_evidence for model in self.models))

    @property
    def active(self):
        return np.concatenate([model.active for model in self.models])


def _count(places):
    return sum(map(len, places))


def _starts(models, entering=None):
    """Where to begin when some vectors have entered each machine."""
    counts = [0] * len(models) if entering is None else map(len, entering)
    return [model.posterior.warm_start(slice(None), n) for model, n in zip(models, counts, strict=True)]


class _Search:
    """The machines of a contest, which share the standardised columns of the candidates."""

    def __init__(self, basis, candidates, contest, amplitudes, worth):
        self.candidates, self.contest, self.worth = candidates, contest, worth
        self.columns, _, scale = basis.columns(candidates)
        usable = np.isfinite(scale)
        self.sides = [
            _Side(
                self.columns,
                signs_of(basis, target)[candidates],
                precision_of_weights(basis, candidates, scale, amplitude),
                usable,
            )
            for target, amplitude in zip(contest.targets, amplitudes, strict=True)
        ]

    def places(self, models):
        """Where the active candidates of each machine stand among all."""
        return [np.searchsorted(self.candidates, model.active) for model in models]

    def entering(self, models):
        """Places of the candidates that are worth most to each machine.

        As long as there are some, only the most promising are looked at closely.
        """
        pulls = self.columns.T @ np.column_stack([model.posterior.sites.residual for model in models])
        parts = list(zip(self.sides, models, self.places(models), pulls.T, strict=True))

        def entering():
            return [side.entering(model, places, pull, self.worth) for side, model, places, pull in parts]

        if _count(found := entering()):
            return found
        for side, model, places, _ in parts:
            side.look(model, places, slice(None))
        return entering()

    def exchanged(self, models, entering):
        """The models with more vectors, less those that are not worth it then, and the number of these."""
        for side, entered in zip(self.sides, entering, strict=True):
            side.tried[entered] = True
        pairs = zip(self.places(models), entering, strict=True)
        places = [np.append(before, entered) for before, entered in pairs]
        return self.settled(places, self.contest.roughly, _starts(models, entering))

    def settled(self, places, inferred, starts=None):
        """The models of the vectors that are worth it among each other, and how many are not."""
        n_before = _count(places)
        while True:
            models = self.models(places, inferred, starts)
            stays = [_worth_it(model.posterior, self.worth) for model in models]
            if all(stay.all() for stay in stays):
                return models, n_before - _count(places)
            places = [place[stay[1:]] for place, stay in zip(places, stays, strict=True)]
            starts = [model.posterior.warm_start(stay, 0) for model, stay in zip(models, stays, strict=True)]

    def models(self, places, inferred, starts=None):
        """Those of the candidates at some places, as a contest infers them."""
        pairs = list(zip(self.sides, places, strict=True))
        Phis, precisions = (
            [side.design(place) for side, place in pairs],
            [side.precision[np.ix_(place, place)] for side, place in pairs],
        )
        posteriors = _whitened(Phis, precisions, inferred, starts)
        parts = zip(places, Phis, precisions, posteriors, strict=True)
        return [
            Model(
                self.candidates[place],
                Phi,
                ARD(np.append(BIAS_PRECISION, np.diag(precision))),
                self.contest.likelihood,
                posterior,
            )
            for place, Phi, precision, posterior in parts
        ]


class _Side:
    """What one machine sees: signs of the columns, the precision matrix of their weights, what was tried.

    ``curvatures`` are those of the log joint density in the weight of each candidate, as last seen.
    """

    def __init__(self, columns, signs, precision, usable):
        self.columns, self.signs = columns, signs
        self.precision = precision * np.outer(signs, signs)
        self.tried = ~usable | (np.diag(self.precision) <= 0)
        self.curvatures = np.ones(len(signs))

    def design(self, places):
        """Ones and the signed columns of some candidates."""
        return with_bias(self.columns[:, places] * self.signs[places])

    def entering(self, model, active, pull, worth):
        """Places of the candidates that are worth most and not too much alike.

        ``active`` are those in the model, ``pull`` the products of columns and residuals. Only the most
        promising, as far as curvatures are known, are looked at.
        """
        slopes = self.signs * pull - self.precision[:, active] @ model.posterior.mean[1:]
        slopes = np.where(self.tried, 0.0, np.maximum(slopes, 0.0))
        places = np.argsort(-np.square(slopes) / self.curvatures, kind="stable")[: 4 * _MOST_ENTERING]
        self.look(model, active, places)
        gains = 0.5 * np.square(slopes[places]) / self.curvatures[places]
        order = np.argsort(-gains, kind="stable")
        best = order[gains[order] > max(_ENTRY * worth, _SHARE_OF_BEST * gains[order[0]])]
        places = places[best]
        return places[unlike(self.columns[:, places], min(_MOST_ENTERING, 1 + len(active)))]

    def look(self, model, active, places):
        """Compute the curvatures of some candidates anew, infinite where a column says nothing new.

        The other weights of the machine would change with theirs; those of other machines stay.
        """
        b, columns = model.posterior.sites.precision, self.columns[:, places]
        cross = ((model.Phi.T * b) @ columns) * self.signs[places]
        cross[1:] += self.precision[active][:, places]
        size = np.einsum("n,nc,nc->c", b, columns, columns) + np.diag(self.precision)[places]
        inside = np.square(solve_lower(model.posterior.factor, cross)).sum(axis=0)
        self.curvatures[places] = np.where(size - inside > _NOVELTY * size, size - inside, np.inf)


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


def _whitened(Phis, precisions, inferred, starts=None):
    """Posteriors of the weights of each Φ, the first the bias, the others with a ``precision`` matrix.

    What infers them sees u = Rᵀ w with R Rᵀ that matrix, whose precisions are one.
    """
    roots = [robust_cholesky(with_that_of_the_bias(precision)) for precision in precisions]
    designs = [solve_lower(R, Phi.T).T for R, Phi in zip(roots, Phis, strict=True)]
    if starts is not None:
        starts = [replace(start, mean=R.T @ start.mean) for R, start in zip(roots, starts, strict=True)]
    posteriors = inferred([ARD(np.ones(len(R))) for R in roots], designs, starts)
    return [
        replace(posterior, mean=solve_upper(R, posterior.mean), factor=R @ posterior.factor)
        for R, posterior in zip(roots, posteriors, strict=True)
    ]


class CarriedEvidence:
    """Log evidence of the vectors of one machine, and its gradient, as a function of the scales of features.

    The covariance of the weights changes with the kernel; the amplitude stays as it is. ``inferred`` is the
    way of a contest to make posteriors.
    """

    def __init__(self, basis, active, amplitude, inferred):
        self.basis, self.active, self.amplitude, self.inferred = basis, active, amplitude, inferred
        self.starts = None

    def __call__(self, scales):
        active, basis = self.active, self.basis.rescaled(scales)
        columns, gram = basis.plain(active), basis.gram(active)
        Phi, precision = with_bias(columns), gram / self.amplitude
        (posterior,) = _whitened([Phi], [precision], self.inferred, self.starts)
        self.starts = [posterior.warm_start(slice(None), 0)]
        by_columns = column_gradient(Phi, posterior)[:, 1:]
        by_gram = _precision_gradient(precision, posterior)
        gradient = basis.plain_scale_gradient(active, by_columns, columns)
        # The rbf kernel, the only one that comes here, takes the product of both arguments: the amplitude
        # cancels. Another kernel needs by_gram / amplitude with gram.
        gradient += basis.gram_scale_gradient(active, by_gram, precision)
        return posterior.log_evidence, gradient


def _precision_gradient(precision, posterior):
    """Derivatives of the log evidence in the entries of the precision matrix: ½ (A⁻¹ − E[w wᵀ])."""
    identity = np.eye(len(posterior.mean))
    moments = solve_with_factor(posterior.factor, identity) + np.outer(posterior.mean, posterior.mean)
    return 0.5 * (solve_with_factor(robust_cholesky(precision), identity[1:, 1:]) - moments[1:, 1:])
