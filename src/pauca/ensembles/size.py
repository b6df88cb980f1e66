"""Ensemble size needed to agree with an infinite ensemble (thesis, chapter 4)."""

import warnings
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, ndtr, ndtri
from sklearn.exceptions import ConvergenceWarning

from ..validation import as_numbers, check_option, check_size
from .checks import check_confidence

# What observed votes stand for.
SHARES = "interval", "observed"

# Largest ensemble size that is searched, in members. Numerical guard.
_LARGEST = 2**31 - 1
# Least standard deviation of one member's lead in vote shares. Numerical guard against unanimous votes.
_MIN_SPREAD = 1e-12
# Exponent of the number of rows in the bandwidth of the density at a tie: the usual rate of kernel density
# estimates.
_BANDWIDTH_EXPONENT = -0.2


@dataclass(frozen=True)
class EnsembleSize:
    """Ensemble size estimated from votes on rows that the voting members were not trained on.

    Attributes
    ----------
    size : int or inf
        Least odd number of members whose vote agrees with that of infinitely many with probability
        ``confidence``, on average over the rows (4.14).
    confidence : float
        Wanted probability of agreement.
    votes : ndarray of shape (n_rows, n_classes)
        Votes that the size is estimated from.
    source : str
        Source of the votes: "oob", "cv" or "unlabelled".
    shares_of : str
        How votes stand for shares: "interval" or "observed"; see `required_size`.
    """

    size: float
    confidence: float
    votes: NDArray
    source: str
    shares_of: str = "interval"

    def agreement(self, n_members: int) -> float:
        """Probability that the vote of ``n_members`` (odd) is that of infinitely many; mean over the rows.

        Parameters
        ----------
        n_members : int
            Odd number of members.

        Returns
        -------
        agreement : float
            Mean probability of agreement.
        """
        return mean_agreement(self.votes, n_members, self.shares_of)

    @property
    def shares(self) -> NDArray:
        """Share of the votes for each class (column) on each row."""
        return self.votes / self.votes.sum(axis=1, keepdims=True)

    @property
    def required_sizes(self) -> NDArray:
        """Number of members that each row alone needs (4.8); infinite where classes are tied."""
        with np.errstate(divide="ignore"):
            return (ndtri(self.confidence) / _standardised_lead(self.votes)) ** 2

    @property
    def tie_density(self) -> float:
        """Density of rows at a tie, f(1/2) for two classes, estimated from the rows nearest to one."""
        width = len(self.votes) ** _BANDWIDTH_EXPONENT
        return float(np.mean(_standardised_lead(self.votes) <= width) / width)

    def tail(self, n_members: ArrayLike) -> NDArray:
        """Probability that a row needs more than ``n_members``, asymptotically with the power -1/2 (4.9).

        Parameters
        ----------
        n_members : int or array-like of int
            Numbers of members, large.

        Returns
        -------
        probability : float or ndarray
            Probability for each number.
        """
        return np.minimum(self.tie_density * ndtri(self.confidence) / np.sqrt(n_members), 1.0)

    @property
    def asymptotic_size(self) -> float:
        """Asymptotic size f(1/2)² / (2 pi (1 - confidence)²), for a confidence near one."""
        return self.tie_density**2 / (2 * np.pi * (1 - self.confidence) ** 2)


