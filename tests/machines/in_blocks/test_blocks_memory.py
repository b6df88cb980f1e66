"""Peak memory of fits to rows in blocks, each measured in a process of its own."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from friedman_tables import friedman

_SCRIPT = """
import sys
from pathlib import Path
import numpy as np
from pauca import SparseGPRegressor

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024

X, y = np.load(sys.argv[1], mmap_mode="r"), np.load(sys.argv[2])
options = {"kernel": "rbf", "feature_scales": None, "max_vectors": 100, "min_gain": 0}
SparseGPRegressor(**options).fit(np.asarray(X[:500], dtype=float), y[:500])
before = peak()
machine = SparseGPRegressor(**options, memory_limit=float(sys.argv[3])).fit(X, y)
print(peak() - before, len(machine.relevance_))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from Linux's /proc")
def test_a_small_limit_keeps_no_columns(tmp_path):
    """All columns of 150,000 rows and 100 vectors are 180 MB; a limit of 16 MB keeps 4 MB of them."""
    X, _, y = friedman(150_000)
    np.save(tmp_path / "X.npy", X.astype(np.float32))
    np.save(tmp_path / "y.npy", y)
    found = []
    for limit in (2**24, 2**30):
        command = [sys.executable, "-c", _SCRIPT, tmp_path / "X.npy", tmp_path / "y.npy", str(limit)]
        found.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    (small, n_small), (large, n_large) = found
    assert n_small == n_large == "100"
    assert float(small) < 60
    assert float(large) > float(small) + 100
