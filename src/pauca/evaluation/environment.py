"""Where figures come from: processor, Python and the versions of the packages."""

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from .. import __version__

_PACKAGES = ("pauca", "scikit-learn", "numpy", "scipy")


@cache
def environment(packages=_PACKAGES):
    """Processor, number of cores, Python and versions of packages (None: not installed), as plain values."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "packages": {name: _version(name) for name in packages},
    }


def _processor():
    """The processor's name where the system tells it, otherwise its kind."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def _version(package):
    if package == "pauca":
        return __version__
    try:
        return version(package)
    except PackageNotFoundError:
        return None
