"""Types that a model file may name: classes of pauca that hold a model, and safe ones of scikit-learn."""

import json
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from importlib import import_module
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import numpy as np
from sklearn.base import BaseEstimator

# Types in pipelines, ensembles, calibration, searches and Gaussian processes of scikit-learn that skops does
# not trust by default: plain Python, which neither runs what a file says nor reads memory by its numbers.
# Compiled trees and the nodes of histogram boosting are trusted because `check_trees` inspects them.
# Sparse matrices are read without pickles, and `check_trees` looks at their indices.
_SPARSE_FORMATS = ("bsr", "coo", "csc", "csr", "dia")
_LINKS = ("IdentityLink", "Interval", "LogLink", "LogitLink", "MultinomialLogit")
_LOSSES = (
    *("AbsoluteError", "ExponentialLoss", "HalfBinomialLoss", "HalfGammaLoss", "HalfMultinomialLoss"),
    *("HalfPoissonLoss", "HalfSquaredError", "HuberLoss", "PinballLoss"),
)
_ALSO_TRUSTED = frozenset(
    {
        "numpy.dtype",
        *(f"scipy.sparse._{form}.{form}_{kind}" for form in _SPARSE_FORMATS for kind in ("matrix", "array")),
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.compose._column_transformer._RemainderColsList",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.feature_selection._univariate_selection.f_classif",
        "sklearn.feature_selection._univariate_selection.f_regression",
        "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
        *(
            f"sklearn.gaussian_process.kernels.{name}"
            for name in (
                *("ConstantKernel", "DotProduct", "Exponentiation", "ExpSineSquared", "Hyperparameter"),
                *("Matern", "Product", "RBF", "RationalQuadratic", "Sum", "WhiteKernel"),
            )
        ),
        # Losses of boosting, numbers and formulas, which skops trusts from 0.16 on.
        *(f"sklearn._loss.link.{name}" for name in _LINKS),
        *(f"sklearn._loss.loss.{name}" for name in _LOSSES),
        *(f"sklearn._loss._loss.Cy{name}" for name in _LOSSES),
        "sklearn.metrics._classification.balanced_accuracy_score",
        "sklearn.metrics._scorer._CurveScorer",
        "sklearn.metrics._scorer._PassthroughScorer",
        "sklearn.metrics._scorer._Scorer",
        *(
            f"sklearn.model_selection._split.{name}"
            for name in (
                "KFold",
                "RepeatedKFold",
                "RepeatedStratifiedKFold",
                "ShuffleSplit",
                "StratifiedKFold",
            )
        ),
        "sklearn.model_selection._split.StratifiedShuffleSplit",
        "sklearn.multiclass._ConstantPredictor",
        "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
        "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
        "sklearn.tree._tree.Tree",
        "sklearn.utils._bunch.Bunch",
        "sklearn.utils._metadata_requests.MetadataRequest",
        "sklearn.utils._metadata_requests.MethodMetadataRequest",
    }
)
_OWN_NAME = re.compile(r"(pauca(?:\.\w+)*)\.(\w+)")
# The reader of skops that makes an object without its constructor and sets its state.
_WITHOUT_CONSTRUCTOR = "ObjectNode"
# The function with arguments that histogram boosting with categories keeps, by reader, module and name.
_CHECK = "FunctionNode", "sklearn.utils.validation", "check_array"
_CHECKS = "functools.partial", "sklearn.utils.validation.check_array"
# Most classes and outputs of a tree; numerical guard.
_MOST_OUTPUTS = 1_000_000


class UntrustedModel(ValueError):
    """A model or a model file holds a type that is not known to be safe."""


def skops() -> Any:
    """The module skops.io, or an error that names the extra."""
    try:
        return import_module("skops.io")
    except ImportError as error:
        raise ImportError('Saving and loading need skops: pip install "pauca[persist]"') from error


def named_types(archive: bytes) -> tuple[list[str], list[str]]:
    """Types in the archive that skops does not trust by default: those that pauca trusts, and the others."""
    names = skops().get_untrusted_types(data=archive)
    constructed = _constructed(archive)
    ours = [
        name
        for name in names
        if (_is_trusted(name) or (name in _CHECKS and _only_checks(archive))) and name not in constructed
    ]
    return ours, [name for name in names if name not in ours]


def _is_trusted(name: str) -> bool:
    """Whether a dotted name is on the list, or a class of pauca that holds a model or a part of one.

    The prefix alone is not enough: ``pauca.import_module`` and ``pauca.basis.basis.np`` start with it too,
    and classes such as the store of runs write files.
    """
    if name in _ALSO_TRUSTED:
        return True
    own = _OWN_NAME.fullmatch(name)
    if own is None:
        return False
    module, attribute = own.groups()
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError):
        return False
    return isinstance(found, type) and found.__module__ == module and _holds_a_model(found)


def _holds_a_model(kind: type) -> bool:
    """Whether objects of a class are estimators, or records: kernels, likelihoods, posteriors."""
    return issubclass(kind, BaseEstimator) or is_dataclass(kind)


def _constructed(archive: bytes) -> set[str]:
    """Types of pauca that the file asks to make by a call: no model needs it."""
    return {
        f"{node['__module__']}.{node['__class__']}"
        for node in _nodes(_schema(archive))
        if str(node["__module__"]).split(".")[0] == "pauca" and node["__loader__"] != _WITHOUT_CONSTRUCTOR
    }


def _only_checks(archive: bytes) -> bool:
    """Whether all functions with some arguments are scikit-learn's check of arrays."""
    nodes = list(_nodes(_schema(archive)))
    functions = [node["content"]["func"] for node in nodes if node["__loader__"] == "PartialNode"]
    functions += [node for node in nodes if node["__class__"] == _CHECK[-1]]
    # skops takes a node for the first one of the same number, whatever else it says.
    same = [node for node in nodes for func in functions if node.get("__id__") == func.get("__id__")]
    return all((f["__loader__"], f["__module__"], f["__class__"]) == _CHECK for f in functions + same)


def _schema(archive: bytes) -> Any:
    with ZipFile(BytesIO(archive)) as file:
        return json.loads(file.read("schema.json"))


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Nodes of a schema that name a reader of skops, in no particular order."""
    pending = [tree]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            if {"__loader__", "__module__", "__class__"} <= value.keys():
                yield value
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)


def check_tree_arguments(archive: bytes) -> None:
    """Refuse trees of scikit-learn whose constructor would read beyond the classes of their outputs."""
    nodes = list(_nodes(_schema(archive)))
    by_number: dict[Any, list] = {}
    for node in nodes:
        by_number.setdefault(node.get("__id__"), []).append(node)
    with ZipFile(BytesIO(archive)) as file:
        for arguments in (node["__reduce__"]["args"] for node in nodes if node["__loader__"] == "TreeNode"):
            n_features, n_classes, n_outputs = arguments["content"]
            # skops takes a node for the first one of the same number, whatever else it says.
            for node in (arguments, n_features, n_classes, n_outputs):
                if any(other != node for other in by_number[node.get("__id__")]):
                    raise ValueError("two parts have the same number")
            sizes = np.load(BytesIO(file.read(n_classes["file"])), allow_pickle=False)
            outputs, features = json.loads(n_outputs["content"]), json.loads(n_features["content"])
            fits = type(outputs) is int and type(features) is int and sizes.shape == (outputs,)
            if not fits or features < 0 or ((sizes < 1) | (sizes > _MOST_OUTPUTS)).any():
                raise ValueError("a tree has other outputs than it says")
