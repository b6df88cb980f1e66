"""Portable forms of pruned ensembles."""

from typing import Any

from numpy.typing import NDArray

from ..export.forest import FlatTrees, PortableEnsemble
from .early_voting.flat_forest import FlatForest, flatten
from .early_voting.tally import VoteTally
from .early_voting.voters import Voters
from .members import Members


def portable_members(
    kind: str, members: Members, n_features: int, soft: bool, classes: Any
) -> PortableEnsemble:
    """Portable form of an ensemble that evaluates all its members."""
    pairs = [(member.estimator, member.features) for member in members]
    if classes is None:
        return PortableEnsemble(kind, n_features, pairs, None, soft, None)
    codes = [member.class_codes(classes) for member in members]
    trees = _flat(flatten(members, classes, soft)) if members.are_trees else None
    return PortableEnsemble(kind, n_features, pairs, codes, soft, classes, trees)


def portable_voters(kind: str, voters: Voters, confidence: float, n_features: int) -> PortableEnsemble:
    """Portable form of an ensemble that stops when a row is decided."""
    form = portable_members(kind, voters.members, n_features, voters.soft, voters.classes)
    if voters.forest is None:
        return form
    tally = voters.tally(0, confidence)
    if isinstance(tally, VoteTally):
        trees = _flat(voters.forest, thresholds=tally.thresholds)
    else:
        from .early_voting.compiled_votes import STEPS  # imports numba

        critical, tails, risk = tally.rule
        trees = _flat(voters.forest, critical=critical, tails=tails, risk=risk, steps=STEPS)
    return PortableEnsemble(kind, n_features, form.members, form.codes, voters.soft, voters.classes, trees)


def _flat(forest: FlatForest, **rule: NDArray | float | int) -> FlatTrees:
    return FlatTrees(forest.nodes, forest.right_if_missing, forest.roots, forest.probabilities, **rule)
