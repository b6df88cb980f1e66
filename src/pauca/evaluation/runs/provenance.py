"""Machine and package versions with which results were computed."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
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
        ``python``, ``system``, ``processor``, ``cores``, and ``packages``, the version of each package (None
        where it is not installed).
    """
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "packages": {name: _version(name) for name in packages},
    }


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


def _version(package: str) -> str | None:
    """Installed version of a package, or None."""
    if package == "pauca":
        return __version__
    try:
        return version(package)
    except PackageNotFoundError:
        return None
