"""Checks of decision trees from a file: compiled code follows their nodes without looking."""

from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from .boosted_trees import check_boosted_trees


def check_trees(model: Any) -> None:
    """Refuse trees, anywhere in a model, whose nodes lead outside their arrays or outside the features."""
    seen: set[int] = set()
    pending: list[tuple[Any, int | None]] = [(model, None)]
    while pending:
        value, n_features = pending.pop()
        if id(value) in seen or isinstance(value, str | bytes):
            continue
        seen.add(id(value))
        if sparse.issparse(value):
            _check_indices(value)
        known = _attributes(value)
        if "tree_" in known:
            _check_nodes(value.tree_, value.n_features_in_)
        check_boosted_trees(value)
        if "estimators_" in known and isinstance(value, BaseEstimator) and hasattr(value, "n_features_in_"):
            _check_members(value)
        if n_features is not None and "estimator" in known and known.get("features") is not None:
            _check_subset(known["features"], n_features)
        n_features = _width(value, n_features)
        pending += [(part, n_features) for part in _parts(value)]


def _width(value: Any, otherwise: int | None) -> int | None:
    """Number of features of an estimator; properties of pauca, which may follow trees, are not asked."""
    if type(value).__module__.split(".")[0] == "pauca":
        return vars(value).get("n_features_in_", otherwise) if hasattr(value, "__dict__") else otherwise
    return getattr(value, "n_features_in_", otherwise) if isinstance(value, BaseEstimator) else otherwise


def _parts(value: Any) -> list[Any]:
    """Parts of an object that may hold a tree."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple | set):
        return list(value)
    if isinstance(value, np.ndarray):
        return list(value.flat) if value.dtype == object else []
    return list(_attributes(value).values())


def _attributes(value: Any) -> dict[str, Any]:
    """Attributes of an object; none of modules, classes and functions, which hold no state of a model."""
    if isinstance(value, ModuleType | FunctionType | type):
        return {}
    attributes = getattr(value, "__dict__", None)
    return attributes if isinstance(attributes, dict) else {}


def _check_indices(matrix: Any) -> None:
    """Refuse a sparse matrix whose indices lead outside it, which compiled code would follow."""
    if matrix.format in ("csr", "csc", "bsr"):
        matrix.check_format(full_check=True)
    elif matrix.format == "coo":
        for indices, size in zip(matrix.coords, matrix.shape, strict=True):
            if ((indices < 0) | (indices >= size)).any():
                raise ValueError("a sparse matrix has entries outside its shape")


def _check_members(ensemble: Any) -> None:
    """Refuse an ensemble whose trees take more features than it has, or features that it has not."""
    n_features = int(ensemble.n_features_in_)
    subsets = getattr(ensemble, "estimators_features_", None)
    if subsets is not None:
        for features in subsets:
            _check_subset(features, n_features)
    members = [each for each in np.ravel(np.asarray(ensemble.estimators_, dtype=object)) if each is not None]
    wanted = [n_features] * len(members) if subsets is None else [len(features) for features in subsets]
    if len(wanted) != len(members):
        raise ValueError("an ensemble has features for another number of members")
    for member, n_wanted in zip(members, wanted, strict=True):
        if hasattr(member, "tree_") and member.tree_.n_features != n_wanted:
            raise ValueError("a tree takes another number of features than its ensemble gives")


def _check_subset(features: Any, n_features: int) -> None:
    """Refuse features of a member that its ensemble does not have."""
    chosen = np.asarray(features)
    if chosen.dtype.kind not in "iu" or ((chosen < 0) | (chosen >= n_features)).any():
        raise ValueError("an ensemble gives its members features that it does not have")


def _check_nodes(tree: Any, n_features: int) -> None:
    """Refuse a tree whose children precede their parent or do not exist, or that splits on no feature."""
    n_nodes = tree.node_count
    if not 0 < n_nodes <= tree.capacity:  # before any array of this size is looked at
        raise ValueError("a tree has nodes that do not exist")
    left, right = tree.children_left, tree.children_right
    inner = np.flatnonzero(left != -1)
    children = np.concatenate([left[inner], right[inner]])
    sound = (
        tree.n_features == n_features
        and (children > np.concatenate([inner, inner])).all()
        and (children < n_nodes).all()
        and ((tree.feature[inner] >= 0) & (tree.feature[inner] < tree.n_features)).all()
        and tree.max_depth >= _depth(left, right)
        and not np.isnan(tree.threshold[inner]).any()
        and np.isfinite(tree.value).all()
    )
    if not sound:
        raise ValueError("a tree has nodes that do not exist")


def _depth(left: np.ndarray, right: np.ndarray) -> int:
    """Number of splits above the deepest leaf; children come after their parents."""
    depths = np.zeros(len(left), dtype=np.int64)
    for node in np.flatnonzero(left != -1):
        for child in (left[node], right[node]):
            if 0 <= child < len(depths):
                depths[child] = max(depths[child], depths[node] + 1)
    return int(depths.max(initial=0))
