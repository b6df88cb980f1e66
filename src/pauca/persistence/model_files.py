"""Models in files: save and load."""

import os
from typing import Any

from ..atomic_file import replacing
from ..basis import FunctionKernel, Kernel
from .archive import other_versions, read_archive, with_header
from .cards import write_card
from .trees import check_trees
from .trust import UntrustedModel, check_tree_arguments, named_types, skops


def save(
    model: Any, path: str | os.PathLike[str], *, metadata: dict[str, Any] | None = None, card: bool = False
) -> None:
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
    card : bool, default=False
        Whether to write a model card beside the file, in Markdown: the summary of the machine, its
        arguments and how to load it. Its name is that of the file with the ending .md.

    Raises
    ------
    UntrustedModel
        If the model holds something :func:`load` would refuse, such as a function.
    """
    _refuse_kernel_functions(model)
    archive = skops().dumps(model)
    _, foreign = named_types(archive)
    if foreign:
        found = f"The model holds {_listed(foreign)}, which load would refuse; it was not saved."
        raise UntrustedModel(found + _remedy(foreign))
    with replacing(path) as temporary:
        temporary.write_bytes(with_header(archive, metadata))
    if card:
        write_card(model, path)


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
        If the file is not a pauca model, is damaged, unpacks to far more than its size, or was written in a
        newer format.
    """
    archive, header = read_archive(path)
    skops()
    try:
        ours, foreign = named_types(archive)
        if not foreign:
            check_tree_arguments(archive)
            model = skops().loads(archive, trusted=ours)
            check_trees(model)
            return model
    except Exception as error:
        advice = other_versions(header)
        raise ValueError(f"{path} is damaged: {type(error).__name__}: {error}.{advice}") from error
    named, advice = _listed(foreign), other_versions(header)
    raise UntrustedModel(f"{path} was not loaded: it names {named}, which pauca does not trust.{advice}")


def _remedy(names: list[str]) -> str:
    """What makes a model without types of those names, where that is known."""
    if any(name.startswith("sklearn.neighbors.") for name in names):
        return ' Search trees of neighbours cannot be saved safely: set algorithm="brute".'
    if any(name.split(".")[0] in ("lightgbm", "xgboost", "catboost") for name in names):
        return (
            " Save a model of another library in its own format, and wrap it anew after loading; for boosted "
            "trees give early exit, or pruning, pauca.ensembles.read_boosting(model) in its place."
        )
    return ""


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


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
