"""Arrays as their distinct entries and places."""

import numpy as np
import pytest

from pauca.numerics import all_entries, few_entries

ARRAYS = [
    np.tile([0.5, 0.0, np.nan], (30, 4)),
    np.array([["red", None, 1.0], ["red", 1, float("nan")]] * 40, dtype=object),
    np.array([[1, True, "1"]] * 30, dtype=object),
]


@pytest.mark.parametrize("array", ARRAYS)
def test_arrays_with_few_entries_are_smaller_and_the_same(array):
    entries, codes = few_entries(array)
    assert codes.dtype == np.uint8
    assert codes.nbytes + entries.nbytes < array.nbytes
    again = all_entries((entries, codes))
    assert again.dtype == array.dtype
    assert list(map(repr, again.flat)) == list(map(repr, array.flat))


def test_other_arrays_stay_as_they_are():
    numbers = np.random.default_rng(0).normal(size=(5, 3))
    assert few_entries(numbers) is numbers
    assert all_entries(numbers) is numbers
    assert all_entries(few_entries(np.empty((0, 2)))).shape == (0, 2)
    assert few_entries("text") == "text"
