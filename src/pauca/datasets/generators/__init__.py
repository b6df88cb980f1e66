"""Generators of synthetic problems from the literature, and the table of them."""

from __future__ import annotations

from collections.abc import Callable

from .gaussian import (
    make_bumpy,
    make_overlap,
    make_relevance,
    make_ringnorm,
    make_ripley,
    make_threenorm,
    make_twonorm,
)
from .regression import make_friedman1, make_friedman2, make_friedman3, make_peak, make_sinc
from .shapes import make_circle, make_sparse_linear, make_spiral, make_waveform

#: Generators by name without the prefix ``make_``; each returns ``(X, y)``.
GENERATORS: dict[str, Callable] = {
    function.__name__.removeprefix("make_"): function
    for function in (
        make_bumpy,
        make_circle,
        make_friedman1,
        make_friedman2,
        make_friedman3,
        make_overlap,
        make_peak,
        make_relevance,
        make_ringnorm,
        make_ripley,
        make_sinc,
        make_sparse_linear,
        make_spiral,
        make_threenorm,
        make_twonorm,
        make_waveform,
    )
}
