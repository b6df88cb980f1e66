"""The benchmarks are a folder of the repository, not part of the installed package."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


@pytest.fixture(autouse=True)
def no_local_data(monkeypatch, tmp_path):
    """Only the sets that come with scikit-learn, whatever lies beside the repository."""
    monkeypatch.setenv("PAUCA_DATA", str(tmp_path))
