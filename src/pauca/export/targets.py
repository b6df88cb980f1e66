"""C as a target of export."""

import re
from os import PathLike
from pathlib import Path
from typing import Any

from ..validation import check_option
from .c import write_forest, write_form
from .errors import CannotExport
from .form import Portable
from .preprocessing import portable_of


def to_c(
    model: Any,
    path: str | PathLike[str] | None = None,
    *,
    precision: str = "double",
    variance: bool = True,
    name: str = "model",
) -> str:
    """Write a fitted model as one self-contained C99 file.

    The file allocates nothing and needs math.h only. Classifiers have ``model_predict_proba(x,
    probabilities)``, ``model_predict(x)``, which returns the place of the most probable class,
    ``model_label(k)``, its name, and ``model_latent(x, mean, variance)``; regressors ``model_predict(x, mean,
    std)``. Pruned ensembles of trees have the first three and ``model_trees(x)``, the number of trees
    evaluated: early voting stops in C, too.

    Parameters
    ----------
    model : estimator
        Fitted machine, pruned ensemble of decision trees, or pipeline of scalers, imputers and encoders that
        ends in a machine.
    path : str or path, default=None
        File to write, besides returning its text.
    precision : {"double", "float"}, default="double"
        Type of rows and predictions. For "float" vectors and variances take 4 bytes a number in place of 8,
        where that changes no probability by more than 1e-6; sums are double in both.
    variance : bool, default=True
        Whether classifiers get the function of latent moments, and regressors predict a standard deviation
        beside the mean.
    name : str, default="model"
        Beginning of all names in the file.

    Returns
    -------
    code : str
        Text of the file. All that comes from the user is numbers, but for class labels, in which everything
        but plain letters, digits, spaces and - _ . , is escaped; names of features are left out.

    Raises
    ------
    CannotExport
        If the model has no portable form, for example because its kernel is a function.

    Examples
    --------
    >>> from pauca import SparseGPClassifier
    >>> from pauca.datasets import make_ripley
    >>> from pauca.export import to_c
    >>> X, y = make_ripley(100, random_state=0)
    >>> code = to_c(SparseGPClassifier().fit(X, y))
    >>> "void model_predict_proba(const model_real *x, model_real *probabilities);" in code
    True
    """
    return _written(model, path, precision, variance, name)[0]


def c_bytes(model: Any, *, precision: str = "float") -> int:
    """Bytes of the constants of a model in C.

    Parameters
    ----------
    model : estimator
        What `to_c` takes.
    precision : {"float", "double"}, default="float"
        Argument of `to_c`.

    Returns
    -------
    n_bytes : int
        Bytes of all constants; the machine code, some kilobytes, comes on top.

    Examples
    --------
    >>> from pauca import SparseGPClassifier
    >>> from pauca.datasets import make_ripley
    >>> from pauca.export import c_bytes
    >>> X, y = make_ripley(100, random_state=0)
    >>> c_bytes(SparseGPClassifier().fit(X, y)) < 5000
    True
    """
    return _written(model, None, precision, True, "model")[1]


def _written(model, path, precision, variance, name):
    """Text of the C file, which is written on request, and the bytes of its constants."""
    check_option("precision", precision, ("double", "float"))
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", str(name)):
        raise ValueError(f"name must be a C identifier that begins with a letter; got {name!r}.")
    form, is_float = portable_of(model), precision == "float"
    if isinstance(form, Portable):
        code, n_bytes = write_form(form, name, is_float, bool(variance))
    elif form.trees is None:
        what = "regressors" if form.classes is None else "other members"
        raise CannotExport(
            f"C is written of pruned ensembles of classification trees, not of {what}; use to_onnx."
        )
    else:
        code, n_bytes = write_forest(form, name, is_float)
    if path is not None:
        Path(path).write_text(code, encoding="ascii")
    return code, n_bytes
