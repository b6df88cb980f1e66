"""Groups of features that matter, added few at a time while tests say that others explain the residuals."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ....basis import RBF
from ....likelihoods import Gaussian
from ....numerics import robust_cholesky, solve_with_factor
from ..evidence import IndicatorEvidence
from ..hyperparameters import Hyperparameters
from ..process import Process
from .narrow import column_variances
from .statistics import Residuals, group_significance

# Rows of the tests and of the ascents, steps of an ascent, rounds of additions and the largest number of
# groups; set by hand for the time of a fit.
_N_TESTED, _N_CLIMBED, _STEPS, _MAX_ROUNDS, _MAX_GROUPS = 1000, 500, 10, 10, 30
# Number of groups without effect that are expected to pass the tests of a round, and most groups added in
# one. Set by hand: a false one costs little, since its scale falls.
_FALSE, _MAX_ADDED = 0.1, 4
# Significance of an added group, as a share of the largest of its round, and the largest correlation of two
# that are added together; set by hand.
_LEAST_SHARE, _MOST_ALIKE = 0.3, 0.7
# Squared scale of a new group, and that, as a share of the largest, below which one is left out; by hand.
_NEW, _LEAST_SCALE = 0.1, 1e-3
# Prior variance of the constant of centred targets, and precision of their noise to start from; set by hand.
_CONSTANT, _PRECISION = 1.0, 2.0


def relevant_groups(X: Any, groups: NDArray, targets: NDArray, seed: int) -> tuple[NDArray, NDArray]:
    """Groups of features that a Gaussian process of the targets sees, added one round after another.

    Targets are numbers with Gaussian noise here, labels included, so that the evidence of a thousand rows
    costs little. In each round the groups whose tests are significant join; then all scales maximise the
    evidence.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        Rows.
    groups : ndarray of int, shape (n_features,)
        Group of each feature.
    targets : ndarray of shape (n_rows, n_targets)
        Targets of mean zero and variance one; several of them sum to zero in every row.
    seed : int
        Seed of the draw of rows.

    Returns
    -------
    kept : ndarray of int
        Groups that are seen, in order.
    scales : ndarray
        Their factors in the kernel of features of standard deviation one, with mean square one.
    """
    rng, n_rows = np.random.default_rng(seed), len(targets)
    order = rng.permutation(n_rows)[: min(n_rows, _N_TESTED)]
    search = _Search(X[order], groups, targets[order])
    for _ in range(_MAX_ROUNDS):
        added = search.significant()
        if not len(added):
            break
        search.add(added)
    return search.kept()


class _Search:
    """Process that sees some groups; rows are in random order, the first of them climb."""

    def __init__(self, X: Any, groups: NDArray, targets: NDArray) -> None:
        self.X, self.groups, self.targets = X, groups, targets
        self.n_groups = int(groups.max(initial=-1)) + 1
        self.spread = np.sqrt(column_variances(X))
        self.spread[~(self.spread > 0)] = 1.0
        self.active: list[int] = []
        self.squares = np.empty(0)
        self.process = Process(RBF(1.0), 1.0, scales=np.empty(0), constant=(0.0, _CONSTANT))
        # Without groups all is noise.
        self.likelihood = Gaussian(1.0)
        # Threshold of the significance.
        self.least = np.log(max(self.n_groups, 1) / _FALSE)

    @property
    def _columns(self) -> NDArray:
        return np.flatnonzero(np.isin(self.groups, self.active))

    def _seen(self, n_rows: int) -> NDArray:
        columns = self.X[:n_rows][:, self._columns]
        dense = columns.toarray() if sparse.issparse(columns) else columns
        return dense / self.spread[self._columns]

    def significant(self) -> NDArray:
        """Groups to be added, at most few, no two of which are alike."""
        if len(self.active) >= _MAX_GROUPS:
            return np.empty(0, dtype=int)
        significance = group_significance(self.X, self.groups, self._residuals())
        significance[self.active] = 0.0
        least = max(self.least, _LEAST_SHARE * significance.max(initial=0.0))
        chosen: list[int] = []
        for group in np.argsort(-significance, kind="stable"):
            if significance[group] < least or len(chosen) == _MAX_ADDED:
                break
            if not any(self._alike(group, other) for other in chosen):
                chosen.append(int(group))
        return np.array(chosen, dtype=int)

    def _alike(self, one: int, other: int) -> bool:
        """Whether some features of two groups are strongly correlated."""
        a, b = (_centred(self.X[:, np.flatnonzero(self.groups == group)]) for group in (one, other))
        return bool(np.abs(a.T @ b).max() > _MOST_ALIKE)

    def _residuals(self) -> Residuals:
        n, rank = len(self.targets), max(self.targets.shape[1] - 1, 1)
        covariance = None
        C = np.full((n, n), _CONSTANT)
        if self.active:
            rows = self._seen(n)
            covariance = self.process.covariance(rows, rows)
            C = C + covariance
        C.flat[:: n + 1] += 1 / self.likelihood.precision
        precision = solve_with_factor(robust_cholesky(C), np.eye(n))
        return Residuals(precision, precision @ self.targets, covariance, rank)

    def add(self, groups: NDArray) -> None:
        """Let the process see more groups, and climb the evidence in all scales, amplitude and noise."""
        was = np.zeros(self.n_groups)
        was[self.active] = self.squares
        was[groups] = _NEW
        self.active = sorted([*self.active, *groups.tolist()])
        places = np.searchsorted(self.active, self.groups[self._columns])
        start = Process(
            self.process.kernel,
            self.process.amplitude,
            scales=np.sqrt(was[self.active]),
            groups=places,
            constant=self.process.constant,
        )
        likelihood = self.likelihood if was.sum() > len(groups) * _NEW else Gaussian(_PRECISION)
        hyperparameters = Hyperparameters(
            start, likelihood, start.kernel, learns_kernel=False, n_features=len(self.active)
        )
        n = min(len(self.targets), _N_CLIMBED)
        evidence = IndicatorEvidence(self._seen(n), self.targets[:n], np.ones(n), hyperparameters)
        self.process, self.likelihood, _ = evidence.maximise(_STEPS)
        assert self.process.scales is not None
        self.squares = np.square(self.process.scales)

    def kept(self) -> tuple[NDArray, NDArray]:
        """Groups whose scales did not vanish, and these."""
        remain = self.squares > _LEAST_SCALE * self.squares.max(initial=0.0)
        squares = self.squares[remain]
        return np.array(self.active, dtype=int)[remain], np.sqrt(
            squares / squares.mean() if len(squares) else squares
        )


def _centred(columns: Any) -> NDArray:
    """Dense columns of mean zero and length one, or zero."""
    values = columns.toarray() if sparse.issparse(columns) else columns
    values = values - values.mean(axis=0)
    return values / np.maximum(np.sqrt(np.square(values).sum(axis=0)), np.finfo(float).tiny)
