"""Sums of trees as one array of small nodes: the form that every gradient boosting library is read into.

A row goes to ``child``, or to the next node where its feature exceeds the threshold; leaves lead to
themselves. Every tree adds the values of its leaf to the scores of ``width`` outputs from ``output`` on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

NODE = np.dtype([("threshold", np.float64), ("child", np.int32), ("feature", np.int32)], align=True)
# How a node treats a value: compare it as a number, with missing values sent one way; take missing values as
# zero; send zero and missing values one way; look it up in a set of categories, of which unknown and negative
# values are no members.
NUMBER, MISSING_IS_ZERO, ZERO_IS_MISSING, CATEGORIES = range(4)


@dataclass(frozen=True)
class Tree:
    """One binary tree; node 0 is the root.

    ``left`` and ``right`` are children, -1 at leaves; a row goes left where its feature is at most
    ``threshold``. ``values`` has the leaves' values, shape (n_nodes, width). ``categories`` gives, by node,
    the codes that go left.
    """

    feature: NDArray
    threshold: NDArray
    left: NDArray
    right: NDArray
    values: NDArray
    missing_right: NDArray | None = None
    kinds: NDArray | None = None
    categories: dict[int, NDArray] | None = None


@dataclass(frozen=True)
class AdditiveTrees:
    """All trees of a boosted ensemble in the order in which they are evaluated.

    ``roots``, ``outputs`` (the first output that a tree adds to) and ``sizes`` (number of nodes) go by tree,
    ``values`` (shape (n_nodes, width)), ``kinds`` and ``missing_right`` by node; ``words`` are the bit sets
    of categories, each after its length. ``base`` has the scores before the first tree. Rows are rounded to
    single precision where ``single``.
    """

    nodes: NDArray
    values: NDArray
    kinds: NDArray[np.uint8]
    missing_right: NDArray[np.bool_]
    words: NDArray[np.uint32]
    roots: NDArray[np.int32]
    outputs: NDArray[np.int32]
    sizes: NDArray[np.int32]
    base: NDArray
    width: int
    single: bool
    n_features: int

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.roots)

    @property
    def trees_per_round(self) -> int:
        """Number of trees that together add to every output once."""
        return len(self.base) // self.width

    @property
    def n_rounds(self) -> int:
        """Number of rounds; in each, equally many trees add to every output once."""
        return self.n_trees // self.trees_per_round

    @property
    def parts(self) -> tuple[NDArray, NDArray, NDArray, NDArray, NDArray]:
        """Arrays that compiled traversals take: nodes, values, kinds, sides of missing values, words."""
        return self.nodes, self.values, self.kinds, self.missing_right, self.words

    @property
    def general(self) -> bool:
        """Whether there are nodes other than comparisons of numbers, for rows without missing values."""
        return bool((self.kinds > MISSING_IS_ZERO).any())

    def leaf_values(self, tree: int) -> NDArray:
        """Values of the leaves of a tree, shape (n_leaves, width)."""
        part = slice(self.roots[tree], self.roots[tree] + self.sizes[tree])
        is_leaf = self.nodes["child"][part] == np.arange(part.start, part.stop)
        return self.values[part][is_leaf]

    def in_order(self, rounds: NDArray) -> "AdditiveTrees":
        """Trees with their rounds in another order, the nodes stored in that order, too."""
        trees = (np.asarray(rounds)[:, None] * self.trees_per_round + np.arange(self.trees_per_round)).ravel()
        roots, sizes = self.roots[trees], self.sizes[trees]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        take = np.repeat(roots - starts, sizes) + np.arange(sizes.sum())
        nodes = self.nodes[take]
        nodes["child"] += np.repeat(starts - roots, sizes)
        return replace(
            self,
            nodes=nodes,
            values=self.values[take],
            kinds=self.kinds[take],
            missing_right=self.missing_right[take],
            roots=starts,
            outputs=self.outputs[trees],
            sizes=sizes,
        )


def additive_trees(
    trees: Sequence[Tree],
    outputs: ArrayLike,
    base: NDArray,
    *,
    single: bool,
    n_features: int,
) -> AdditiveTrees:
    """Trees of one ensemble as one array; ``outputs`` are the first outputs that they add to."""
    sizes = np.array([len(tree.feature) for tree in trees], dtype=np.int32)
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
    n_nodes, width = int(sizes.sum()), trees[0].values.shape[1]
    nodes, words = np.empty(n_nodes, dtype=NODE), [np.zeros(0, dtype=np.uint32)]
    kinds, missing = np.zeros(n_nodes, dtype=np.uint8), np.zeros(n_nodes, dtype=np.bool_)
    values = np.zeros((n_nodes, width))
    for tree, root, size in zip(trees, roots, sizes, strict=True):
        part, places = slice(root, root + size), _places(tree)
        if tree.kinds is not None:
            kinds[part][places] = tree.kinds
        if tree.missing_right is not None:
            missing[part][places] = tree.missing_right
        values[part][places] = tree.values
        _write(nodes[part], tree, root, places, _category_places(tree, words))
    return AdditiveTrees(
        *(nodes, values, kinds, missing, np.concatenate(words), roots),
        *(np.array(outputs, dtype=np.int32), sizes, np.asarray(base, dtype=float), width, single, n_features),
    )


def _places(tree):
    """Position of each node: siblings side by side, the left one first; the root stays first."""
    parents = np.flatnonzero(tree.left >= 0)
    places = np.zeros(len(tree.left), dtype=np.int32)
    places[tree.left[parents]] = 2 * np.arange(len(parents)) + 1
    places[tree.right[parents]] = 2 * np.arange(len(parents)) + 2
    return places


def _write(nodes, tree, root, places, threshold):
    """Fill in the nodes of one tree."""
    is_leaf = tree.left < 0
    nodes["threshold"][places] = np.where(is_leaf, np.inf, threshold)
    nodes["child"][places] = root + np.where(is_leaf, places, places[tree.left])
    nodes["feature"][places] = np.where(is_leaf, 0, tree.feature)


def _category_places(tree, words):
    """Thresholds of a tree; those of categories are the places of their bit sets, which join ``words``."""
    threshold = np.asarray(tree.threshold, dtype=float).copy()
    for node, codes in (tree.categories or {}).items():
        bits = np.zeros(1 + (int(max(codes, default=0)) // 32 + 1), dtype=np.uint32)
        bits[0] = len(bits) - 1
        for code in np.asarray(codes, dtype=np.int64):
            bits[1 + code // 32] |= np.uint32(1) << np.uint32(code % 32)
        threshold[node] = sum(map(len, words))
        words.append(bits)
    return threshold
