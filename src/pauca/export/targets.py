"""Targets of export that take a model: C."""

import re
from os import PathLike
from pathlib import Path
from typing import Any

from ..validation import check_option
from .c import write_form


def to_c(
    model: Any,
    path: str | PathLike[str] | None = None,
    *,
    precision: str = "double",
    variance: bool = True,
    name: str = "model",
) -> str:
    """Write a fitted model as one self-contained C99 file.

    Parameters
    ----------
    model : estimator
        Fitted machine.
    path : str or path, default=None
        File to write.
    precision : {"double", "float"}, default="double"
        Type of rows and predictions.
    variance : bool, default=True
        Whether variances are wanted.
    name : str, default="model"
        Beginning of all names in the file.

    Returns
    -------
    code : str
        Text of the file.
    """
    check_option("precision", precision, ("double", "float"))
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", str(name)):
        raise ValueError(f"name must be a C identifier that begins with a letter; got {name!r}.")
    form = model._portable()
    code, _ = write_form(form, name, precision == "float", variance)
    if path is not None:
        Path(path).write_text(code, encoding="ascii")
    return code
