"""Evidence of rows in blocks and its gradient in all hyperparameters, for a process projected on vectors."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis.blocks import RowBlock, RowBlocks
from ...numerics import gauss_hermite, solve_upper
from ..processes import Evidence, Hyperparameters
from .expectations import expected_expansion
from .posterior import Weights, infer
from .projection import Projection
from .sums import KEPT_BYTES, Design, SumsPass, chunks

# Rise of the bound, in nats, at which the weights of one set of hyperparameters are settled, and passes
# for it, the first time and later; the gradient is right at the best weights only. Set by hand for time.
_TOL, _FIRST_PASSES, _MAX_PASSES = 0.05, 40, 8
# Gauss-Hermite nodes of the derivatives in the parameters of the likelihood; set by hand.
_N_NODES = 7


class BoundEvidence(Evidence):
    """Bound on the log evidence of the projected process as a function of the hyperparameters.

    The process is that of its projection on fixed vectors. The bound on the evidence of the whole process,
    which adds a penalty for all that the vectors leave, prefers smooth functions of few features where
    vectors are few: with 100 of them it missed one of five relevant features of 20.

    Parameters
    ----------
    source : RowBlocks
        Rows and targets.
    vectors : ndarray of shape (n_vectors, n_features)
        Inducing vectors.
    hyperparameters : Hyperparameters
        Point to start from, and priors.
    dtype : dtype
        Precision of the whitened features.
    """

    def __init__(
        self, source: RowBlocks, vectors: NDArray, hyperparameters: Hyperparameters, dtype: Any = np.float64
    ) -> None:
        self.source, self.vectors, self.hyperparameters = source, vectors, hyperparameters
        self.dtype = dtype
        self.weights: Weights | None = None

    def value(self, process: Any, likelihood: Any) -> tuple[float, NDArray]:
        """Bound in nats, and its gradient in the logarithms of the hyperparameters."""
        projection = Projection.of(process, self.vectors)
        design = Design(projection, self.dtype, KEPT_BYTES)
        most = _MAX_PASSES if self.weights is not None else _FIRST_PASSES
        options: dict[str, Any] = {"tol": _TOL, "max_passes": most, "explained_only": True, "design": design}
        found = infer(self.source, projection, likelihood, start=self.weights, **options)
        self.weights = found
        function = _GradientPass.of(projection, design, likelihood, found, self.hyperparameters)
        log_likelihood, outer, sums = self.source.total(function)
        bound = log_likelihood - found.divergence_from(Weights.prior(projection.n_weights))
        return bound, sums + self._by_vectors(projection, outer)

    def _by_vectors(self, projection: Projection, outer: NDArray) -> NDArray:
        """What comes through the covariances of the vectors, by the derivative of their Cholesky factor."""
        root, process = projection.root, projection.process
        by_root = -np.tril(solve_upper(root, outer))
        inner = np.tril(root.T @ by_root)
        inner[np.diag_indices_from(inner)] *= 0.5
        upstream = solve_upper(root, solve_upper(root, inner).T).T
        upstream = 0.5 * process.amplitude * (upstream + upstream.T)
        placed = process.place(self.vectors)
        return _by_kernel(self.hyperparameters, process, placed, placed, upstream)


def _by_kernel(hyperparameters, process, X, Z, upstream, values=None):
    """Derivatives in the kernel's parameters and the scales, zero in all others, from placed rows."""
    n_before, n_kernel, n_after = (
        sum(hyperparameters.sizes[:3]),
        hyperparameters.sizes[3],
        hyperparameters.sizes[4],
    )
    parts = [np.zeros(n_before)]
    if n_kernel:
        parts.append(process.kernel.parameter_gradient(X, Z, upstream, values))
    parts.append(np.zeros(n_after))
    if process.scales is not None:
        parts.append(process.grouped(process.kernel.scale_gradient(X, Z, upstream, values)))
    return np.concatenate(parts)


@dataclass(frozen=True)
class _GradientPass(SumsPass):
    """Function from a block to its log likelihood, Uᵀ Φ, and derivatives that come through the rows.

    U are the derivatives of the bound in the whitened features Φ.
    """

    mean: Any = None
    hyperparameters: Any = None

    @classmethod
    def of(
        cls,
        projection: Projection,
        design: Design,
        likelihood: Any,
        weights: Weights,
        hyperparameters: Hyperparameters,
    ) -> "_GradientPass":
        """Pass at given weights."""
        moments = weights.mean, weights.factor
        base = SumsPass.at(projection, likelihood, *moments, explained_only=True, design=design)
        known = (base.coef, base.spread, True)
        return cls(projection, design, likelihood, *known, weights.mean, hyperparameters)

    def __call__(self, block: RowBlock) -> Any:
        value, outer, sums = 0.0, np.zeros_like(self.projection.root), 0.0
        for rows in chunks(block, self.projection.n_weights):
            parts = self._chunk(rows)
            value, outer, sums = value + parts[0], outer + parts[1], sums + parts[2]
        return value, outer, sums

    def _chunk(self, rows):
        weights = rows.weights
        process, n_plain = self.projection.process, self.projection.n_plain
        _, covariance, features, mean, var = self.latent(rows)
        log_prob, first, curvature = expected_expansion(self.likelihood, rows.y, mean, var)
        residual, precision = weights * first, weights * curvature
        upstream = (features @ self.spread) @ self.spread.T
        upstream *= -precision.astype(features.dtype)[:, None]
        upstream += np.outer(residual, self.mean).astype(features.dtype, copy=False)
        by_weights = upstream[:, n_plain:]
        by_features = 0.5 * np.einsum("ij,ij->j", upstream, features).astype(float)
        sums = self._simple(by_features, residual.sum(), (rows.y, weights, mean, var))
        by_kernel = process.amplitude * (by_weights @ self.design.whitening.T).astype(float, copy=False)
        placed, vectors = process.place(rows.X), process.place(self.projection.vectors)
        known = (self.hyperparameters, process, placed)
        sums = sums + _by_kernel(*known, vectors, by_kernel, covariance / process.amplitude)
        return float(weights @ log_prob), by_weights.T @ features[:, n_plain:], sums

    def _simple(self, by_features, residual, rows):
        """Derivatives in amplitude, constant, trend and the likelihood's parameters; zero in all others."""
        known, n_plain = self.hyperparameters, self.projection.n_plain
        process, sizes = self.projection.process, self.hyperparameters.sizes
        by_mean = residual * known.mean(process.amplitude)[1]
        parts: list[Any] = [[by_features[n_plain:].sum() + by_mean]]
        parts.append(by_features[:1] if sizes[1] else [])
        parts.append([by_features[1:n_plain].sum()] if sizes[2] else [])
        parts += [np.zeros(sizes[3]), self._by_parameters(*rows), np.zeros(known.n_scales)]
        return np.concatenate(parts)

    def _by_parameters(self, y, weights, mean, var):
        """Derivatives of the expected log likelihood in the likelihood's parameters."""
        total = np.zeros(self.hyperparameters.sizes[4])
        if len(total):
            for node, share in zip(*gauss_hermite(_N_NODES), strict=True):
                f = mean + node * np.sqrt(var)
                total += share * (self.likelihood.parameter_derivatives(y, f)[0] @ weights)
        return total
