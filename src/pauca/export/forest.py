"""The portable form of pruned ensembles: members that are averaged, or flat trees with a stopping rule."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class FlatTrees:
    """Trees as arrays of nodes, in the order in which they are evaluated, and when to stop.

    Parameters
    ----------
    nodes : structured ndarray
        Nodes with threshold, child, feature and label; see `pauca.ensembles`.
    right_if_missing : ndarray of bool
        Where each node sends missing values.
    roots : ndarray of int
        First node of each tree.
    probabilities : ndarray of shape (n_leaves, n_classes)
        Probabilities of distinct leaves, to which labels refer; without rows where labels are classes.
    thresholds : ndarray or None
        Votes: least votes of the leader, by votes so far and votes of the runner-up.
    critical, tails : ndarray or None
        Means: squared critical values of Student's t by members evaluated, and its tails.
    risk : float
        Means: probability of error at which a mean is decided.
    steps : int
        Means: tails are tabulated in steps of 1 / steps.
    """

    nodes: NDArray
    right_if_missing: NDArray
    roots: NDArray
    probabilities: NDArray
    thresholds: NDArray | None = None
    critical: NDArray | None = None
    tails: NDArray | None = None
    risk: float = 0.0
    steps: int = 1


@dataclass(frozen=True)
class PortableEnsemble:
    """A pruned ensemble.

    Parameters
    ----------
    kind : str
        Name of the class of the ensemble.
    n_features : int
        Number of columns.
    members : list of pairs (estimator, features)
        Fitted predictors, each with the places of the columns that it takes, None for all.
    codes : list of ndarray or None
        For each member the places of its classes among those of the ensemble; None for regression.
    soft : bool
        Whether probabilities are averaged in place of votes.
    classes : ndarray or None
        Class labels; None for regression.
    trees : FlatTrees or None
        The members as flat trees, where they are trees of equal weight that vote for classes.
    weights : ndarray of shape (n_members,) or None
        Weights of the members with the sum one; None: they are equal.
    """

    kind: str
    n_features: int
    members: list[tuple[Any, NDArray | None]]
    codes: list[NDArray] | None
    soft: bool
    classes: NDArray | None
    trees: FlatTrees | None = None
    weights: NDArray | None = None
