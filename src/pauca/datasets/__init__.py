"""Datasets: generators with a known truth, and benchmark sets by name.

``make_*`` functions draw ``(X, y)`` from the synthetic problems of the literature, with labels 0 and 1 for
two classes; `GENERATORS` is the table of them. `load` finds a benchmark set on this machine (the directory
``$PAUCA_DATA``, the cache, scikit-learn) or downloads it from OpenML; `available` lists the names.
"""

from .dataset import Dataset, DatasetCorrupted, DatasetNotFound
from .generators import GENERATORS
from .generators.gaussian import (
    make_bumpy,
    make_overlap,
    make_relevance,
    make_ringnorm,
    make_ripley,
    make_threenorm,
    make_twonorm,
    ripley_posterior,
)
from .generators.regression import (
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_peak,
    make_sinc,
    sinc_function,
)
from .generators.shapes import make_circle, make_sparse_linear, make_spiral, make_waveform
from .loaders import available, load

__all__ = [
    "GENERATORS",
    "Dataset",
    "DatasetCorrupted",
    "DatasetNotFound",
    "available",
    "load",
    "make_bumpy",
    "make_circle",
    "make_friedman1",
    "make_friedman2",
    "make_friedman3",
    "make_overlap",
    "make_peak",
    "make_relevance",
    "make_ringnorm",
    "make_ripley",
    "make_sinc",
    "make_sparse_linear",
    "make_spiral",
    "make_threenorm",
    "make_twonorm",
    "make_waveform",
    "ripley_posterior",
    "sinc_function",
]
