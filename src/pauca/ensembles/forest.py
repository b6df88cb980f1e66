"""Decision trees as one array of small nodes."""

from dataclasses import dataclass

import numpy as np

# A row goes to `child`, or to the next node if its feature exceeds the threshold; leaves lead to themselves.
# `label` of a leaf: its class, or the row of its class shares.
NODE = np.dtype(
    [("threshold", np.float32), ("child", np.int32), ("feature", np.int32), ("label", np.int32)], align=True
)


@dataclass(frozen=True)
class FlatForest:
    """Trees in the order in which they are asked.

    ``right_if_missing`` says where each node sends missing values; ``shares`` has one row for each
    distinct leaf, and no rows where leaves have a class only.
    """

    nodes: np.ndarray
    right_if_missing: np.ndarray
    roots: np.ndarray
    shares: np.ndarray


def flatten(members, n_classes, with_shares):
    """The trees of ``members``, leaves with class shares or with their most frequent class only."""
    sizes = [member.estimator.tree_.node_count for member in members]
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
    nodes = np.empty(sum(sizes), dtype=NODE)
    missing = np.empty(len(nodes), dtype=np.bool_)
    shares = np.zeros((len(nodes), n_classes))
    for member, root, size in zip(members, roots, sizes, strict=True):
        part, places = slice(root, root + size), _places(member.estimator.tree_)
        _write(nodes[part], member, root, places)
        missing[part][places] = member.estimator.tree_.missing_go_to_left == 0
        shares[part, member.classes] = member.estimator.tree_.value[np.argsort(places), 0]
    nodes["label"], shares = _labels(shares, with_shares)
    return FlatForest(nodes, missing, roots, shares)


def _places(tree):
    """Where each node goes: siblings side by side, pairs in the order of their parents."""
    parents = np.flatnonzero(tree.children_left >= 0)
    places = np.zeros(tree.node_count, dtype=np.int32)
    places[tree.children_left[parents]] = 2 * np.arange(len(parents)) + 1
    places[tree.children_right[parents]] = 2 * np.arange(len(parents)) + 2
    return places


def _write(nodes, member, root, places):
    """Nodes of one tree."""
    tree = member.estimator.tree_
    is_leaf = tree.children_left < 0
    feature = np.where(is_leaf, 0, tree.feature)
    nodes["threshold"][places] = np.where(is_leaf, np.inf, _rounded_down(tree.threshold))
    nodes["child"][places] = root + np.where(is_leaf, places, places[tree.children_left])
    nodes["feature"][places] = feature if member.features is None else member.features[feature]


def _rounded_down(threshold):
    """The largest single-precision numbers up to the thresholds: single-precision rows go the same way."""
    single = threshold.astype(np.float32)
    return np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single)


def _labels(shares, with_shares):
    """Label of each node, and the distinct rows of shares that labels refer to."""
    if not with_shares:
        return shares.argmax(axis=1), np.empty((0, shares.shape[1]))
    distinct, labels = np.unique(shares, axis=0, return_inverse=True)
    return labels.reshape(-1), distinct
