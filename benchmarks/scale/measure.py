"""Time, memory and loss of one fit in a process of its own.

``python -m benchmarks.scale.measure MACHINE TABLE ROWS`` prints one line of JSON.
"""

import json
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from ..harness.footprint import peak_bytes
from .machines import make
from .tables import FRIEDMAN, FRIEDMAN_FILES, generated, large

_ROOT = Path(__file__).resolve().parents[2]
# CPU seconds of one process, after which it is ended, and seconds of the clock; set by hand.
_MAX_CPU_SECONDS, _MAX_SECONDS = 900, 7200


def main(machine: str, table: str, n_rows: int) -> None:
    """Fit a machine and print what was measured."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CPU, (_MAX_CPU_SECONDS, _MAX_CPU_SECONDS + 10))
    if table == FRIEDMAN_FILES:
        with tempfile.TemporaryDirectory() as folder:
            command = ["-c", _WRITE, folder, str(n_rows)]
            subprocess.run([sys.executable, *command], cwd=_ROOT, check=True)
            print(json.dumps(_measured(machine, generated(0), folder)))
        return
    rows = generated(n_rows) if table == FRIEDMAN else large(table)
    print(json.dumps(_measured(machine, rows, None)))


_WRITE = (
    "import sys; from pathlib import Path; from benchmarks.scale.tables import write_files;"
    "write_files(Path(sys.argv[1]), int(sys.argv[2]))"
)


def _measured(name, rows, folder):
    machine = make(name, rows.is_regression)
    given = (f"{folder}/*.parquet", "y") if folder else (rows.X, rows.y)
    before, start, cpu_start = peak_bytes(), perf_counter(), process_time()
    machine.fit(*given)
    record = {"fit_s": perf_counter() - start, "fit_cpu_s": process_time() - cpu_start, "rows": len(rows.y)}
    record |= {"peak_GB": peak_bytes() / 1e9, "before_GB": before / 1e9}
    start = process_time()
    if rows.is_regression:
        residual = rows.y_test - machine.predict(rows.X_test)
        record["loss"] = float(np.sqrt(np.mean(np.square(residual))) / rows.y_test.std())
    else:
        p = machine.predict_proba(rows.X_test)[:, 1]
        p = np.clip(np.where(rows.y_test == 1, p, 1 - p), 1e-15, 1)
        record["loss"] = float(-np.mean(np.log(p)))
    vectors = (
        len(machine.relevance_) if hasattr(machine, "relevance_") else getattr(machine, "n_vectors", None)
    )
    return {**record, "predict_cpu_s": process_time() - start, "vectors": vectors, "limit": rows.limit}


def in_fresh_process(machine: str, table: str, n_rows: int) -> dict:
    """Record of `main` from a new process, or the reason why there is none."""
    command = [sys.executable, "-m", "benchmarks.scale.measure", machine, table, str(n_rows)]
    try:
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, timeout=_MAX_SECONDS)
    except subprocess.TimeoutExpired:
        return {"failed": f"{machine} on {table}: more than {_MAX_SECONDS} s"}
    if done.returncode == -signal.SIGXCPU:
        return {"failed": f"{machine} on {table}, {n_rows} rows: more than {_MAX_CPU_SECONDS} CPU s"}
    if done.returncode:
        return {"failed": f"{machine} on {table}, {n_rows} rows: {done.stderr.strip().splitlines()[-1]}"}
    return json.loads(done.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
