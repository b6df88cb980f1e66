"""Files of real datasets, where they are present."""

import numpy as np
import pytest

from pauca.datasets import available, load, make_ringnorm, ripley_posterior
from pauca.datasets.loaders import BUNDLED, bundled_arrays
from pauca.datasets.openml.registry import REGISTRY


def test_every_file_loads(data_directory):
    for path in sorted(data_directory.glob("*.npz")):
        if path.stat().st_size > 3_000_000:
            continue
        dataset = load(path.stem, download=False)
        assert len(dataset.X) == len(dataset.y)
        assert len(dataset.feature_names) in (0, dataset.X.shape[1])
        assert np.isfinite(dataset.X).all()
        for train, test in (*dataset.splits, *dataset.half_splits, *dataset.original_splits):
            assert np.intersect1d(train, test).size == 0
            assert max(train.max(), test.max()) < len(dataset.X)


def test_tasks_agree_with_the_registry(data_directory):
    present = {name for name, place in available().items() if place == "local"}
    for name in sorted(REGISTRY.keys() & present - {"adult", "letter"}):
        assert load(name, download=False).task == REGISTRY[name].task, name


@pytest.mark.parametrize("name", sorted(BUNDLED))
def test_bundled_sets_equal_the_files(data_directory, name):
    dataset = load(name, download=False)
    arrays = bundled_arrays(name)
    np.testing.assert_array_equal(dataset.X, arrays["X"])
    np.testing.assert_array_equal(dataset.y, arrays["y"])
    assert dataset.class_names == tuple(arrays["class_names"])


def test_banana_has_its_customary_splits(data_directory):
    banana = load("banana")
    assert (len(banana.splits), len(banana.half_splits), len(banana.original_splits)) == (100, 100, 10)
    assert {(len(train), len(test)) for train, test in banana.splits} == {(400, 4900)}
    assert banana.task == "binary"
    assert set(banana.y) == {-1, 1}


def test_posterior_is_right_on_ripleys_own_test_set(data_directory):
    ripley = load("ripley_synth")
    _, test = ripley.splits[0]
    wrong = (ripley_posterior(ripley.X[test]) > 0.5) != (ripley.y[test] > 0)
    assert wrong.mean() == pytest.approx(0.08), "the figure of the literature"


def test_ringnorm_file_has_the_larger_shift(data_directory):
    ringnorm = load("ringnorm")
    X, y = make_ringnorm(7400, shift=2.0, random_state=0)
    wide, narrow = (ringnorm.X[ringnorm.y == label] for label in (1, -1))
    distance = abs(wide.mean(axis=0) - narrow.mean(axis=0)).mean() / narrow.std(axis=0).mean()
    ours = abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)).mean() / X[y == 1].std(axis=0).mean()
    assert distance == pytest.approx(ours, rel=0.05)
