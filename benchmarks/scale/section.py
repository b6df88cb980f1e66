"""Section ``scaling``: CPU seconds, memory and loss by the number of rows, and on real large sets."""

from pathlib import Path

from pauca.evaluation import Unit

from ..harness.report import Report, Table
from ..timing.scaling import exponent
from .machines import HGB, LIGHTGBM, LINEAR, NYSTROEM, PEERS, SGD, SPARSE_GP, missing, svgp_with, with_vectors
from .measure import in_fresh_process
from .page import draw, shown, write_tables
from .tables import FRIEDMAN, FRIEDMAN_FILES, LARGE, SEEDS
from .targets import targets

_SIZES = (1000, 4000, 16_000, 64_000, 256_000, 1_000_000)
_FILE_ROWS, _QUICK_ROWS = 10_000_000, 2000
# Number of vectors with which the largest table is learned once more, to come nearer to the best possible.
_MANY_VECTORS = 512
# Rows beyond which peers are left out: for memory those that keep all features of all rows, and for time the
# stochastic variational process, whose steps are as many whatever the rows.
_MAX_ROWS = {NYSTROEM: 256_000, SGD: 256_000}
_MAX_SVGP_ROWS = 64_000
# Numbers of vectors of the curves, and the most rows times squared vectors that are tried; set for time.
_VECTORS, _MOST_WORK = (16, 64, 256, 1024, 4096), 4.5e12
_COLUMNS = ("fit_cpu_s", "peak_GB", "loss", "vectors", "predict_cpu_s")


def run(options, store) -> Report:
    """Every machine on Friedman labels of each size, then on the real sets; then curves over the vectors."""
    session = _Session(store, options.stored)
    for n_rows in (_QUICK_ROWS,) if options.quick else _SIZES:
        session.grow(n_rows)
    if not options.quick:
        session.measure(SPARSE_GP, FRIEDMAN_FILES, _FILE_ROWS)
        session.measure(with_vectors(_MANY_VECTORS), FRIEDMAN, _SIZES[-1], session.wide)
        for name in LARGE:
            session.compare(name)
        for name in LARGE:
            session.curve(name)
    grown, real, curves = session.grown, session.real, session.curves
    machines = dict.fromkeys(row["machine"] for row in grown)
    slopes = {name: exponent([row for row in grown if row["machine"] == name], 64_000) for name in machines}
    growth = [{"machine": name, "exponent": value} for name, value in slopes.items() if value is not None]
    tables = [
        Table("Friedman labels, 20 features", shown(grown + session.files + session.wide)),
        Table("CPU seconds grow from 64,000 rows as rows to the power of", growth),
        Table("Real large sets (loss: log-loss, or RMSE / standard deviation)", shown(real)),
        Table("Loss against the number of vectors", shown(curves)),
    ]
    absent = [f"{machine}: not measured on {', '.join(names)}" for machine, names in session.absent.items()]
    aims = targets(grown + session.files, real, session.wide)
    report = Report(tables, aims, session.notes + absent)
    if options.plot:
        draw(Path(options.plot), grown, curves, real)
    if options.table:
        write_tables(Path(options.table), grown + session.files, real, curves)
    return report


class _Session:
    """Measurements of one run, from the store or, unless it is all that is asked for, anew."""

    def __init__(self, store, stored_only: bool) -> None:
        self.store, self.stored_only = store, stored_only
        self.grown, self.files, self.wide, self.real, self.curves = [], [], [], [], []
        self.notes: list[str] = []
        # Tables that the store lacks, by machine.
        self.absent: dict[str, list[str]] = {}

    def grow(self, n_rows):
        """All machines on Friedman labels of one size; SVGP with as many vectors as ours."""
        ours = self.measure(SPARSE_GP, FRIEDMAN, n_rows)
        for machine in PEERS:
            if n_rows <= _MAX_ROWS.get(machine, n_rows):
                self.measure(machine, FRIEDMAN, n_rows)
        if ours and n_rows <= _MAX_SVGP_ROWS:
            self.measure(svgp_with(ours["vectors"]), FRIEDMAN, n_rows)

    def compare(self, name):
        """Machines on a real set."""
        ours = self.measure(SPARSE_GP, name, None)
        for machine in (LIGHTGBM, HGB, LINEAR):
            self.measure(machine, name, None)
        if ours:
            self.measure(svgp_with(ours["vectors"]), name, None)

    def curve(self, name):
        """Loss on a real set for growing numbers of vectors."""
        known = [row for row in self.real if row["table"] == name and row["machine"] == SPARSE_GP]
        n_rows = known[0]["rows"] if known else 0
        for n_vectors in _VECTORS:
            if n_rows * n_vectors**2 <= _MOST_WORK:
                self.measure(with_vectors(n_vectors), name, None, self.curves)

    def measure(self, machine, table, n_rows, rows=None):
        """Row of one machine on one table, appended to the rows of its kind; None, and a note, without it."""
        name = table if n_rows is None else f"{table} N={n_rows}"
        unit = Unit("scale", f"{name} seeds {SEEDS}", 0, machine)
        if unit not in self.store and self.stored_only:
            self.absent.setdefault(machine, []).append(name)
            return None
        if unit not in self.store:
            reason = missing(machine)
            if reason is not None:
                if reason not in self.notes:
                    self.notes.append(reason)
                return None
            self.store.put(unit, in_fresh_process(machine, table, n_rows or 0))
        record = self.store[unit]
        if "failed" in record:
            self.notes.append(record["failed"])
            return None
        place = {"table": table, "rows": n_rows or record["rows"], "machine": machine}
        row = {**place, **{name: record.get(name) for name in _COLUMNS}, "limit": record.get("limit")}
        if rows is None:
            rows = {FRIEDMAN: self.grown, FRIEDMAN_FILES: self.files}.get(table, self.real)
        rows.append(row)
        return row
