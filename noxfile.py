"""Tests on every declared Python, with the oldest and with the newest versions of all dependencies.

``make matrix`` runs the sessions ``oldest`` and ``newest``; ``smoke`` is the short form of ``oldest`` that
continuous integration runs. A Python that the machine does not have is skipped with a message.
"""

import os
from pathlib import Path

import nox

PYTHONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))
OLDEST = ("--resolution", "lowest-direct")
# Old releases warn about new releases of what they depend on in turn.
WARNINGS_PASS = ("-o", "filterwarnings=", "--disable-warnings")
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

# Pythons of pyenv are found although they are not active.
for _folder in Path.home().glob(".pyenv/versions/*/bin"):
    os.environ["PATH"] += os.pathsep + str(_folder)

nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["oldest", "newest"]


@nox.session(python=PYTHONS[0])
def smoke(session: nox.Session) -> None:
    """Every way through the library once, with the oldest versions."""
    session.install("-e", ".[test,mcmc]", *OLDEST)
    session.run("pytest", "-q", "tests/test_smoke.py", *WARNINGS_PASS, env=ONE_THREAD)


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """The fast tests, with the oldest versions; the benchmarks' peers need newer ones."""
    session.install("-e", ".[test,mcmc]", *OLDEST)
    fast = ("-n", "auto", "-m", "not slow", "--ignore=tests/benchmarks")
    session.run("pytest", "-q", *fast, *WARNINGS_PASS, *session.posargs, env=ONE_THREAD)


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The fast tests and the smoke tests, with the newest versions, on every Python."""
    session.install("--upgrade", "-e", ".[test,mcmc]")
    session.run("pytest", "-q", "tests/test_smoke.py", env=ONE_THREAD)
    session.run("pytest", "-q", "-n", "auto", "-m", "not slow", *session.posargs, env=ONE_THREAD)
