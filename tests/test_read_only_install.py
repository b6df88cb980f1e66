"""The package works where neither its own folder nor a home can be written, for a user without rights."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import pauca

TESTS = Path(__file__).parent
# Number of a user who owns nothing.
NOBODY = 65534


@pytest.fixture
def folder():
    """Folder that every user may read; those of pytest are for the user who runs it."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def environment(package, scratch):
    """Variables of a process without a home: what it imports, and where it may write temporary files."""
    known = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    others = Path(np.__file__).parents[1]
    known |= {"HOME": "/dev/null", "PYTHONPATH": f"{package.parent}{os.pathsep}{others}"}
    known |= {"PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return known | {"TMPDIR": str(scratch), "MPLCONFIGDIR": str(scratch)}


def interpreter(variables):
    """Python and arguments of `subprocess.run` of a user without rights, where root may be one."""
    if os.name != "posix" or os.geteuid() != 0:
        return sys.executable, {}
    nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": ()}
    name = f"python3.{sys.version_info.minor}"
    places = "/usr/local/bin", "/usr/bin"
    for path in (sys.executable, *(f"{place}/{name}" for place in places)):
        command = [path, "-c", f"import pauca, pytest; open({str(TESTS / 'test_smoke.py')!r})"]
        try:
            subprocess.run(command, check=True, capture_output=True, env=variables, cwd="/", **nobody)
        except (OSError, subprocess.CalledProcessError):
            continue
        return path, nobody
    return sys.executable, {}


@pytest.mark.slow
def test_every_way_through_the_library_without_a_writable_folder(folder):
    package, scratch = folder / "site" / "pauca", folder / "scratch"
    shutil.copytree(Path(pauca.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    # A file in the place of each folder for caches: not even root can write there.
    for place in (package, *(path for path in package.rglob("*") if path.is_dir())):
        (place / "__pycache__").touch()
    scratch.mkdir()
    scratch.chmod(0o777)
    variables = environment(package, scratch)
    python, nobody = interpreter(variables)
    where = [python, "-c", f"import os, pauca; print(pauca.__file__, os.access({str(folder)!r}, os.W_OK))"]
    found = subprocess.run(where, capture_output=True, text=True, check=True, env=variables, **nobody)
    path, may_write = found.stdout.split()
    assert path == str(package / "__init__.py")
    assert not nobody or may_write == "False"
    tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(TESTS / "test_smoke.py")]
    done = subprocess.run(tests, capture_output=True, text=True, env=variables, cwd=TESTS.parent, **nobody)
    assert done.returncode == 0, done.stdout[-3000:]
