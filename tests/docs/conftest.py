"""The site, built once for all tests without running the gallery."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs" / "extensions"))
SITE_PACKAGES = (
    "sphinx",
    "pydata_sphinx_theme",
    "sphinx_gallery",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the built site; a warning of the build is an error."""
    for package in SITE_PACKAGES:
        pytest.importorskip(package, reason='the site needs the extra: pip install ".[docs]"')
    folder = tmp_path_factory.mktemp("site")
    source = folder / "source"
    source.mkdir()
    for name in ("docs", "examples", "benchmarks", "src", "CONTRIBUTING.md", "CHANGELOG.md", "README.md"):
        (source / name).symlink_to(ROOT / name)
    # Generated pages are written beside the sources, so these are copied.
    (source / "docs").unlink()
    subprocess.run(["cp", "-r", ROOT / "docs", source / "docs"], check=True)
    for generated in ("_build", "api", "gallery"):
        subprocess.run(["rm", "-rf", source / "docs" / generated], check=True)
    words = ["-W", "--keep-going", "-q", "-b", "html", "-D", "plot_gallery=0"]
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", *words, str(source / "docs"), str(folder / "html")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return folder / "html"
