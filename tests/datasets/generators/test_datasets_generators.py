"""Contract of all generators: shapes, seeds, labels, argument checks."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauca import datasets
from pauca.datasets import GENERATORS

REGRESSION = {"friedman1", "friedman2", "friedman3", "peak", "sinc"}
CLASSIFICATION = sorted(GENERATORS.keys() - REGRESSION)
BALANCED = ("bumpy", "overlap", "relevance", "ringnorm", "ripley", "spiral", "threenorm", "twonorm")
N_FEATURES = {
    **dict.fromkeys(("bumpy", "circle", "overlap", "relevance", "ripley", "spiral"), 2),
    **dict.fromkeys(("peak", "ringnorm", "threenorm", "twonorm"), 20),
    **{"friedman1": 10, "friedman2": 4, "friedman3": 4, "sinc": 1, "sparse_linear": 200, "waveform": 21},
}

every_generator = pytest.mark.parametrize("name", sorted(GENERATORS))


def test_table_has_every_public_generator():
    public = {name.removeprefix("make_") for name in datasets.__all__ if name.startswith("make_")}
    assert GENERATORS.keys() == public == N_FEATURES.keys()


@every_generator
@given(n_samples=st.integers(1, 40), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_shapes_and_finite_values(name, n_samples, seed):
    X, y = GENERATORS[name](n_samples, random_state=seed)
    assert X.shape == (n_samples, N_FEATURES[name])
    assert y.shape == (n_samples,)
    assert np.isfinite(X).all()
    assert np.isfinite(y).all()


@every_generator
def test_same_seed_same_data_and_other_seed_other_data(name):
    X, y = GENERATORS[name](random_state=3)
    X_again, y_again = GENERATORS[name](random_state=np.random.RandomState(3))
    X_other, _ = GENERATORS[name](random_state=4)
    np.testing.assert_array_equal(X, X_again)
    np.testing.assert_array_equal(y, y_again)
    assert not np.array_equal(X, X_other)


@pytest.mark.parametrize("name", CLASSIFICATION)
def test_labels_count_from_zero(name):
    _, y = GENERATORS[name](300, random_state=0)
    assert y.dtype.kind == "i"
    assert set(y) == ({0, 1, 2} if name == "waveform" else {0, 1})


@pytest.mark.parametrize("name", BALANCED)
@pytest.mark.parametrize("n_samples", [100, 101])
def test_classes_are_balanced_and_in_random_order(name, n_samples):
    _, y = GENERATORS[name](n_samples, random_state=0)
    assert abs(2 * y.sum() - n_samples) <= 1
    assert 20 < np.count_nonzero(np.diff(y)) < 80


@every_generator
@pytest.mark.parametrize("n_samples", [0, -1, 2.5, "many", None, True])
def test_bad_number_of_rows_is_named(name, n_samples):
    with pytest.raises(ValueError, match=r"n_samples must be an integer of at least 1"):
        GENERATORS[name](n_samples)


@pytest.mark.parametrize(
    ("name", "argument", "value"),
    [
        ("bumpy", "length", -1.0),
        ("bumpy", "width", np.inf),
        ("circle", "label_noise", 1.5),
        ("friedman1", "n_features", 4),
        ("friedman2", "noise", -1),
        ("overlap", "separation", "far"),
        ("peak", "n_features", 0),
        ("relevance", "n_features", 0),
        ("relevance", "separation", np.nan),
        ("ringnorm", "shift", -1),
        ("sinc", "noise", None),
        ("sparse_linear", "n_features", 0),
        ("sparse_linear", "n_informative", 201),
        ("spiral", "noise", -0.1),
        ("spiral", "turns", True),
        ("threenorm", "n_features", 1.5),
        ("twonorm", "n_features", 0),
        ("waveform", "n_classes", 4),
    ],
)
def test_bad_argument_is_named(name, argument, value):
    with pytest.raises(ValueError, match=rf"^{argument} must be"):
        GENERATORS[name](**{argument: value})


@every_generator
def test_docstring_has_parameters_and_reference(name):
    function = GENERATORS[name]
    sections = inspect.getdoc(function)
    assert "References\n----------" in sections
    assert "``" in sections.splitlines()[0], "the first line has the formula"
    assert all(parameter in sections for parameter in inspect.signature(function).parameters)
