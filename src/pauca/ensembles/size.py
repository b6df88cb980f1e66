"""How many members are enough: agreement with an ensemble without end (thesis, chapter 4)."""

import warnings
from dataclasses import dataclass
from math import inf

import numpy as np
from scipy.special import betainc, ndtr, ndtri
from sklearn.exceptions import ConvergenceWarning

from .voting import check_confidence

# No ensemble is larger.
_LARGEST = 2**31 - 1


@dataclass(frozen=True)
class EnsembleSize:
    """What votes about rows that the members did not see say about the size of their ensemble.

    Attributes
    ----------
    size : int or inf
        The least odd number of members whose vote agrees with that of infinitely many with probability
        ``confidence``, on average over the rows (4.14).
    confidence : float
        That probability.
    votes : ndarray of shape (n_rows, n_classes)
        The votes that the estimate is made from.
    source : str
        Where they come from: "oob", "cv" or "unlabelled".
    """

    size: float
    confidence: float
    votes: np.ndarray
    source: str

    def agreement(self, n_members):
        """Probability that ``n_members`` (odd) give the answer of infinitely many; mean over the rows."""
        return mean_agreement(self.votes, n_members)

    @property
    def shares(self):
        """Share of the votes of each row that each class has."""
        return self.votes / self.votes.sum(axis=1, keepdims=True)

    @property
    def required_sizes(self):
        """Members that each row needs for itself (4.8); infinitely many where classes are tied."""
        with np.errstate(divide="ignore"):
            return (ndtri(self.confidence) / _standardised_lead(self.votes)) ** 2

    @property
    def tie_density(self):
        """Density of rows at a tie, f(1/2) for two classes, from the rows nearest to one."""
        width = len(self.votes) ** -0.2
        return float(np.mean(_standardised_lead(self.votes) <= width) / width)

    def tail(self, n_members):
        """P(a row needs more than ``n_members``) where these are many: falls with the power -1/2 (4.9)."""
        return np.minimum(self.tie_density * ndtri(self.confidence) / np.sqrt(n_members), 1.0)

    @property
    def asymptotic_size(self):
        """The size by the law of large sizes, f(1/2)² / (2 pi (1 - confidence)²)."""
        return self.tie_density**2 / (2 * np.pi * (1 - self.confidence) ** 2)


def required_size(votes, confidence=0.99):
    """The least odd number of members that is enough, on average over rows with the given votes.

    Parameters
    ----------
    votes : array-like of shape (n_rows, n_classes)
        Votes for each class about rows that the voting members did not see.
    confidence : float, default=0.99
        Probability in (0.5, 1) of the answer of infinitely many members.

    Returns
    -------
    size : int or inf
        With a warning, inf if no size below 2**31 is enough.

    Notes
    -----
    A share that v of m votes suggest is taken to lie anywhere between v / (m + 1) and (v + 1) / (m + 1):
    no row is exactly at a tie because a pilot is small. For more than two classes the probabilities that
    rivals draw level are normal approximations, and added up.

    Examples
    --------
    >>> import numpy as np
    >>> from pauca.ensembles import required_size
    >>> required_size(np.column_stack([np.arange(102), 101 - np.arange(102)]))  # all shares equally likely
    1591
    """
    check_confidence(confidence)
    votes = _check_votes(votes)
    if confidence == 1:
        raise ValueError("confidence must be below 1: only infinitely many members always agree.")
    enough = _least(lambda half: mean_agreement(votes, 2 * half + 1) >= confidence, _LARGEST // 2)
    if enough is None:
        warnings.warn(
            "No number of members is enough: too many rows are tied. Use more members or rows.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return inf if enough is None else 2 * enough + 1


def _least(holds, largest):
    """The least number from 0 on for which ``holds``, and does beyond; None if it exceeds ``largest``."""
    low, high = -1, 0
    while not holds(high):
        low, high = high, 2 * high + 1
        if high > largest:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def mean_agreement(votes, n_members):
    """Probability, on average over the rows, that a vote of ``n_members`` is that of infinitely many."""
    agreement = _two_classes if votes.shape[1] == 2 else _several_classes
    patterns, counts = np.unique(np.sort(votes, axis=1), axis=0, return_counts=True)
    return float(np.average(agreement(patterns, n_members), weights=counts))


def _two_classes(votes, n_members):
    """Mean of (4.5) over the shares that each pair of sorted votes stands for."""
    total = votes.sum(axis=1)
    low = np.maximum(votes[:, 1] / (total + 1), 0.5)
    high = (votes[:, 1] + 1) / (total + 1)
    return (_integral(high, n_members) - _integral(low, n_members)) / (high - low)


def _integral(share, n_members):
    """Integral of (4.3) over shares from 0."""
    a = (n_members + 1) / 2
    return share * betainc(a, a, share) - betainc(a + 1, a, share) / 2


def _several_classes(votes, n_members):
    """One minus the chances of all rivals to draw level, of sorted votes, normal for each."""
    lead, spread = _leads(votes)
    unit = 1 / (votes.sum(axis=1, keepdims=True) + 1)
    low, high = np.maximum(lead - unit / 2, 0), lead + unit / 2
    rate = np.sqrt(n_members) / np.maximum(spread, 1e-12)
    lost = (_tail_integral(high, rate) - _tail_integral(low, rate)) / (high - low)
    return 1 - np.minimum(lost.sum(axis=1), 1 - 1 / votes.shape[1])


def _tail_integral(x, rate):
    """Antiderivative of the normal tail Phi(-rate x)."""
    return x * ndtr(-rate * x) - np.exp(-((rate * x) ** 2) / 2) / (np.sqrt(2 * np.pi) * rate)


def _leads(votes):
    """Leads in shares of the last of sorted votes over the others, and the spread of one member's lead."""
    shares = votes / votes.sum(axis=1, keepdims=True)
    leader, rivals = shares[:, -1:], shares[:, :-1]
    lead = leader - rivals
    return lead, np.sqrt(np.maximum(leader + rivals - lead**2, 0))


def _standardised_lead(votes):
    """Lead of the first class over the second in units of the spread of one member's."""
    lead, spread = _leads(np.sort(votes, axis=1))
    return lead[:, -1] / np.maximum(spread[:, -1], 1e-12)


def _check_votes(votes):
    votes = np.asarray(votes)
    if votes.ndim != 2 or votes.shape[1] < 2 or not len(votes) or (votes < 0).any():
        raise ValueError(
            f"votes must be counts of shape (n_rows, n_classes) with at least two classes; got {votes.shape}."
        )
    if not votes.sum(axis=1).all():
        raise ValueError("votes must have at least one vote about each row; leave the other rows out.")
    return votes
