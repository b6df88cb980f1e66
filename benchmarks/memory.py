"""Peak memory of fresh processes that fit one machine each."""

import json
import subprocess
import sys
from pathlib import Path

from laconic.evaluation import Target, Unit

from .contenders import RVM_EVIDENCE, RVM_GIVEN, SVC_CALIBRATED
from .report import Report, Table

_ROOT = Path(__file__).resolve().parents[1]
_GIGABYTE = 1e9
_LIMIT_SECONDS = 1800


def run(options, store):
    """One process for each machine, and the target on its peak."""
    n_train = 300 if options.quick else 20_000
    rows = []
    for machine in (RVM_GIVEN, RVM_EVIDENCE, SVC_CALIBRATED):
        unit = Unit("memory", f"twonorm N={n_train}", 0, machine)
        if unit not in store:
            store.put(unit, _in_fresh_process(machine, n_train))
        rows.append({"machine": machine, **store[unit]})
    peaks = {row["machine"]: row["peak_GB"] for row in rows}
    targets = [
        Target(f"{machine}, N={n_train}: peak GB", peaks[machine], 2, False)
        for machine in (RVM_GIVEN, RVM_EVIDENCE)
    ]
    return Report([Table(f"Peak memory, twonorm d=20, N={n_train}", rows)], targets)


def _in_fresh_process(machine, n_train):
    command = [sys.executable, "-m", "benchmarks.footprint", machine, str(n_train)]
    done = subprocess.run(
        command, cwd=_ROOT, capture_output=True, text=True, check=True, timeout=_LIMIT_SECONDS
    )
    measured = json.loads(done.stdout)
    return {
        "peak_GB": measured["peak_bytes"] / _GIGABYTE,
        "before_fit_GB": measured["bytes_before_fit"] / _GIGABYTE,
        "fit_s": measured["fit_s"],
        "vectors": measured["vectors"],
    }
