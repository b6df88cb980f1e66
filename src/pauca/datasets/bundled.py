"""The data sets that come with scikit-learn, in the form of our files."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Our name -> scikit-learn's loader.
BUNDLED = {
    "digits": "load_digits",
    "iris": "load_iris",
    "wdbc": "load_breast_cancer",
    "wine": "load_wine",
}


def bundled_arrays(name: str) -> dict[str, np.ndarray]:
    """Arrays of a bundled set; two classes become -1 and +1, with malignant as +1."""
    from sklearn import datasets

    bunch: Any = getattr(datasets, BUNDLED[name])()
    y, classes = bunch.target, bunch.target_names
    if len(classes) == 2:
        y, classes = 1 - 2 * y, classes[::-1]
    return {
        "X": bunch.data,
        "y": y.astype(np.int8 if len(classes) == 2 else np.int16),
        "feature_names": np.array(bunch.feature_names, dtype=str),
        "class_names": np.array(classes, dtype=str),
        "description": np.array(f"{name}, as it comes with scikit-learn; raw values"),
    }
