"""Decision trees as one array of small nodes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..members import Members

# A row goes to `child`, or to the next node if its feature exceeds the threshold; leaves lead to themselves.
# `label` of a leaf: its class, or its row in the table of class probabilities.
NODE = np.dtype(
    [("threshold", np.float32), ("child", np.int32), ("feature", np.int32), ("label", np.int32)], align=True
)


@dataclass(frozen=True)
class FlatForest:
    """Nodes of all trees, in the order in which the trees are evaluated.

    ``right_if_missing`` says where each node sends missing values; ``probabilities`` has one row for each
    distinct leaf, and no rows where leaves have a class only.
    """

    nodes: NDArray
    right_if_missing: NDArray[np.bool_]
    roots: NDArray[np.int32]
    probabilities: NDArray


def flatten(members: Members, classes: NDArray, with_probabilities: bool) -> FlatForest:
    """Trees of ``members`` as one array; leaves have class probabilities, or their most frequent class."""
    sizes = [member.estimator.tree_.node_count for member in members]
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
    nodes = np.empty(sum(sizes), dtype=NODE)
    missing = np.empty(len(nodes), dtype=np.bool_)
    probabilities = np.zeros((len(nodes), len(classes)))
    for member, root, size in zip(members, roots, sizes, strict=True):
        part, places = slice(root, root + size), _places(member.estimator.tree_)
        _write(nodes[part], member, root, places)
        missing[part][places] = member.estimator.tree_.missing_go_to_left == 0
        values = member.estimator.tree_.value[np.argsort(places), 0]
        probabilities[part, member.class_codes(classes)] = values
    nodes["label"], probabilities = _labels(probabilities, with_probabilities)
    return FlatForest(nodes, missing, roots, probabilities)


def flatten_values(members: Members) -> tuple[FlatForest, NDArray]:
    """Trees of regressors as one array, and the mean of all leaves, which is taken from every leaf's numbers.

    Row ``label`` of ``probabilities`` has the numbers of a leaf, one for each output.
    """
    sizes = [member.estimator.tree_.node_count for member in members]
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
    nodes = np.empty(sum(sizes), dtype=NODE)
    missing = np.empty(len(nodes), dtype=np.bool_)
    values = np.empty((len(nodes), members.members[0].estimator.n_outputs_))
    for member, root, size in zip(members, roots, sizes, strict=True):
        tree, part = member.estimator.tree_, slice(root, root + size)
        places = _places(tree)
        _write(nodes[part], member, root, places)
        missing[part][places] = tree.missing_go_to_left == 0
        values[part][places] = tree.value[:, :, 0]
    is_leaf = nodes["child"] == np.arange(len(nodes))
    shift = values[is_leaf].mean(axis=0)
    distinct, labels = np.unique(np.where(is_leaf[:, None], values - shift, 0.0), axis=0, return_inverse=True)
    nodes["label"] = labels.reshape(-1)
    return FlatForest(nodes, missing, roots, distinct), shift


def _places(tree):
    """Position of each node: siblings side by side, pairs in the order of their parents."""
    parents = np.flatnonzero(tree.children_left >= 0)
    places = np.zeros(tree.node_count, dtype=np.int32)
    places[tree.children_left[parents]] = 2 * np.arange(len(parents)) + 1
    places[tree.children_right[parents]] = 2 * np.arange(len(parents)) + 2
    return places


def _write(nodes, member, root, places):
    """Fill in the nodes of one tree."""
    tree = member.estimator.tree_
    is_leaf = tree.children_left < 0
    feature = np.where(is_leaf, 0, tree.feature)
    nodes["threshold"][places] = np.where(is_leaf, np.inf, _rounded_down(tree.threshold))
    nodes["child"][places] = root + np.where(is_leaf, places, places[tree.children_left])
    nodes["feature"][places] = feature if member.features is None else member.features[feature]


def _rounded_down(threshold):
    """Largest single-precision numbers up to the thresholds: single-precision rows take the same branches."""
    single = threshold.astype(np.float32)
    return np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single)


def _labels(probabilities, with_probabilities):
    """Label of each node, and the distinct rows of probabilities that labels refer to."""
    if not with_probabilities:
        return probabilities.argmax(axis=1), np.empty((0, probabilities.shape[1]))
    distinct, labels = np.unique(probabilities, axis=0, return_inverse=True)
    return labels.reshape(-1), distinct
