"""The package works where neither its own folder nor a home can be written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pauca

TESTS = Path(__file__).parent


@pytest.mark.slow
def test_every_way_through_the_library_without_a_writable_folder(tmp_path):
    package = tmp_path / "site" / "pauca"
    shutil.copytree(Path(pauca.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    # A file in the place of each folder for caches: for root, too, nothing can be written there.
    for folder in (package, *(path for path in package.rglob("*") if path.is_dir())):
        (folder / "__pycache__").touch()
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment |= {"HOME": "/dev/null", "PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"OPENBLAS_NUM_THREADS": "1", "MPLCONFIGDIR": str(tmp_path)}
    where = [sys.executable, "-c", "import pauca; print(pauca.__file__)"]
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(TESTS / "test_smoke.py")]
    found = subprocess.run(where, capture_output=True, text=True, check=True, env=environment)
    assert found.stdout.strip() == str(package / "__init__.py")
    done = subprocess.run(tests, capture_output=True, text=True, env=environment, cwd=TESTS.parent)
    assert done.returncode == 0, done.stdout[-3000:]
