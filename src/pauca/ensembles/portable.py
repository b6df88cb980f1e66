"""Portable forms of pruned ensembles."""

from typing import Any

from ..export import CannotExport, FlatTrees, PortableEnsemble
from .early_voting.flat_forest import FlatForest, flatten
from .early_voting.rules import student_rule, thresholds_of
from .early_voting.voters import Voters
from .members import Members


def portable_members(
    kind: str, members: Members, n_features: int, soft: bool, classes: Any
) -> PortableEnsemble:
    """Portable form of an ensemble that evaluates all its members."""
    pairs = [(member.estimator, member.features) for member in members]
    weights = members.weights
    if classes is None:
        return PortableEnsemble(kind, n_features, pairs, None, soft, None, weights=weights)
    if members.refined:
        raise CannotExport("Refitted leaves of classifiers cannot be exported; prune with refit=False.")
    codes = [member.class_codes(classes) for member in members]
    is_plain = members.are_trees and weights is None
    trees = _flat(flatten(members, classes, soft)) if is_plain else None
    return PortableEnsemble(kind, n_features, pairs, codes, soft, classes, trees, weights)


def portable_voters(kind: str, voters: Voters, confidence: float, n_features: int) -> PortableEnsemble:
    """Portable form of an ensemble that stops when a row is decided."""
    form = portable_members(kind, voters.members, n_features, voters.soft, voters.classes)
    if voters.forest is None:
        return form
    n_members, n_classes = len(voters.members), len(voters.classes)
    if not voters.soft:
        thresholds = thresholds_of(n_members, confidence, n_classes).reshape(n_members + 1, -1)
        trees = _flat(voters.forest, thresholds=thresholds)
    else:
        from .early_voting.compiled_votes import STEPS  # imports numba

        critical, tails, risk = student_rule(n_members, confidence)
        trees = _flat(voters.forest, critical=critical, tails=tails, risk=risk, steps=STEPS)
    return PortableEnsemble(kind, n_features, form.members, form.codes, voters.soft, voters.classes, trees)


def _flat(forest: FlatForest, **rule: Any) -> FlatTrees:
    return FlatTrees(forest.nodes, forest.right_if_missing, forest.roots, forest.probabilities, **rule)
