"""Peak memory of fresh processes that fit one machine each."""

from pauca.evaluation import Target, Unit

from ..harness.contenders import RVM_EVIDENCE, RVM_GIVEN, SVC_CALIBRATED
from ..harness.footprint import in_fresh_process
from ..harness.report import Report, Table

_GIGABYTE = 1e9


def run(options, store):
    """One process for each machine, and the target on its peak."""
    n_train = 300 if options.quick else 20_000
    rows = []
    for machine in (RVM_GIVEN, RVM_EVIDENCE, SVC_CALIBRATED):
        unit = Unit("memory", f"twonorm N={n_train}", 0, machine)
        if unit not in store:
            store.put(unit, _measure(machine, n_train))
        rows.append({"machine": machine, **store[unit]})
    peaks = {row["machine"]: row["peak_GB"] for row in rows}
    targets = [
        Target(f"{machine}, N={n_train}: peak GB", peaks[machine], 2, False)
        for machine in (RVM_GIVEN, RVM_EVIDENCE)
    ]
    return Report([Table(f"Peak memory, twonorm d=20, N={n_train}", rows)], targets)


def _measure(machine, n_train):
    measured = in_fresh_process(machine, "twonorm", n_train)
    return {
        "peak_GB": measured["peak_bytes"] / _GIGABYTE,
        "before_fit_GB": measured["bytes_before_fit"] / _GIGABYTE,
        "fit_s": measured["fit_s"],
        "vectors": measured["vectors"],
    }
