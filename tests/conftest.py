"""What all tests share: the environment and the folder of real data."""

import os
from pathlib import Path

import pytest

# One of scikit-learn's estimator checks is skipped unless this is set before scipy is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

_SIBLING = Path(__file__).resolve().parents[2] / "shared" / "data"
_DATA_DIRECTORY = Path(os.environ.get("PAUCA_DATA") or _SIBLING)


@pytest.fixture
def data_directory(monkeypatch):
    """The folder of real data, with PAUCA_DATA pointing to it."""
    if not (_DATA_DIRECTORY / "ripley_synth.npz").is_file():
        pytest.skip("no real data: set PAUCA_DATA to the folder of npz files")
    monkeypatch.setenv("PAUCA_DATA", str(_DATA_DIRECTORY))
    return _DATA_DIRECTORY
