"""Data that the tests of spike-and-slab estimators share."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def genes():
    """Few rows, many features, two of which matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 500))
    return X, np.where(2 * X[:, 7] - 2 * X[:, 70] + rng.normal(size=60) > 0, "ill", "healthy")
