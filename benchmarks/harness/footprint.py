"""Seconds, scores and peak memory of one fit in a process of its own.

``python -m benchmarks.harness.footprint NAME PROBLEM ROWS``; the problem is a generator or a benchmark set.
"""

import json
import resource
import subprocess
import sys
import warnings
from pathlib import Path
from time import perf_counter, process_time

from .contenders import named
from .problems import of_size
from .runs import classify

_ROOT = Path(__file__).resolve().parents[2]
_GIGABYTE = 1e9
# What tables of growth and memory show of a fit.
COLUMNS = ("fit_s", "fit_cpu_s", "predict_s", "error_%", "log_loss", "vectors", "peak_GB")


def peak_bytes():
    """Largest resident size of this process so far, in bytes.

    Linux adds the parent's size at the moment of the fork to what ``getrusage`` reports, so the kernel's own
    mark for this program is read where there is one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main(name, problem, n_train):
    """Fit a contender and print what was measured as one line of JSON."""
    warnings.simplefilter("ignore")
    (contender,) = named(name)
    problem = of_size(problem, n_train)
    before, start, cpu_start = peak_bytes(), perf_counter(), process_time()
    model = contender.fit(problem.X, problem.y)
    times = {"fit_s": perf_counter() - start, "fit_cpu_s": process_time() - cpu_start}
    memory = {"peak_GB": peak_bytes() / _GIGABYTE, "before_fit_GB": before / _GIGABYTE}
    scores = classify(model, problem.X_test, problem.y_test)
    print(json.dumps({**memory, **times, **scores, "vectors": contender.n_vectors(model)}))


def in_fresh_process(name, problem, n_train, limit_seconds=1800):
    """Measurements that `main` prints, from a new process; RuntimeError if it fails."""
    command = [sys.executable, "-m", "benchmarks.harness.footprint", name, problem, str(n_train)]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, timeout=limit_seconds)
    if done.returncode:
        raise RuntimeError(f"{name} on {n_train} rows of {problem}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
