"""Laplace approximation of several classes at once: one mode of all weights, a Gaussian for each class."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from scipy.sparse.linalg import LinearOperator, cg

from ..numerics import add_to_diagonal, robust_cholesky, solve_with_factor
from .laplace import CURVATURE_FLOOR, MAX_HALVINGS, STALLED_DECREMENT
from .posterior import Posterior, Sites, WarmStart, log_integral
from .protocols import JointSmoothLikelihood, SmoothPrior, check_parts

# Most Newton steps; set by hand.
_MAX_NEWTON = 100
# Number of weights up to which the equations of a Newton step are solved by a Cholesky factor; set by hand.
_MAX_DIRECT = 400
# Relative tolerance and most iterations of conjugate gradients for more weights; set by hand.
_CG_TOL, _MAX_CG = 0.1, 50


def joint_laplace(
    likelihood: JointSmoothLikelihood,
    priors: Sequence[SmoothPrior],
    Phis: Sequence[NDArray],
    y: NDArray,
    weights: NDArray,
    starts: Sequence[WarmStart] | None = None,
    tol: float = 1e-6,
) -> list[Posterior]:
    """One Gaussian for each class at the joint mode of log p(y | F) + Σ log p(w_c), F = (Φ_c w_c).

    Newton's method uses all second derivatives, also those between classes. The covariance of the weights of
    one class is conditional on the modes of the others. The log evidences of the classes add up to the joint
    one; each has an equal share of log p(y | F).

    Parameters
    ----------
    likelihood : Softmax
        Likelihood of one latent value per class, with ``log_prob``, ``derivatives`` and ``curvature``.
    priors : list of Prior
        Prior of the weights of each class.
    Phis : list of ndarray of shape (n_rows, n_weights)
        Design matrix of each class.
    y : ndarray of int of shape (n_rows,)
        Class codes.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    starts : list of WarmStart, optional
        Weights of each class to start from; by default zeros.
    tol : float, default=1e-6
        Rise of the log joint density in nats, predicted for the next step, at which the search ends.

    Returns
    -------
    posteriors : list of Posterior
    """
    check_parts(
        "joint_laplace", (likelihood, JointSmoothLikelihood), *((prior, SmoothPrior) for prior in priors)
    )
    problem = _Problem(likelihood, priors, Phis, y, weights)
    ws = [np.zeros(Phi.shape[1]) for Phi in Phis] if starts is None else [start.mean for start in starts]
    point = problem.at(ws)
    for n_iter in range(1, _MAX_NEWTON + 1):
        steps, decrement = point.newton_steps()
        if decrement <= 2 * tol:
            return point.posteriors(n_iter, True)
        after = problem.line_search(point, steps)
        if after is None:
            return point.posteriors(n_iter, decrement <= STALLED_DECREMENT)
        point = after
    return point.posteriors(n_iter, False)


@dataclass(frozen=True)
class _Problem:
    """Arguments of `joint_laplace`, which all points of the search share."""

    likelihood: JointSmoothLikelihood
    priors: Sequence[SmoothPrior]
    Phis: Sequence[NDArray]
    y: NDArray
    weights: NDArray

    def at(self, ws: Sequence[NDArray]) -> "_Point":
        """Point of the search with these weights of the classes."""
        F = np.column_stack([Phi @ w for Phi, w in zip(self.Phis, ws, strict=True)])
        log_likelihood = float(self.weights @ self.likelihood.log_prob(self.y, F))
        log_priors = [prior.log_density(w) for prior, w in zip(self.priors, ws, strict=True)]
        return _Point(self, ws, F, log_likelihood, log_priors)

    def line_search(self, point: "_Point", steps: Sequence[NDArray]) -> "_Point | None":
        """Point after the longest of 1, 1/2, 1/4, ... steps that is no descent, if there is one."""
        for halving in range(MAX_HALVINGS):
            size = 0.5**halving
            after = self.at([w + size * step for w, step in zip(point.ws, steps, strict=True)])
            if after.objective >= point.objective:
                return after
        return None


class _Point:
    """Weights of all classes, and the expansion of the log joint density around them."""

    def __init__(
        self,
        problem: _Problem,
        ws: Sequence[NDArray],
        F: NDArray,
        log_likelihood: float,
        log_priors: list[float],
    ) -> None:
        self.problem, self.ws, self.F = problem, ws, F
        self.log_likelihood, self.log_priors = log_likelihood, log_priors
        self.objective = log_likelihood + sum(log_priors)

    def newton_steps(self) -> tuple[list[NDArray], float]:
        """Newton step for the weights of each class, and the Newton decrement."""
        parts = zip(self.problem.Phis, self.sites.residual.T, self.prior_derivatives, strict=True)
        gradient = np.concatenate([Phi.T @ e + prior_gradient for Phi, e, (prior_gradient, _) in parts])
        curvature = np.concatenate([curvature for _, curvature in self.prior_derivatives])
        step = self._solve_hessian(gradient, curvature)
        return self._split(step), float(gradient @ step)

    @cached_property
    def sites(self) -> Sites:
        """Sites with a column for each class."""
        problem = self.problem
        gradient, curvature = problem.likelihood.derivatives(problem.y, self.F)
        weights = problem.weights[:, None]
        return Sites(weights * np.maximum(curvature, CURVATURE_FLOOR), weights * gradient)

    @cached_property
    def prior_derivatives(self) -> list[tuple[NDArray, NDArray]]:
        """First derivatives of the log prior of each class and minus the second."""
        return [prior.derivatives(w) for prior, w in zip(self.problem.priors, self.ws, strict=True)]

    @cached_property
    def factors(self) -> list[NDArray]:
        """Cholesky factors of the diagonal blocks of minus the Hessian, one for each class."""
        parts = zip(self.problem.Phis, self.sites.precision.T, self.prior_derivatives, strict=True)
        return [
            robust_cholesky(add_to_diagonal((Phi.T * b) @ Phi, prior_curvature))
            for Phi, b, (_, prior_curvature) in parts
        ]

    def _split(self, stacked: NDArray) -> list[NDArray]:
        """Parts of a stacked vector that belong to each class."""
        return np.split(stacked, np.cumsum([len(w) for w in self.ws])[:-1])

    def _solve_hessian(self, gradient: NDArray, prior_curvature: NDArray) -> NDArray:
        """H⁻¹ gradient, H being minus the Hessian of the log joint density."""
        d, v = self.problem.likelihood.curvature(self.F)
        d, v = self.problem.weights[:, None] * d, np.sqrt(self.problem.weights)[:, None] * v
        if len(gradient) <= _MAX_DIRECT:
            return self._solve_directly(gradient, prior_curvature, d, v)
        return self._solve_iteratively(gradient, prior_curvature, d, v)

    def _solve_directly(self, gradient: NDArray, prior_curvature: NDArray, d: NDArray, v: NDArray) -> NDArray:
        """H⁻¹ gradient by a Cholesky factor of H."""
        Phis = self.problem.Phis
        crossed = np.hstack([Phi * vector[:, None] for Phi, vector in zip(Phis, v.T, strict=True)])
        within = [(Phi.T * diagonal) @ Phi for Phi, diagonal in zip(Phis, d.T, strict=True)]
        hessian = block_diag(*within) - crossed.T @ crossed
        return solve_with_factor(robust_cholesky(add_to_diagonal(hessian, prior_curvature)), gradient)

    def _solve_iteratively(
        self, gradient: NDArray, prior_curvature: NDArray, d: NDArray, v: NDArray
    ) -> NDArray:
        """H⁻¹ gradient by conjugate gradients, preconditioned by the diagonal blocks of H."""
        Phis = self.problem.Phis

        def times_hessian(x: NDArray) -> NDArray:
            U = np.column_stack([Phi @ part for Phi, part in zip(Phis, self._split(x), strict=True)])
            products = d * U - v * (v * U).sum(axis=1, keepdims=True)
            rows = [Phi.T @ product for Phi, product in zip(Phis, products.T, strict=True)]
            return np.concatenate(rows) + prior_curvature * x

        def precondition(x: NDArray) -> NDArray:
            parts = zip(self.factors, self._split(x), strict=True)
            return np.concatenate([solve_with_factor(factor, part) for factor, part in parts])

        shape = (len(gradient), len(gradient))
        hessian, inverse = LinearOperator(shape, times_hessian), LinearOperator(shape, precondition)
        return cg(hessian, gradient, rtol=_CG_TOL, maxiter=_MAX_CG, M=inverse)[0]

    def posteriors(self, n_iter: int, converged: bool) -> list[Posterior]:
        """Gaussian posterior of each class at this point."""
        share, result = self.log_likelihood / len(self.ws), []
        for k, (w, factor, log_prior) in enumerate(zip(self.ws, self.factors, self.log_priors, strict=True)):
            sites = Sites(self.sites.precision[:, k], self.sites.residual[:, k])
            log_evidence = log_integral(share + log_prior, factor)
            result.append(Posterior(w, factor, log_evidence, sites, n_iter, bool(converged)))
        return result
