"""The package loads nothing that it does not need."""

import os
import subprocess
import sys
from statistics import median

import pytest

USE = "import laconic; laconic.RVMClassifier"
# What the machines take from scikit-learn and scipy.
NEEDED = (
    "import scipy.linalg, scipy.sparse, scipy.special, sklearn.base, sklearn.exceptions, "
    "sklearn.metrics.pairwise, sklearn.utils.multiclass, sklearn.utils.sparsefuncs, sklearn.utils.validation"
)
TIMED = "from time import perf_counter; start = perf_counter(); {}; print(perf_counter() - start)"


def run(code):
    """What a fresh interpreter prints."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


@pytest.mark.slow
def test_import_costs_little_more_than_what_it_needs():
    pairs = [[float(run(TIMED.format(code))) for code in (NEEDED, USE)] for _ in range(5)]
    needed, ours = (median(times) for times in zip(*pairs, strict=True))
    assert ours < 1.5 * needed


@pytest.mark.parametrize("module", ["numba", "matplotlib", "pandas", "typer", "rich", "skops"])
def test_optional_packages_are_not_loaded(module):
    assert run(f"{USE}; import sys; print({module!r} in sys.modules)").strip() == "False"


def test_the_package_alone_loads_nothing():
    code = "import sys, laconic; print(sorted({'numpy', 'scipy', 'sklearn'} & set(sys.modules)))"
    assert run(code).strip() == "[]"
