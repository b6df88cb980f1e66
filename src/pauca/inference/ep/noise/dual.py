"""Expectation propagation in dual form: sites in u_i = y_i f(x_i), whose prior covariance is the matrix C.

It is for likelihoods of label noise, whose sites may have negative precision. Hernández-Lobato's thesis
(2009), section 6.2; power EP and its evidence are additions of this library.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from ....numerics import Accelerator
from ...protocols import NoisyLabelLikelihood, check_parts
from ..sites import cavity, log_scale
from .double_loop import Descent, descend
from .dual_algebra import span_of
from .dual_run import MODES, EPMode, Run

__all__ = ["DualPosterior", "dual_ep"]

# Sweeps of the double loop for each sweep that a single loop may make; set by hand.
_DOUBLE_LOOP_SWEEPS = 50
# Sweeps after which the posterior is recomputed from the sites, to remove rounding errors; set by hand.
_REFRESH = 10
# Change of a site, as a share of the tolerance, below which it is not updated; set by hand.
_NEGLIGIBLE = 0.1


@dataclass(frozen=True)
class DualPosterior:
    """Posterior of u and of the share ε of wrong labels.

    Parameters
    ----------
    mean, cov : ndarray of shape (n,) and (n, n)
        Moments of u ~ N(mean, cov).
    sites : ndarray of shape (n, 4)
        Sites of the rows, with columns precision, shift, wrong, right: natural parameters in u, and what the
        row adds to the parameters a and b of the distribution of ε.
    noise : LabelNoise
        Likelihood with the posterior Beta(a, b) of ε.
    flip : ndarray of shape (n,)
        Probability that the label of each row is wrong.
    log_evidence : float
        Log evidence in nats; −inf where a row has no proper cavity.
    mode : EPMode
        Power and damping that gave the result.
    n_iter : int
        Number of sweeps.
    n_skipped : int
        Rows that the last sweep skipped, for they had no proper cavity.
    converged : bool
        Whether the last sweep skipped no row and changed less than the tolerance, and the evidence is finite.
    """

    mean: NDArray
    cov: NDArray
    sites: NDArray
    noise: Any
    flip: NDArray
    log_evidence: float
    mode: EPMode
    n_iter: int
    n_skipped: int
    converged: bool

    @property
    def coef(self) -> NDArray:
        """Coefficients of the mean c·coef of u at a row with kernel values c (thesis B.21)."""
        return self.sites[:, 1] - self.sites[:, 0] * self.mean


def dual_ep(
    C: NDArray,
    noise: NoisyLabelLikelihood,
    weights: NDArray,
    mode: EPMode = MODES[0],
    *,
    start: NDArray | None = None,
    tol: float = 1e-4,
    max_iter: int = 150,
) -> DualPosterior:
    """Posterior of u and of the share ε of wrong labels, by one mode of expectation propagation.

    Parameters
    ----------
    C : ndarray of shape (n, n)
        Prior covariance of u: kernel values times both labels.
    noise : LabelNoise
        Likelihood with the prior of ε.
    weights : ndarray of shape (n,) or (n, 2)
        Weights of the labels of each row: of the label +1 of u, or of both labels.
    mode : EPMode, default=MODES[0]
        Power and damping.
    start : ndarray of shape (n, 4), optional
        Sites to start from; they are dropped where they do not give a proper posterior.
    tol : float, default=1e-4
        Largest change of a site, in posterior standard deviations, at which the sites have converged.
    max_iter : int, default=150
        Most sweeps.

    Returns
    -------
    posterior : DualPosterior
    """
    check_parts("dual_ep", (noise, NoisyLabelLikelihood))
    run = Run(C, noise, weights, mode, _NEGLIGIBLE * tol, span_of(C))
    run.start(None if start is None else np.array(start, dtype=float))
    if mode.loops == 2:
        return _descended(descend(run, tol, _DOUBLE_LOOP_SWEEPS * max_iter), run)
    changes: list[float] = []
    accelerator, units = Accelerator(), run.units()
    while len(changes) < max_iter and not _stagnates(changes, mode.patience):
        before = run.sites.copy()
        changes.append(run.sweep())
        converged = changes[-1] < tol
        if (converged or len(changes) % _REFRESH == 0) and not run.rebuild():
            break
        if converged:
            return _posterior(run, len(changes), True)
        if run.n_skipped or not run.leap(accelerator.after(before, run.sites, units)):
            accelerator.forget()
    return _posterior(run, len(changes), False)


def _descended(state: Descent, run: Run) -> DualPosterior:
    """Posterior of the double loop."""
    noise = run.noise if run.noise.known else type(run.noise)(*map(float, state.beta))
    mean, cov = state.U @ state.mean, state.U @ state.cov @ state.U.T
    sites, flip, evidence = state.sites, state.flip, state.log_evidence
    converged = state.converged and bool(np.isfinite(evidence))
    return DualPosterior(mean, cov, sites, noise, flip, evidence, run.mode, state.n_iter, 0, converged)


def _stagnates(changes: list[float], patience: int) -> bool:
    """Whether the smallest change of ``patience`` sweeps is no smaller than that of as many before."""
    recent, before = changes[-patience:], changes[-2 * patience : -patience]
    return len(before) == patience and min(recent) >= min(before)


def _posterior(run: Run, n_iter: int, converged: bool) -> DualPosterior:
    """Posterior of the current sites, with its evidence."""
    if not converged:
        run.rebuild()
    mean, cov = run.mean, run.cov
    if run.U is not None:
        mean, cov = run.U @ mean, run.U @ cov @ run.U.T
    a, b = run.beta()
    learned = run.noise if run.noise.known else type(run.noise)(float(a), float(b))
    flip, evidence = _evidence(run.noise, learned, run.weights, run.mode, run.sites, mean, np.diag(cov))
    if np.isfinite(evidence):
        evidence += 0.5 * (run.sites[:, 1] @ mean - run.log_det)
    converged = converged and bool(np.isfinite(evidence))
    return DualPosterior(
        mean, cov, run.sites, learned, flip, float(evidence), run.mode, n_iter, run.n_skipped, converged
    )


def _evidence(
    noise: NoisyLabelLikelihood,
    learned: NoisyLabelLikelihood,
    weights: NDArray,
    mode: EPMode,
    sites: NDArray,
    mean: NDArray,
    var: NDArray,
) -> tuple[NDArray, float]:
    """Flip probabilities, and the part of the log evidence (thesis 6.82) that belongs to sites and ε."""
    precision, shift, wrong, right = mode.power * sites.T
    cavity_mean, cavity_var = cavity(mean, var, precision, shift)
    a, b = learned.a - wrong, learned.b - right
    proper = (cavity_var > 0) & ((a > 0) & (b > 0) | noise.known)
    m, v, a_safe, b_safe = (np.where(proper, part, 1.0) for part in (cavity_mean, cavity_var, a, b))
    log_z, flip, _, _ = noise.tilt(m, v, a_safe, b_safe, mode.power * weights)
    flip = np.where(proper, flip, 0.5)
    if not proper.all():
        return flip, -np.inf
    scales = log_scale(log_z, precision, shift, cavity_mean, cavity_var)
    if not noise.known:
        scales += betaln(a, b) - learned.log_norm
    return flip, scales.sum() / mode.power + learned.log_norm - noise.log_norm
