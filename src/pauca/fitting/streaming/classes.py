"""Posterior of many classes, a latent function each, by passes over all rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis.blocks import RowBlock, RowBlocks
from ...numerics import robust_cholesky, solve_with_factor
from .posterior import Weights
from .projection import Projection
from .sums import KEPT_BYTES, Design, SumsPass, chunks

# Share of a Newton step that is taken: each class moves by its own curvature, while curvatures between two
# classes are up to as large. Most passes over the rows. Both set by hand.
_DAMPING, _MAX_PASSES = 0.6, 60
# Smallest curvature; numerical guard.
_FLOOR = 1e-12


@dataclass(frozen=True)
class ClassSums:
    """Sums over rows for each class.

    Parameters
    ----------
    weight : float
        Sum of the weights of the rows.
    log_predictive : float
        Summed log predictive probability of the labels, in nats.
    gradient : ndarray of shape (n_weights, n_classes)
        Its derivatives in the weights of the columns, not whitened.
    precision : ndarray of shape (n_classes, n_weights, n_weights)
        What the rows add to the precisions of the whitened weights.
    """

    weight: float
    log_predictive: float
    gradient: NDArray
    precision: NDArray

    def __add__(self, other: "ClassSums") -> "ClassSums":
        return ClassSums(
            self.weight + other.weight,
            self.log_predictive + other.log_predictive,
            self.gradient + other.gradient,
            self.precision + other.precision,
        )


@dataclass(frozen=True)
class ClassPass:
    """Function from a block of rows to its `ClassSums`.

    Latent values are integrated out with all of their variance: of the weights, and what the vectors leave.
    Moments of a row are those of expectation propagation with the marginal in place of the cavity,
    from which it hardly differs where rows are far more than vectors.

    Parameters
    ----------
    passes : tuple of SumsPass
        Pass of each class; they share vectors and design.
    likelihood : MultinomialProbit
        Likelihood with ``tilted_moments`` for codes of classes.
    """

    passes: tuple
    likelihood: Any

    @classmethod
    def at(
        cls,
        projections: Sequence[Projection],
        likelihood: Any,
        weights: Sequence[Weights],
        design: Design | None = None,
    ) -> "ClassPass":
        """Pass at given weights of each class; by default with a design that keeps nothing."""
        design, pairs = design or Design(projections[0]), zip(projections, weights, strict=True)
        passes = [SumsPass.at(known, None, each.mean, each.factor, design=design) for known, each in pairs]
        return cls(tuple(passes), likelihood)

    def __call__(self, block: RowBlock) -> ClassSums:
        first, n_classes = self.passes[0], len(self.passes)
        n_weights = first.projection.n_weights
        weight, value = 0.0, 0.0
        gradient, precision = np.zeros((n_weights, n_classes)), np.zeros((n_classes, n_weights, n_weights))
        for rows in chunks(block, n_weights):
            weights = rows.weights
            plain, covariance, features, means, variances = self.latent(rows)
            log_z, tilted, left = self.likelihood.tilted_moments(rows.y, means, variances)
            weight, value = weight + weights.sum(), value + weights @ log_z
            residual = weights[:, None] * (tilted - means) / variances
            curvature = np.maximum((variances - left) / np.square(variances), _FLOOR)
            gradient += np.vstack([plain.T @ residual, covariance.T @ residual])
            roots = np.sqrt(weights[:, None] * curvature).astype(features.dtype)
            for k in range(n_classes):
                scaled = features * roots[:, k : k + 1]
                precision[k] += scaled.T @ scaled
        return ClassSums(float(weight), float(value), gradient, precision)

    def latent(self, rows: RowBlock) -> tuple[NDArray, NDArray, NDArray, NDArray, NDArray]:
        """Columns in two parts, whitened features, means and variances of the latent values of each class."""
        plain, covariance, features = self.passes[0].design.of(rows)
        moments = [each.moments(rows.X, plain, covariance, features) for each in self.passes]
        means, variances = (np.column_stack(part) for part in zip(*moments, strict=True))
        return plain, covariance, features, means, np.maximum(variances, _FLOOR)


def infer_classes(
    source: RowBlocks,
    projections: Sequence[Projection],
    likelihood: Any,
    *,
    priors: Sequence[Weights] | None = None,
    start: Sequence[Weights] | None = None,
    tol: float = 1e-3,
    max_passes: int = _MAX_PASSES,
    dtype: Any = np.float64,
    kept: float = KEPT_BYTES,
    report: Callable[[int, float], None] | None = None,
) -> list[Weights]:
    """Gaussian of the weights of each class, by damped Newton steps for all classes at a time.

    Parameters
    ----------
    source : RowBlocks
        Placed rows and codes of classes.
    projections : sequence of Projection
        Process and vectors of each class, which differ in the prior mean of the constant at most.
    likelihood : MultinomialProbit
        Likelihood of the labels.
    priors : sequence of Weights, optional
        Distribution of the weights of each class before these rows; by default standard normal.
    start : sequence of Weights, optional
        Where to begin; by default the priors.
    tol : float
        Predicted rise of the log joint density, in nats, at which the last step is taken.
    max_passes : int
        Most passes.
    dtype : dtype
        Precision of the whitened features.
    kept : float
        Bytes of columns of rows that may be kept between passes.
    report : callable, optional
        Told the number of the pass and the summed log predictive probability.
    """
    first, design = projections[0], Design(projections[0], dtype, kept)
    priors = list(priors or [Weights.prior(first.n_weights)] * len(projections))
    precisions, weights = [prior.precision for prior in priors], list(start or priors)
    for n_passes in range(1, max_passes + 1):
        sums = source.total(ClassPass.at(projections, likelihood, weights, design))
        if report is not None:
            report(n_passes, sums.log_predictive)
        steps, decrement, joint = [], 0.0, sums.log_predictive
        for k, (each, prior, precision) in enumerate(zip(weights, priors, precisions, strict=True)):
            factor = robust_cholesky(precision + sums.precision[k])
            pull = precision @ (prior.mean - each.mean)
            slack = first.whitened(sums.gradient[:, k]) + pull
            step = solve_with_factor(factor, slack)
            decrement += slack @ step
            joint -= 0.5 * float((each.mean - prior.mean) @ -pull)
            steps.append((each.mean + _DAMPING * step, factor))
        done = decrement <= 2 * tol
        weights = [Weights(*step, joint, n_passes, bool(done), sums.weight) for step in steps]
        if done:
            break
    return weights
