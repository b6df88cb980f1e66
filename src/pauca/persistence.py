"""Save and load fitted models without executing foreign code.

A model file is a skops archive with one more member, ``pauca.json``: the version of the format, the
version of pauca that wrote it, and the caller's metadata. It is plain JSON and is read first.
"""

import json
import os
import re
from importlib import import_module
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from . import __version__
from .basis import FunctionKernel, Kernel

__all__ = ["UntrustedModel", "load", "read_metadata", "save"]

# Version of the file format; `load` refuses newer ones.
FORMAT = 1
_HEADER = "pauca.json"

# Types in pipelines, ensembles, calibration, searches and Gaussian processes of scikit-learn that skops does
# not trust by default: plain Python, which neither runs what a file says nor reads memory by its numbers.
# Of the compiled types, trees are trusted because `_check_trees` inspects their nodes.
_ALSO_TRUSTED = frozenset(
    {
        "numpy.dtype",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.compose._column_transformer._RemainderColsList",
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


class UntrustedModel(ValueError):
    """A model or a model file holds a type that is not known to be safe."""


def save(model: Any, path: str | os.PathLike[str], *, metadata: dict[str, Any] | None = None) -> None:
    """Write a fitted model to one file.

    The file appears complete or not at all: it is written beside its destination and then moved there.

    Parameters
    ----------
    model : estimator
        An estimator of pauca or an ensemble of scikit-learn, or a pipeline around one.
    path : str or path
        The file to write; an existing one is replaced.
    metadata : dict, default=None
        Small values that JSON can hold, given back by :func:`read_metadata`.

    Raises
    ------
    UntrustedModel
        If the model holds something :func:`load` would refuse, such as a function.
    """
    _refuse_kernel_functions(model)
    archive = _skops().dumps(model)
    _, foreign = _named_types(archive)
    if foreign:
        raise UntrustedModel(
            f"The model holds {_listed(foreign)}, which load would refuse; it was not saved."
        )
    _write_atomically(Path(path), _with_header(archive, metadata))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model written by :func:`save`.

    Parameters
    ----------
    path : str or path
        The model file.

    Returns
    -------
    estimator
        The model; its predictions equal those of the saved model bit for bit.

    Raises
    ------
    UntrustedModel
        If the file names a type that is neither pauca's own nor known to be safe. Nothing is executed.
    ValueError
        If the file is not a pauca model, is damaged, or was written in a newer format.
    """
    archive = Path(path).read_bytes()
    _header(archive, path)
    skops = _skops()
    try:
        ours, foreign = _named_types(archive)
        if not foreign:
            model = skops.loads(archive, trusted=ours)
            _check_trees(model, set())
            return model
    except Exception as error:
        raise ValueError(f"{path} is damaged: {type(error).__name__}: {error}") from error
    raise UntrustedModel(f"{path} was not loaded: it names {_listed(foreign)}, which pauca does not trust.")


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the metadata given to :func:`save`, without loading the model.

    Parameters
    ----------
    path : str or path
        The model file.

    Returns
    -------
    dict
        The metadata; empty if none was given.
    """
    return _header(Path(path).read_bytes(), path)["metadata"]


def _skops() -> Any:
    """The module skops.io, or an error that names the extra."""
    try:
        return import_module("skops.io")
    except ImportError as error:
        raise ImportError('Saving and loading need skops: pip install "pauca[persist]"') from error


def _refuse_kernel_functions(model: Any) -> None:
    """Refuse a model whose kernel is a function, with an error that names the remedy."""
    parameters = model.get_params(deep=True) if hasattr(model, "get_params") else {}
    for name, value in parameters.items():
        if name.split("__")[-1] == "kernel" and _is_function(value):
            raise UntrustedModel(
                f"{name} is a function, which a file cannot hold safely: use the name of a kernel, "
                'or kernel="precomputed".'
            )


def _is_function(kernel: Any) -> bool:
    """Whether a kernel is a function, or composed of one."""
    if isinstance(kernel, Kernel):
        return any(isinstance(part, FunctionKernel) for part in kernel.parts)
    return callable(kernel) and not hasattr(kernel, "get_params")


def _named_types(archive: bytes) -> tuple[list[str], list[str]]:
    """Types in the archive that skops does not trust by default: those that pauca trusts, and the others."""
    names = _skops().get_untrusted_types(data=archive)
    ours = [name for name in names if _is_trusted(name)]
    return ours, [name for name in names if name not in ours]


def _is_trusted(name: str) -> bool:
    """Whether a dotted name is on the list, or a class that pauca itself defines.

    The prefix alone is not enough: ``pauca.import_module`` and ``pauca.basis.basis.np`` start with it too.
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
    return isinstance(found, type) and found.__module__ == module


def _check_trees(value: Any, seen: set[int]) -> None:
    """Refuse trees whose nodes point outside their arrays: scikit-learn does not check them."""
    if id(value) in seen or isinstance(value, str | bytes):
        return
    seen.add(id(value))
    if hasattr(value, "tree_"):
        _check_nodes(value.tree_, value.n_features_in_)
    for part in _parts(value):
        _check_trees(part, seen)


def _parts(value: Any) -> list[Any]:
    """Parts of an object that may hold a tree."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple | set):
        return list(value)
    if isinstance(value, np.ndarray):
        return list(value.flat) if value.dtype == object else []
    return list(getattr(value, "__dict__", {}).values())


def _check_nodes(tree: Any, n_features: int) -> None:
    """Refuse a tree whose children precede their parent or do not exist, or that splits on no feature."""
    n_nodes, left, right = tree.node_count, tree.children_left, tree.children_right
    inner = np.flatnonzero(left != -1)
    children = np.concatenate([left[inner], right[inner]])
    sound = (
        0 < n_nodes <= tree.capacity
        and tree.n_features <= n_features
        and (children > np.concatenate([inner, inner])).all()
        and (children < n_nodes).all()
        and ((tree.feature[inner] >= 0) & (tree.feature[inner] < tree.n_features)).all()
    )
    if not sound:
        raise ValueError("a tree has nodes that do not exist")


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _with_header(archive: bytes, metadata: dict[str, Any] | None) -> bytes:
    """Archive with the header as one more member."""
    header = {"format": FORMAT, "pauca": __version__, "metadata": metadata or {}}
    buffer = BytesIO(archive)
    with ZipFile(buffer, "a") as file:
        file.writestr(_HEADER, json.dumps(header, ensure_ascii=False, indent=1))
    return buffer.getvalue()


def _header(archive: bytes, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Header of an archive whose format this version reads."""
    try:
        with ZipFile(BytesIO(archive)) as file:
            header = json.loads(file.read(_HEADER))
        version, writer = int(header["format"]), str(header["pauca"])
        header["metadata"] = dict(header["metadata"])
    except (BadZipFile, KeyError, TypeError, ValueError, RecursionError, NotImplementedError) as error:
        raise ValueError(f"{path} is not a pauca model.") from error
    if version > FORMAT:
        raise ValueError(
            f"{path} was written by pauca {writer} in format {version}, and pauca {__version__} reads "
            f"formats up to {FORMAT}: pip install --upgrade pauca."
        )
    return header


def _write_atomically(path: Path, content: bytes) -> None:
    """Write beside the destination, then move into place."""
    temporary = path.with_name(f".{path.name}.{token_hex(4)}")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
