"""Penalised log evidence of several classes that share kernel, vectors and amplitude."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....inference import DesignPrior, joint_latent_ep
from ....likelihoods import MultinomialProbit
from ..hyperparameters import Hyperparameters
from ..process import Process
from ..sparse_evidence import Design, VectorEvidence
from ..sparse_evidence import Upstream as VectorUpstream

# Newton-like steps to the latent values of the base rates, their damping, and the change that ends them.
_MAX_STEPS, _DAMPING, _SETTLED = 100, 0.7, 1e-8
# Smallest share of a class; numerical guard.
_LEAST_SHARE = 1e-6
# Change of a site, in standard deviations, at which joint propagation ends during an ascent; set by hand.
_TOL = 2e-2
# Most rounds of an evaluation: halved after each that does not converge, down to the second number, so that
# labels that no process explains do not take them at every point of an ascent. Set by hand.
_MOST_ROUNDS, _FEWEST_ROUNDS = 12, 5


def base_latents(shares: NDArray) -> NDArray:
    """Latent values, with mean zero, at which the multinomial probit has given probabilities."""
    log_shares = np.log(np.maximum(shares, _LEAST_SHARE))
    values, likelihood = np.zeros((1, len(shares))), MultinomialProbit()
    for _ in range(_MAX_STEPS):
        step = _DAMPING * (log_shares - likelihood.log_probabilities(values, np.zeros(values.shape)))
        values = values + step - step.mean()
        if np.abs(step - step.mean()).max() < _SETTLED:
            break
    return values[0]


def class_offsets(bases: NDArray, amplitude: float) -> NDArray:
    """Prior means of the latent values of classes, which give the base rates where f has this variance."""
    return bases * np.sqrt(1 + amplitude)


class ClassEvidence(VectorEvidence):
    """Evidence of the multinomial probit model, one latent function for each class, by joint propagation.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        Rows.
    y : ndarray of int, shape (n_rows,)
        Class codes.
    weights : ndarray of shape (n_rows,)
        How many times each row counts.
    hyperparameters : Hyperparameters
        Point to start from, and priors.
    vectors : ndarray or sparse matrix of shape (n_vectors, n_features)
        Vectors, which stay where they are.
    bases : ndarray of shape (n_classes,)
        Latent values of the base rates.
    """

    def __init__(
        self,
        X: Any,
        y: NDArray,
        weights: NDArray,
        hyperparameters: Hyperparameters,
        vectors: Any,
        bases: NDArray,
    ) -> None:
        super().__init__(X, y, weights, hyperparameters, vectors)
        self.bases = bases
        self._rounds = _MOST_ROUNDS

    @cached_property
    def _likelihood(self) -> MultinomialProbit:
        return MultinomialProbit()

    def value(self, process: Process, likelihood: Any) -> tuple[float, NDArray]:
        """Log evidence and its gradient."""
        design = Design.of(process, self.X, self.vectors)
        a = process.amplitude * self.hyperparameters.level
        prior, offsets = DesignPrior(design.Phi, design.left), class_offsets(self.bases, a)
        rows = self.y, self.weights, self.state
        found = joint_latent_ep(self._likelihood, prior, offsets, *rows, _TOL, self._rounds)
        # Rounds that went on too long lead nowhere; the next ones start where the last good ones ended.
        self.state = found.sites if found.converged else self.state
        if not found.converged:
            self._rounds = max(self._rounds // 2, _FEWEST_ROUNDS)
        precisions, shifts = self.weights[:, None] * found.sites
        mean, variance = found.latent
        coefs, copies = shifts - precisions * mean, np.maximum(self.weights, 1.0)
        parts = zip(precisions.T, coefs.T, found.factors, variance.T, strict=True)
        upstreams = [VectorUpstream.of_sites(design, b, coef, (L, v), copies) for b, coef, L, v in parts]
        total = upstreams[0]
        for upstream in upstreams[1:]:
            total = total + upstream
        by_mean = coefs.sum(axis=0) @ self.bases * 0.5 * a / np.sqrt(1 + a)
        return found.log_evidence, self.chained(process, design, total, by_mean)
