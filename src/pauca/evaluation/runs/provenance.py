"""Machine and package versions with which results were computed."""

from __future__ import annotations

import hashlib
import inspect
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ... import __version__

# Packages whose versions are stored with every result: the numbers come from these.
_PACKAGES = ("pauca", "scikit-learn", "numpy", "scipy")


@cache
def environment(packages: tuple[str, ...] = _PACKAGES) -> dict[str, Any]:
    """Describe the machine, the Python version and the package versions as plain values.

    Parameters
    ----------
    packages : tuple of str, default=("pauca", "scikit-learn", "numpy", "scipy")
        Names of the distributions whose versions are looked up.

    Returns
    -------
    dict
        ``python``, ``system``, ``processor``, ``cores``, ``commit`` of the checkout that pauca is imported
        from (None outside of one), and ``packages``, the version of each package (None where it is not
        installed).
    """
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "commit": _commit(),
        "packages": {name: _version(name) for name in packages},
    }


@cache
def in_history(commit: str) -> bool:
    """Whether the history of the checkout that pauca is imported from has a commit.

    Parameters
    ----------
    commit : str
        Short name, with a plus sign if files were changed.

    Returns
    -------
    bool
        False outside of a checkout, too.
    """
    name = commit.removesuffix("+")
    common = _git(Path(__file__).resolve().parents[3], "merge-base", name, "HEAD")
    return bool(name) and common.startswith(name)


@cache
def fingerprint(*functions: Callable | None) -> str:
    """Eight characters that change with the source of functions' modules or with the settings of a machine.

    The machines are those that the source names, with their defaults, and the published ones whose names it
    quotes, with the settings of `pauca.as_published`.

    Parameters
    ----------
    *functions : callable or None
        Functions of modules, or partials of them.

    Returns
    -------
    str
    """
    modules = {getattr(getattr(each, "func", each), "__module__", "") for each in functions if each}
    sources = [inspect.getsource(sys.modules[name]) for name in sorted(modules) if _has_source(name)]
    text = "\n".join([*sources, *_settings("\n".join(sources))])
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _has_source(name: str) -> bool:
    return getattr(sys.modules.get(name), "__file__", None) is not None


def _settings(source: str) -> list[str]:
    """Machines that a source names, with the defaults or the published settings of their arguments."""
    machines = import_module("pauca.machines")
    names = [name for name in machines.__all__ if isinstance(getattr(machines, name), type)]
    defaults = [f"{name}{inspect.signature(getattr(machines, name))}" for name in names if name in source]
    published = [name for name in machines.published_machines() if f'"{name}"' in source]
    settings = [f"{name}: {machines.as_published(name).get_params()}" for name in published]
    return [*sorted(defaults), *settings]


def machine_line(environment: Mapping[str, Any]) -> str:
    """Format processor, cores and package versions in one line.

    Parameters
    ----------
    environment : mapping
        Description of a machine as the function `environment` returns it.

    Returns
    -------
    str
    """
    versions = {"Python": environment["python"], **environment["packages"]}
    installed = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    return f"{environment['processor']}, {environment['cores']} cores, {installed}"


def _processor() -> str:
    """Name of the processor model where the system tells it, otherwise the architecture."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def _commit() -> str | None:
    """Commit of the checkout that the package is imported from, with a plus sign if files are changed."""
    folder = Path(__file__).resolve().parents[3]
    if not (folder.parent / ".git").exists():
        return None
    commit, changes = _git(folder, "rev-parse", "--short", "HEAD"), _git(folder, "status", "-s", ".")
    return None if not commit else f"{commit}{'+' if changes else ''}"


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, cwd=folder, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def _version(package: str) -> str | None:
    """Installed version of a package, or None."""
    if package == "pauca":
        return __version__
    try:
        return version(package)
    except PackageNotFoundError:
        return None
