"""Spike-and-slab machines on memory maps: the machine of the array, in bounded memory."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pauca import SpikeSlabClassifier, SpikeSlabRegressor


@pytest.fixture
def rows(tmp_path):
    X = np.random.default_rng(0).normal(size=(150, 300))
    np.save(tmp_path / "X.npy", X)
    return X, np.load(tmp_path / "X.npy", mmap_mode="r")


def test_a_memory_map_gives_the_machine_of_single_precision(rows):
    X, mapped = rows
    y = X[:, 7] > X[:, 70]
    machine, other = (SpikeSlabClassifier().fit(table, y) for table in (X.astype(np.float32), mapped))
    np.testing.assert_array_equal(machine.inclusion_probabilities_, other.inclusion_probabilities_)
    np.testing.assert_allclose(other.predict_proba(mapped), machine.predict_proba(X), atol=1e-6)
    assert other.predict_proba(mapped[:3]).shape == (3, 2)
    number = X[:, 7] - X[:, 70]
    numbers = [SpikeSlabRegressor().fit(table, number) for table in (X.astype(np.float32), mapped)]
    np.testing.assert_array_equal(*(each.coef_ for each in numbers))


def test_bad_entries_of_a_memory_map_are_refused(tmp_path):
    X = np.ones((20, 5))
    X[::2] = 0
    for value, message in ((np.nan, "NaN"), (1e300, "infinity")):
        X[3, 2] = value
        np.save(tmp_path / "X.npy", X)
        with pytest.raises(ValueError, match=message):
            SpikeSlabClassifier().fit(np.load(tmp_path / "X.npy", mmap_mode="r"), np.arange(20) % 2)


_SCRIPT = """
import sys
from pathlib import Path
import numpy as np
from pauca import SpikeSlabClassifier
X = np.load(sys.argv[1], mmap_mode="r")
y = np.load(sys.argv[2])
machine = SpikeSlabClassifier().fit(X, y)
machine.predict_proba(X[:100])
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(int(peak.split()[1]) / 1e6, *machine.ranking_[:2])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from Linux's /proc")
def test_a_hundred_thousand_features_take_less_than_a_gigabyte(tmp_path):
    """500 rows of doubles are 400 MB on disk; two signal features of 100,000."""
    path, labels = tmp_path / "X.npy", tmp_path / "y.npy"
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(500, 100_000))
    rng, y = np.random.default_rng(0), np.empty(500, dtype=int)
    for row in range(500):
        X[row] = rng.normal(size=100_000)
        y[row] = X[row, 7] > X[row, 70]
    X.flush()
    np.save(labels, y)
    del X
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, path, labels], capture_output=True, text=True, check=True
    )
    peak, *best = done.stdout.split()
    assert float(peak) < 1.0
    assert sorted(map(int, best)) == [7, 70]
