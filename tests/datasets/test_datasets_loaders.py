"""Loading by name: the order of the places, bundled datasets, and errors."""

import subprocess
import sys

import numpy as np
import pytest

from pauca.datasets import DatasetNotFound, available, load
from pauca.datasets.dataset import from_arrays
from pauca.datasets.storage import cache_directory, write_arrays


def store(directory, name, value):
    """Write a tiny set whose only value tells where it came from."""
    write_arrays(
        directory / f"{name}.npz", {"X": np.full((2, 1), value), "y": np.array([-1, 1], dtype=np.int8)}
    )


def test_directory_comes_before_cache_before_scikit_learn(monkeypatch, tmp_path):
    assert load("iris").X.shape == (150, 4)
    store(cache_directory(), "iris", 2.0)
    assert load("iris").X[0, 0] == 2.0
    monkeypatch.setenv("PAUCA_DATA", str(tmp_path / "local"))
    assert load("iris").X[0, 0] == 2.0, "a directory without the file is passed over"
    store(tmp_path / "local", "iris", 1.0)
    assert load("iris").X[0, 0] == 1.0


def test_data_home_replaces_the_cache(tmp_path):
    store(cache_directory(), "mine", 1.0)
    store(tmp_path / "home", "mine", 2.0)
    assert load("mine").X[0, 0] == 1.0
    assert load("mine", data_home=tmp_path / "home").X[0, 0] == 2.0


def test_unknown_name_lists_close_matches():
    with pytest.raises(DatasetNotFound, match=r"'irs' is not known .* did you mean 'iris'"):
        load("irs")
    with pytest.raises(FileNotFoundError, match=r"available\(\) lists the known names"):
        load("zzzzzz")


@pytest.mark.parametrize("name", ["../iris", "a/b", "", ".hidden", "iris\n"])
def test_name_is_never_a_path(name):
    with pytest.raises(DatasetNotFound, match="is not known"):
        load(name)


def test_name_that_is_no_string():
    with pytest.raises(ValueError, match="name must be a string"):
        load(40)


def test_without_download_says_what_to_do():
    with pytest.raises(
        DatasetNotFound, match=r"'sonar' is not on this machine: set PAUCA_DATA .* download=True"
    ):
        load("sonar", download=False)


def test_available_says_where_each_set_comes_from():
    store(cache_directory(), "mine", 1.0)
    store(cache_directory(), "sonar", 1.0)
    (cache_directory() / ".glass.0.part").write_bytes(b"half a fi")
    places = available()
    expected = {
        "mine": "local",
        "sonar": "local",
        "glass": "download",
        "iris": "bundled",
        "digits": "bundled",
    }
    assert expected.items() <= places.items()
    assert list(places) == sorted(places)


@pytest.mark.parametrize(
    ("name", "shape", "task"),
    [
        ("iris", (150, 4), "multiclass"),
        ("wine", (178, 13), "multiclass"),
        ("wdbc", (569, 30), "binary"),
        ("digits", (1797, 64), "multiclass"),
    ],
)
def test_bundled_sets(name, shape, task):
    dataset = load(name, download=False)
    assert (dataset.X.shape, dataset.task) == (shape, task)
    assert len(dataset.feature_names) == shape[1]
    assert len(dataset.class_names) == len(np.unique(dataset.y))
    assert dataset.splits == dataset.half_splits == dataset.original_splits == ()
    assert "scikit-learn" in dataset.description


def test_malignant_is_positive():
    dataset = load("wdbc")
    assert dataset.class_names == ("benign", "malignant")
    assert np.count_nonzero(dataset.y == 1) == 212
    assert set(dataset.y) == {-1, 1}


def test_dataset_keeps_splits_and_extras():
    arrays = {
        "X": np.eye(4),
        "y": np.arange(4.0),
        "train_index": np.array([[0, 1], [2, 3]], dtype=np.int16),
        "test_index": np.array([[2, 3], [0, 1]], dtype=np.int16),
        "half_train_index": np.array([[0, 2]]),
        "half_test_index": np.array([[1, 3]]),
        "orig_train_index": np.array([[3]]),
        "orig_test_index": np.array([[0]]),
        "X_raw": np.ones((4, 4)),
    }
    dataset = from_arrays("tiny", arrays)
    assert dataset.task == "regression"
    assert [(list(train), list(test)) for train, test in dataset.splits] == [
        ([0, 1], [2, 3]),
        ([2, 3], [0, 1]),
    ]
    assert len(dataset.half_splits) == len(dataset.original_splits) == 1
    assert dataset.extras.keys() == {"X_raw"}
    assert repr(dataset) == "Dataset('tiny', regression, 4 x 4, 2 splits)"
    with pytest.raises(AttributeError):
        dataset.name = "other"


def test_import_is_cheap():
    heavy = "{'pandas', 'rich', 'scipy', 'sklearn', 'urllib.request'}"
    code = f"import sys, pauca.datasets; print(sorted({heavy} & sys.modules.keys()))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
