"""Files of datasets: damage is recognised."""

import numpy as np
import pytest

from pauca.datasets import DatasetCorrupted, load
from pauca.datasets.storage import cache_directory, read_arrays, write_arrays


def test_cache_falls_back_to_the_home_directory(monkeypatch, tmp_path):
    assert cache_directory() == tmp_path / "cache" / "pauca"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_directory() == tmp_path / ".cache" / "pauca"


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "text"])
def test_damaged_file_is_recognised(damage):
    path = cache_directory() / "sonar.npz"
    write_arrays(path, {"X": np.random.default_rng(0).normal(size=(50, 3)), "y": np.ones(50, dtype=np.int8)})
    content = bytearray(path.read_bytes())
    middle = len(content) // 3
    content[middle] ^= 0xFF
    damaged = {"cut": content[:middle], "flip": content, "empty": b"", "text": b"<html>sorry</html>"}[damage]
    path.write_bytes(damaged)
    with pytest.raises(
        DatasetCorrupted, match=r"sonar\.npz is damaged: delete it and load the dataset again"
    ):
        load("sonar")


def test_no_flipped_byte_changes_a_value_unnoticed(tmp_path):
    path = tmp_path / "x.npz"
    arrays = {"X": np.arange(6.0).reshape(3, 2), "y": np.array([1, -1, 1], dtype=np.int8)}
    write_arrays(path, arrays)
    content = path.read_bytes()
    for position in range(len(content)):
        path.write_bytes(content[:position] + bytes([content[position] ^ 0x10]) + content[position + 1 :])
        try:
            found = read_arrays(path)
        except DatasetCorrupted:
            continue
        np.testing.assert_array_equal(found["X"], arrays["X"])
        np.testing.assert_array_equal(found["y"], arrays["y"])


def test_file_without_x_and_y_is_refused(tmp_path):
    np.savez(tmp_path / "x.npz", z=np.zeros(3))
    with pytest.raises(DatasetCorrupted, match="is damaged"):
        read_arrays(tmp_path / "x.npz")


def test_python_objects_are_refused(tmp_path):
    with pytest.raises(ValueError, match="Python objects"):
        write_arrays(tmp_path / "x.npz", {"X": np.array([{}]), "y": np.zeros(1)})
    assert list(tmp_path.iterdir()) == []
