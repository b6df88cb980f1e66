"""Data that the tests of spike-and-slab estimators share."""

import sys
from pathlib import Path

import numpy as np
import pytest

# The reference algorithms are those of the benchmarks.
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))


@pytest.fixture(scope="session")
def genes():
    """Few rows, many features, two of which matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 500))
    return X, np.where(2 * X[:, 7] - 2 * X[:, 70] + rng.normal(size=60) > 0, "ill", "healthy")
