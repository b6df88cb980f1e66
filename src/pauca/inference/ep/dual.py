"""EP in inner-product form: sites in u_i = y_i f(x_i), whose covariance before any data is the matrix C.

For likelihoods of label noise, whose sites may have negative precision. Hernández-Lobato's thesis (2009),
section 6.2; power EP and its evidence are ours.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln

from ...numerics import Accelerator
from .dual_algebra import dual_kernel, span_of
from .dual_run import MODES, EPMode, Run
from .sites import cavity, log_scale

__all__ = ["DualPosterior", "dual_ep"]

# The posterior is computed anew from the sites after so many sweeps, to remove drift.
_REFRESH = 10
# Sites that would change by less than this share of the tolerance stay as they are.
_NEGLIGIBLE = 0.1


@dataclass(frozen=True)
class DualPosterior:
    """u ~ N(mean, cov), ε ~ Beta(noise.a, noise.b); ``sites`` has columns precision, shift, wrong, right.

    ``flip`` is the probability of each row that its label is wrong. ``log_evidence`` is −inf where a row
    has no proper cavity. ``converged`` says that the last sweep skipped no row and changed little.
    """

    mean: np.ndarray
    cov: np.ndarray
    sites: np.ndarray
    noise: object
    flip: np.ndarray
    log_evidence: float
    mode: EPMode
    n_iter: int
    n_skipped: int
    converged: bool

    @property
    def coef(self):
        """The mean of u at rows with kernel values c is c·coef (thesis B.21)."""
        return self.sites[:, 1] - self.sites[:, 0] * self.mean

    def slope(self, C, more):
        """By how much the log evidence rises, to first order, when C becomes C + ``more``.

        The sites are stationary: Rasmussen & Williams (2006), equation 5.27.
        """
        kernel = dual_kernel(C, self.sites[:, 0])
        return 0.5 * float(self.coef @ more @ self.coef - np.vdot(kernel, more))


def dual_ep(C, noise, weights, mode=MODES[0], *, start=None, tol=1e-4, max_iter=150):
    """Posterior of (u, ε), one mode of the ladder.

    Parameters
    ----------
    C : ndarray of shape (n, n)
        Prior covariance of u: kernel values times both labels.
    noise : LabelNoise
        Likelihood with the prior of ε.
    weights : ndarray of shape (n,)
        How many times each row counts.
    mode : EPMode
        Power and damping.
    start : ndarray of shape (n, 4), optional
        Sites to start from; those that do not make a proper posterior are forgotten.
    tol : float
        Largest change of a site, in posterior standard deviations, at which it ends.
    max_iter : int
        Limit on the number of sweeps.

    Returns
    -------
    posterior : DualPosterior
    """
    run = Run(C, noise, weights, mode, _NEGLIGIBLE * tol, span_of(C))
    run.start(None if start is None else np.array(start, dtype=float))
    changes: list[float] = []
    accelerator, units = Accelerator(), run.units()
    while len(changes) < max_iter and not _given_up(changes, mode.patience):
        before = run.sites.copy()
        changes.append(run.sweep())
        settled = changes[-1] < tol
        if (settled or len(changes) % _REFRESH == 0) and not run.rebuild():
            break
        if settled:
            return _posterior(run, len(changes), True)
        if run.n_skipped or not run.leap(accelerator.after(before, run.sites, units)):
            accelerator.forget()
    return _posterior(run, len(changes), False)


def _given_up(changes, patience):
    """Whether the changes have ceased to fall."""
    recent, before = changes[-patience:], changes[-2 * patience : -patience]
    return len(before) == patience and min(recent) >= min(before)


def _posterior(run, n_iter, settled):
    """The posterior with its evidence."""
    if not settled:
        run.rebuild()
    mean, cov = run.mean, run.cov
    if run.U is not None:
        mean, cov = run.U @ mean, run.U @ cov @ run.U.T
    a, b = run.beta()
    learned = run.noise if run.noise.known else type(run.noise)(float(a), float(b))
    flip, evidence = _evidence(run.noise, learned, run.weights, run.mode, run.sites, mean, np.diag(cov))
    if np.isfinite(evidence):
        evidence += 0.5 * (run.sites[:, 1] @ mean - run.log_det)
    return DualPosterior(
        mean, cov, run.sites, learned, flip, float(evidence), run.mode, n_iter, run.n_skipped, settled
    )


def _evidence(noise, learned, weights, mode, sites, mean, var):
    """Flip probabilities, and the part of the log evidence (6.82) that belongs to sites and ε."""
    precision, shift, wrong, right = mode.power * sites.T
    cavity_mean, cavity_var = cavity(mean, var, precision, shift)
    a, b = learned.a - wrong, learned.b - right
    proper = (cavity_var > 0) & ((a > 0) & (b > 0) | noise.known)
    inside = [np.where(proper, part, 1.0) for part in (cavity_mean, cavity_var, a, b)]
    log_z, flip, _, _ = noise.tilt(*inside, mode.power * weights)
    flip = np.where(proper, flip, 0.5)
    if not proper.all():
        return flip, -np.inf
    scales = log_scale(log_z, precision, shift, cavity_mean, cavity_var)
    if not noise.known:
        scales += betaln(a, b) - learned.log_norm
    return flip, scales.sum() / mode.power + learned.log_norm - noise.log_norm
