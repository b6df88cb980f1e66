"""Fit one machine and print the peak memory of this process: ``python -m benchmarks.footprint NAME ROWS``."""

import json
import resource
import sys
import warnings
from pathlib import Path
from time import perf_counter

from .contenders import classifiers
from .problems import generated


def peak_bytes():
    """Largest resident size so far.

    Linux adds the parent's size at the moment of the fork to what ``getrusage`` reports, so the kernel's own
    mark for this program is read where there is one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main(name, n_train):
    """Fit and report as one line of JSON."""
    warnings.simplefilter("ignore")
    contender = next(contender for contender in classifiers() if contender.name == name)
    problem = generated("twonorm", n_train, 10)
    before, start = peak_bytes(), perf_counter()
    model = contender.fit(problem.X, problem.y)
    seconds = perf_counter() - start
    measured = {"peak_bytes": peak_bytes(), "bytes_before_fit": before, "fit_s": seconds}
    print(json.dumps({**measured, "vectors": contender.n_vectors(model)}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
