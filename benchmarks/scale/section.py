"""Section ``scaling``: CPU seconds, memory and loss by the number of rows, and on real large sets."""

from pauca.evaluation import Target, Unit

from ..harness.report import Report, Table, ratio
from ..timing.scaling import draw, exponent
from .machines import HGB, LIGHTGBM, LINEAR, NYSTROEM, PEERS, SPARSE_GP, with_vectors
from .measure import in_fresh_process
from .tables import FRIEDMAN, FRIEDMAN_FILES, LARGE

_SIZES = (1000, 4000, 16_000, 64_000, 256_000, 1_000_000)
_FILE_ROWS, _QUICK_ROWS = 10_000_000, 2000
# Rows beyond which peers that keep all features of all rows are left out, for memory.
_MAX_ROWS = {NYSTROEM: 256_000, "SGD on random features": 256_000}
_VECTORS = (16, 64, 256, 1024)
_COLUMNS = ("fit_cpu_s", "peak_GB", "loss", "vectors", "predict_cpu_s")


def run(options, store) -> Report:
    """Every machine on Friedman labels of each size, then on the real sets; then curves over the vectors."""
    sizes = (_QUICK_ROWS,) if options.quick else _SIZES
    notes: list[str] = []
    grown = [
        row
        for n_rows in sizes
        for machine in (SPARSE_GP, *PEERS)
        if n_rows <= _MAX_ROWS.get(machine, n_rows)
        for row in _measured(store, machine, FRIEDMAN, n_rows, notes)
    ]
    if not options.quick:
        grown += _measured(store, SPARSE_GP, FRIEDMAN_FILES, _FILE_ROWS, notes)
    real, curves = [], []
    for name in () if options.quick else LARGE:
        for machine in (SPARSE_GP, LIGHTGBM, HGB, LINEAR):
            real += _measured(store, machine, name, 0, notes)
        for n_vectors in _VECTORS:
            curves += _measured(store, with_vectors(n_vectors), name, 0, notes)
    if options.plot:
        draw(
            [{**row, "error_%": row["loss"]} for row in grown if row["table"] == FRIEDMAN],
            "log-loss",
            options.plot,
        )
    growth = [
        {"machine": name, "exponent": exponent(_of(grown, name, FRIEDMAN), 64_000)}
        for name in (SPARSE_GP, LIGHTGBM)
    ]
    tables = [
        Table("Friedman labels, 20 features", grown),
        Table("CPU seconds grow from 64,000 rows as rows to the power of", growth),
        Table("Real large sets (loss: log-loss, or RMSE / standard deviation)", real),
        Table("Loss against the number of vectors", curves),
    ]
    return Report(tables, targets(grown, real), notes)


def _measured(store, machine, table, n_rows, notes):
    """A list of one row, or of none with a note."""
    unit = Unit("scale", f"{table} N={n_rows}" if n_rows else table, 0, machine)
    if unit not in store:
        store.put(unit, in_fresh_process(machine, table, n_rows))
    record = store[unit]
    if "failed" in record:
        notes.append(record["failed"])
        return []
    place = {"table": table, "rows": n_rows or None, "machine": machine}
    return [{**place, **{name: record.get(name) for name in _COLUMNS}, "limit": record.get("limit")}]


def _of(rows, machine, table, n_rows=None):
    return [
        row
        for row in rows
        if row["machine"] == machine and row["table"] == table and n_rows in (None, row["rows"])
    ]


def _value(rows, machine, table, n_rows, column):
    found = _of(rows, machine, table, n_rows)
    return found[0][column] if found else None


def targets(grown, real):
    """The project's targets: time, loss and memory beside LightGBM, growth, real sets."""
    result = []
    for n_rows, most, margin in ((64_000, 6, 0.0), (1_000_000, 1, 0.001)):
        ours, theirs = (
            [
                _value(grown, name, FRIEDMAN, n_rows, column)
                for column in ("fit_cpu_s", "loss", "limit", "peak_GB")
            ]
            for name in (SPARSE_GP, LIGHTGBM)
        )
        result.append(Target(f"N={n_rows}: CPU time / LightGBM's", ratio(ours[0], theirs[0]), most, False))
        known = ours[1] is not None and theirs[1] is not None
        result.append(
            Target(
                f"N={n_rows}: log-loss below LightGBM's", theirs[1] - ours[1] if known else None, margin, True
            )
        )
    above = ours[1] - ours[2] if ours[1] is not None and ours[2] is not None else None
    result.append(Target("N=1000000: log-loss above the Bayes limit", above, 0.0005, False))
    result.append(Target("N=1000000: peak GB", ours[3], 2, False))
    files = _value(grown, SPARSE_GP, FRIEDMAN_FILES, _FILE_ROWS, "peak_GB")
    result.append(Target("N=10000000 from Parquet: peak GB", files, 4, False))
    slope = exponent(_of(grown, SPARSE_GP, FRIEDMAN), 64_000)
    result.append(Target("growth exponent from 64,000 to 1,000,000 rows", slope, 1.05, False))
    return result + _real_targets(real)


def _real_targets(real):
    """Shares of the real sets on which the loss is below the linear model's, and near LightGBM's."""
    losses = {
        name: [_value(real, machine, name, None, "loss") for machine in (SPARSE_GP, LINEAR, LIGHTGBM)]
        for name in LARGE
    }
    whole = [values for values in losses.values() if None not in values]
    better = sum(ours < linear for ours, linear, _ in whole) / len(whole) if whole else None
    near = sum(ours <= 1.05 * theirs for ours, _, theirs in whole) / len(whole) if whole else None
    return [
        Target("share of the real sets with less loss than the linear model", better, 1, True),
        Target("share of the real sets within 5 % of LightGBM's loss", near, 0.5, True),
    ]
