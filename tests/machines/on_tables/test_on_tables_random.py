"""Machines fitted to random frames: finite probabilities, or an error that names the column."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pauca import SparseGPClassifier

N = 24
NUMBERS = st.one_of(st.floats(allow_nan=True, allow_infinity=True, width=64), st.integers(-5, 5), st.none())
TEXTS = st.one_of(st.sampled_from(["a", "b", "A", "", " ", "1", "1.0", "nan"]), st.none())
MIXED = st.one_of(TEXTS, st.booleans(), st.integers(-3, 3), st.just(float("nan")))
STRANGE = st.sampled_from([[1], {"a": 1}, object])


@st.composite
def frames(draw):
    columns = {}
    for place in range(draw(st.integers(1, 4))):
        cells = draw(st.sampled_from([NUMBERS, TEXTS, MIXED, MIXED | STRANGE]))
        columns[f"column {place}"] = pd.Series(draw(st.lists(cells, min_size=N, max_size=N)), dtype=object)
    return pd.DataFrame(columns)


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(frames(), frames())
def test_any_frame_is_fitted_or_named(X, other):
    y = np.arange(N) % 2
    machine = result_or_message(SparseGPClassifier(max_vectors=5).fit, X, y)
    if isinstance(machine, str):
        assert "column" in machine
        return
    assert np.isfinite(machine.predict_proba(X)).all()
    assert np.isfinite(machine.effects(X).contributions).all()
    if list(other) == list(X):
        found = result_or_message(machine.predict_proba, other)
        assert "column" in found if isinstance(found, str) else np.isfinite(found).all()


def result_or_message(function, *arguments):
    """What the function returns, or the message of its ValueError."""
    try:
        return function(*arguments)
    except ValueError as error:
        return str(error)
