"""The package loads nothing that it does not need."""

import os
import subprocess
import sys

import pytest

USE = "import pauca; pauca.RVMClassifier"
# What the machines take from scikit-learn and scipy.
NEEDED = (
    "import scipy.linalg, scipy.sparse, scipy.special, sklearn.base, sklearn.exceptions, "
    "sklearn.metrics.pairwise, sklearn.utils.multiclass, sklearn.utils.sparsefuncs, sklearn.utils.validation"
)
TIMED = "from time import process_time; start = process_time(); {}; print(process_time() - start)"


def run(code, **variables):
    """What a fresh interpreter prints."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **variables}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


@pytest.mark.slow
def test_import_costs_little_more_than_what_it_needs(tmp_path):
    # Bytecode is kept, in a folder of the test, so that no import is timed with its compilation.
    bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    for code in (NEEDED, USE):
        run(code, **bytecode)
    pairs = [[float(run(TIMED.format(code), **bytecode)) for code in (NEEDED, USE)] for _ in range(5)]
    needed, ours = (min(times) for times in zip(*pairs, strict=True))
    assert ours < 1.5 * needed


def test_optional_packages_are_not_loaded():
    # scikit-learn itself loads some of them where they are installed.
    code = f"{NEEDED}; import sys; before = set(sys.modules); {USE}; print(*(set(sys.modules) - before))"
    loaded = {name.split(".")[0] for name in run(code).split()}
    assert "pauca" in loaded
    assert not loaded & {"numba", "matplotlib", "pandas", "typer", "rich", "skops", "arviz", "dask", "cvxpy"}


def test_the_package_alone_loads_nothing():
    code = "import sys, pauca; print(sorted({'numpy', 'scipy', 'sklearn'} & set(sys.modules)))"
    assert run(code).strip() == "[]"
