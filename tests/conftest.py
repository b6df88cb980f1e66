"""What all tests share: the environment and the folder of real data."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# One of scikit-learn's estimator checks is skipped unless this is set before scipy is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# The same examples in every run, however busy the machine: a new failure comes from a change of the code.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")

_SIBLING = Path(__file__).resolve().parents[2] / "shared" / "data"
_DATA_DIRECTORY = Path(os.environ.get("PAUCA_DATA") or _SIBLING)


@pytest.fixture(autouse=True)
def seeded_global_generator():
    """scikit-learn's checks fit with random_state=None: the same draws in every run, whatever ran before."""
    np.random.seed(0)  # noqa: NPY002 (the legacy generator is what random_state=None means to scikit-learn)


@pytest.fixture
def data_directory(monkeypatch):
    """The folder of real data, with PAUCA_DATA pointing to it."""
    if not (_DATA_DIRECTORY / "ripley_synth.npz").is_file():
        pytest.skip("no real data: set PAUCA_DATA to the folder of npz files")
    monkeypatch.setenv("PAUCA_DATA", str(_DATA_DIRECTORY))
    return _DATA_DIRECTORY
