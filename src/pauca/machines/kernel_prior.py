"""One prior for all vectors, that of a Gaussian process with the kernel as covariance.

With precisions of their own few vectors fit well, but that was the reason to choose them. Here f has the
covariance s · k(x, x′) and only the amplitude s is learned, with gamma, from the evidence. At the mode every
row is a vector of weight s · ∂ log p(y | f) / ∂f, which has the sign of its label: vectors that speak for
their own class come as near to it as one likes, and a few of them come near enough.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from ..basis import drawn, with_bias
from ..inference import laplace
from ..learn import BIAS_PRECISION
from ..priors import ARD
from .carriers import CarriedEvidence, carried
from .contests import TwoClasses
from .feature_scales import Climbs, descent
from .gamma import Trial, best_of
from .rows_and_targets import RowsAndTargets

# Multiples of the reference gamma, from wide kernels to narrow ones, and factors around the best of them.
_GRID, _REFINEMENTS = 10.0 ** np.arange(-2.0, 1.01), 10.0 ** np.array([0.5, 0.25])
# So many rows, whatever their labels, stand for all of them while the evidence is maximised.
_N_STANDING = 100
# Principal columns with a smaller share of the largest variance are as good as none.
_NEGLIGIBLE = 1e-6
# Latent values are at most so many times as large as makes a label nearly sure.
_LARGEST = 30.0
# How far from a guess the logarithm of the best variance may be, and how closely it is found.
_REACH, _CLOSE = 4.0, 0.2
# What a vector must be worth, in nats of the log joint density, and a scale of a feature, of evidence.
_WORTH, _WORTH_OF_SCALES = 0.1, 0.75
# Columns of candidates may fill so much memory.
_MOST_BYTES = 256 * 2**20


@dataclass(frozen=True)
class Amplitudes:
    """A value of gamma, what is best for each machine then, and the log evidence of all machines.

    ``spreads`` are the variances of the latent values before any data, the amplitudes s times the ``level``
    of k(x, x). ``n_terms`` principal columns stand for the kernel. No column was picked for how well it fits:
    the evidence has no price and is the ``score``.
    """

    gamma: float
    spreads: tuple
    level: float
    log_evidence: float
    n_terms: int
    weight: float
    scales: np.ndarray | None = None

    @property
    def values(self):
        """The amplitudes."""
        return [spread / self.level for spread in self.spreads]

    @property
    def score(self):
        """What is compared with other trials."""
        return self.log_evidence


@dataclass(frozen=True)
class KernelPrior:
    """Machines with this prior, each with an amplitude of its own.

    Kernel and amplitudes of many classes are found by the evidence of each against the rest; given these,
    vectors and weights of all are found together. They take at most ``max_iter`` rounds to find their
    vectors, each of which is worth ``min_gain``.
    """

    given: RowsAndTargets
    max_iter: int
    min_gain: float | None = None

    def at(self, gamma, scales=None, draw=0):
        """The trial of one gamma, whatever the ``draw``."""
        return self.again(self.amplitudes(gamma, scales=scales))

    def around(self, reference):
        """The best trial for values of gamma around a ``reference``, and the amplitudes of all."""
        tried: list[Amplitudes] = []
        for factor in _GRID:
            tried.append(self.amplitudes(reference * factor, tried))
        for step in _REFINEMENTS:
            best = best_of(tried)
            for gamma in (best.gamma / step, best.gamma * step):
                tried.append(self.amplitudes(gamma, tried))
        return self.again(best_of(tried)), tried

    def amplitudes(self, gamma, known=(), scales=None):
        """Those of the largest evidence for one gamma, beginning with those of the nearest ``known`` one."""
        given, rng = self.given, np.random.default_rng(self.given.seed)
        V, level = _principal_columns(given.basis_at(gamma, scales), rng)
        nearest = min(known, key=lambda other: abs(np.log(other.gamma / gamma)), default=None)
        starts = nearest.spreads if nearest else [given.recipe.likelihood.saturation**2] * len(given.targets)
        parts = zip(given.targets, starts, strict=True)
        found = [_spread(V, y, given.weights, given.recipe, start) for y, start in parts]
        spreads, log_evidences = zip(*found, strict=True)
        log_evidence, n_terms = float(sum(log_evidences)), V.shape[1] - 1
        return Amplitudes(gamma, spreads, level, log_evidence, n_terms, given.weights.sum(), scales)

    def again(self, chosen):
        """The trial of what was chosen, perhaps on a part of the rows: amplitudes, or a trial with them."""
        given, amplitudes = self.given, getattr(chosen, "amplitudes", chosen)
        basis = given.basis_at(amplitudes.gamma, amplitudes.scales)
        size = min(given.max_candidates or basis.n_candidates, max(1, _MOST_BYTES // (8 * basis.n_rows)))
        candidates = drawn(basis, size, np.random.default_rng(given.seed))
        candidates = candidates[basis.centre_rows[candidates] >= 0]
        limits = {"worth": _WORTH if self.min_gain is None else self.min_gain, "max_iter": self.max_iter}
        fits = carried(basis, candidates, given.contest, amplitudes.values, **limits)
        score, scales, weight = amplitudes.score, amplitudes.scales, amplitudes.weight
        trial = Trial(amplitudes.gamma, tuple(fits), score, scales, weight, amplitudes)
        given.report(trial)
        return trial

    def starts(self, chosen, trials):
        """From where to climb to better scales."""
        return [chosen]

    def climbs(self):
        """Climbs to better scales."""
        return Climbs(self.at, self._descent_of, self.given.varies, _WORTH_OF_SCALES)

    def _descent_of(self, trial):
        given, basis = self.given, self.given.basis_at(trial.gamma)
        parts = zip(trial.fits, given.targets, trial.amplitudes.values, strict=True)
        rough = replace(given.recipe, engine=laplace)
        return descent(
            [
                CarriedEvidence(
                    given.signed(basis, y),
                    fit.model.active,
                    amplitude,
                    TwoClasses(rough, y, given.weights).closely,
                )
                for fit, y, amplitude in parts
                if len(fit.model.active)
            ],
            given.varies,
        )


def _principal_columns(basis, rng):
    """A column of ones and V with V Vᵀ ≈ k(X, X) / level, from the kernel of some rows; and the level."""
    centred = np.flatnonzero(basis.centre_rows >= 0)
    standing = rng.choice(centred, min(_N_STANDING, len(centred)), replace=False)
    gram = basis.gram(standing)
    level = float(np.abs(np.diag(gram)).mean()) or 1.0
    variances, directions = np.linalg.eigh(gram / level)
    kept = variances > _NEGLIGIBLE * np.abs(variances).max()
    V = basis.plain(standing) @ (directions[:, kept] / np.sqrt(variances[kept]))
    return with_bias(V / level), level


def _spread(V, y, weights, recipe, guess):
    """The prior variance of the largest evidence, at most some way from a ``guess``, and the evidence."""
    likelihood = recipe.likelihood
    sure = 2 * np.log(likelihood.saturation)
    largest = sure + 2 * np.log(_LARGEST)
    middle = min(np.log(guess), largest)
    start = None

    def cost(log_spread):
        # Flat while labels are in doubt; where classes separate, the evidence would grow without end.
        return np.logaddexp(0.0, log_spread - sure)

    def descent(log_spread):
        nonlocal start
        posterior = laplace(likelihood, _same_precision(V, log_spread), V, y, weights, start)
        start = posterior.warm_start(slice(None), 0)
        return cost(log_spread) - posterior.log_evidence

    bounds = (middle - _REACH, min(middle + _REACH, largest))
    found = minimize_scalar(descent, bounds=bounds, method="bounded", options={"xatol": _CLOSE})
    posterior = recipe.engine(likelihood, _same_precision(V, found.x), V, y, weights, start)
    return float(np.exp(found.x)), posterior.log_evidence - cost(found.x)


def _same_precision(V, log_spread):
    return ARD(np.append(BIAS_PRECISION, np.full(V.shape[1] - 1, np.exp(-log_spread))))
