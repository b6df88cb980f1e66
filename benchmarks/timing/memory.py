"""Peak memory of new processes that fit one machine each on 20000 rows."""

from pauca.evaluation import Target, Unit

from ..harness.contenders import RVM_EVIDENCE, RVM_GIVEN, SVC_CALIBRATED
from ..harness.footprint import in_fresh_process
from ..harness.report import Report, Table

_COLUMNS = ("peak_GB", "before_fit_GB", "fit_s", "vectors")
# The project's target in gigabytes.
_AT_MOST = 2


def run(options, store) -> Report:
    """Peak memory of each machine, in a process of its own, and the targets on it."""
    n_train = 300 if options.quick else 20_000
    rows = []
    for machine in (RVM_GIVEN, RVM_EVIDENCE, SVC_CALIBRATED):
        unit = Unit("memory", f"twonorm N={n_train}", 0, machine)
        if unit not in store:
            measured = in_fresh_process(machine, "twonorm", n_train)
            store.put(unit, {name: measured[name] for name in _COLUMNS})
        rows.append({"machine": machine, **store[unit]})
    peaks = {row["machine"]: row["peak_GB"] for row in rows}
    targets = [
        Target(f"{machine}, N={n_train}: peak GB", peaks[machine], _AT_MOST, False)
        for machine in (RVM_GIVEN, RVM_EVIDENCE)
    ]
    return Report([Table(f"Peak memory, twonorm d=20, N={n_train}", rows)], targets)