def required_size(votes: ArrayLike, confidence: float = 0.99, shares: str = "interval") -> float:
    """Least odd number of members whose vote agrees with infinitely many, on average over rows.

    Parameters
    ----------
    votes : array-like of shape (n_rows, n_classes)
        Votes for each class on rows that the voting members were not trained on.
    confidence : float, default=0.99
        Probability in (0.5, 1) of agreement with infinitely many members.
    shares : {"interval", "observed"}, default="interval"
        Share of infinitely many votes that observed ones stand for. "interval": anywhere between v / (m + 1)
        and (v + 1) / (m + 1) for v of m votes. "observed": v / m, the sum (4.14) of the thesis as printed;
        rows exactly at a tie then need infinitely many members.

    Returns
    -------
    size : int or inf
        Number of members; inf, with a warning, if no size below 2**31 is enough.

    Notes
    -----
    With "interval" no row is exactly at a tie because its votes are few. For more than two classes the
    probabilities that rivals draw level are normal approximations, and added up.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca.ensembles import required_size
    >>> required_size(np.column_stack([np.arange(102), 101 - np.arange(102)]))  # all shares equally likely
    1591
    """
    check_confidence(confidence)
    check_option("shares", shares, SHARES)
    counts = _check_votes(votes)
    if confidence == 1:
        raise ValueError("confidence must be below 1: only infinitely many members always agree.")
    enough = _least(lambda half: mean_agreement(counts, 2 * half + 1, shares) >= confidence, _LARGEST // 2)
    if enough is None:
        warnings.warn(
            "No number of members is enough: too many rows are tied. Use more members or rows.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return inf if enough is None else 2 * enough + 1


def _least(holds, largest):
    """Least number from 0 on from which ``holds`` is true; None if it exceeds ``largest``."""
    low, high = -1, 0
    while not holds(high):
        low, high = high, 2 * high + 1
        if high > largest:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def mean_agreement(votes: NDArray, n_members: int, shares: str = "interval") -> float:
    """Probability that a vote of ``n_members`` is that of infinitely many, averaged over the rows."""
    agreement = _AGREEMENT[shares, votes.shape[1] == 2]
    patterns, counts = np.unique(np.sort(votes, axis=1), axis=0, return_counts=True)
    return float(np.average(agreement(patterns, n_members), weights=counts))


def _two_observed(votes, n_members):
    """Agreement of two classes by (4.3) at the observed shares, for odd sizes."""
    a = (n_members + 1) / 2
    return betainc(a, a, votes[:, 1] / votes.sum(axis=1))


def _several_observed(votes, n_members):
    """Agreement of several classes at the observed shares: one minus the normal tails of all rivals."""
    lead, spread = _leads(votes)
    lost = ndtr(-np.sqrt(n_members) * lead / np.maximum(spread, _MIN_SPREAD)).sum(axis=1)
    return 1 - np.minimum(lost, 1 - 1 / votes.shape[1])


def _two_classes(votes, n_members):
    """Agreement of two classes: mean of (4.5) over the shares compatible with each pair of sorted votes."""
    total = votes.sum(axis=1)
    low = np.maximum(votes[:, 1] / (total + 1), 0.5)
    high = (votes[:, 1] + 1) / (total + 1)
    return (_integral(high, n_members) - _integral(low, n_members)) / (high - low)


def _integral(share, n_members):
    """Integral of (4.3) over shares from 0."""
    a = (n_members + 1) / 2
    return share * betainc(a, a, share) - betainc(a + 1, a, share) / 2


def _several_classes(votes, n_members):
    """Agreement of several classes: one minus the normal probabilities that each rival draws level."""
    lead, spread = _leads(votes)
    unit = 1 / (votes.sum(axis=1, keepdims=True) + 1)
    low, high = np.maximum(lead - unit / 2, 0), lead + unit / 2
    rate = np.sqrt(n_members) / np.maximum(spread, _MIN_SPREAD)
    lost = (_tail_integral(high, rate) - _tail_integral(low, rate)) / (high - low)
    return 1 - np.minimum(lost.sum(axis=1), 1 - 1 / votes.shape[1])


def _tail_integral(x, rate):
    """Antiderivative of the normal tail Phi(-rate x)."""
    return x * ndtr(-rate * x) - np.exp(-((rate * x) ** 2) / 2) / (np.sqrt(2 * np.pi) * rate)


def _leads(votes):
    """Leads of the last of sorted votes over the others, in shares, and the spread of one member's lead."""
    shares = votes / votes.sum(axis=1, keepdims=True)
    leader, rivals = shares[:, -1:], shares[:, :-1]
    lead = leader - rivals
    return lead, np.sqrt(np.maximum(leader + rivals - lead**2, 0))


def _standardised_lead(votes):
    """Lead of the first class over the second in units of the spread of one member's lead."""
    lead, spread = _leads(np.sort(votes, axis=1))
    return lead[:, -1] / np.maximum(spread[:, -1], _MIN_SPREAD)


def _check_votes(votes):
    votes = as_numbers("votes", votes)
    check_size("votes", votes)
    if votes.ndim != 2 or votes.shape[1] < 2 or not len(votes) or (votes < 0).any():
        raise ValueError(
            f"votes must be counts of shape (n_rows, n_classes) with at least two classes; got {votes.shape}."
        )
    if not votes.sum(axis=1).all():
        raise ValueError("votes must have at least one vote on each row; leave the other rows out.")
    return votes


# Functions of votes and a size by the kind of shares and whether there are two classes.
_AGREEMENT = {
    ("interval", True): _two_classes,
    ("interval", False): _several_classes,
    ("observed", True): _two_observed,
    ("observed", False): _several_observed,
}
