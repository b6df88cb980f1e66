"""The site, built once for all tests without running the gallery."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs" / "extensions"))
PACKAGES = ("sphinx", "pydata_sphinx_theme", "sphinx_gallery", "numpydoc", "myst_parser", "sphinx_design")
# Seconds that a worker waits for the one that builds.
PATIENCE = 900


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the built site; a warning of the build is an error."""
    for package in PACKAGES:
        pytest.importorskip(package, reason='the site needs the extra: pip install ".[docs]"')
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    folder, errors = shared / "site", shared / "site-errors.txt"
    try:
        folder.mkdir()
    except FileExistsError:
        for _ in range(PATIENCE):
            if errors.exists():
                break
            time.sleep(1)
    else:
        finished = shared / "site-errors.part"
        finished.write_text(build(folder), encoding="utf-8")
        finished.rename(errors)
    assert errors.read_text(encoding="utf-8") == ""
    return folder / "html"


def build(folder):
    """Build the site from a copy, since generated pages stand beside the sources; warnings and errors."""
    source = folder / "source"
    source.mkdir()
    for name in ("examples", "benchmarks", "src", "CONTRIBUTING.md", "CHANGELOG.md", "README.md"):
        (source / name).symlink_to(ROOT / name)
    generated = shutil.ignore_patterns("_build", "api", "gallery", "__pycache__")
    shutil.copytree(ROOT / "docs", source / "docs", ignore=generated)
    words = ["-W", "--keep-going", "-q", "-b", "html", "-D", "plot_gallery=0"]
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", *words, str(source / "docs"), str(folder / "html")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    return "" if run.returncode == 0 else run.stderr[-4000:] or "failed"
