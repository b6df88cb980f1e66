"""The project's targets for many rows, from the rows of the section ``scaling``."""

from pauca.evaluation import Target

from ..harness.report import difference, ratio
from ..timing.scaling import exponent
from .machines import LIGHTGBM, LINEAR, SPARSE_GP, SVGP_NAME
from .tables import FRIEDMAN, FRIEDMAN_FILES, LARGE

_MILLION, _FILE_ROWS = 1_000_000, 10_000_000


def targets(grown: list[dict], real: list[dict], wide: list[dict]) -> list[Target]:
    """Time, loss and memory beside LightGBM and SVGP, growth, real sets; ``wide`` has more vectors."""
    result = []
    for n_rows, most, margin in ((64_000, 6, 0.0), (_MILLION, 1, 0.001)):
        ours, theirs = (_found(grown, name, FRIEDMAN, n_rows) for name in (SPARSE_GP, LIGHTGBM))
        times = ratio(ours.get("fit_cpu_s"), theirs.get("fit_cpu_s"))
        result.append(Target(f"N={n_rows}: CPU time / LightGBM's", times, most, False))
        below = difference(theirs.get("loss"), ours.get("loss"))
        result.append(Target(f"N={n_rows}: log-loss below LightGBM's", below, margin, True))
    more = _found(wide, SPARSE_GP, FRIEDMAN, _MILLION)
    name = f"N={_MILLION}, {more.get('vectors', 'more')} vectors"
    times = ratio(more.get("fit_cpu_s"), theirs.get("fit_cpu_s"))
    result.append(Target(f"{name}: CPU time / LightGBM's", times, 4, False))
    above = difference(more.get("loss"), more.get("limit"))
    result.append(Target(f"{name}: log-loss above the Bayes limit", above, 0.0005, False))
    peaks = [row["peak_GB"] for row in (ours, more) if row]
    result.append(Target(f"N={_MILLION}: peak GB", max(peaks, default=None), 2, False))
    files = _found(grown, SPARSE_GP, FRIEDMAN_FILES, _FILE_ROWS).get("peak_GB")
    result.append(Target(f"N={_FILE_ROWS} from Parquet: peak GB", files, 4, False))
    mine = [row for row in grown if row["machine"] == SPARSE_GP and row["table"] == FRIEDMAN]
    slope = exponent(mine, 64_000)
    result.append(Target("growth exponent from 64,000 to 1,000,000 rows", slope, 1.05, False))
    return result + _beside_svgp(grown + real) + _real_targets(real)


def _found(rows, machine, table, n_rows=None):
    """Row of a machine on a table; empty where it was not measured."""
    for row in rows:
        is_machine = row["machine"].split(",")[0] == machine.split(",")[0]
        if is_machine and row["table"] == table and n_rows in (None, row["rows"]):
            return row
    return {}


def _beside_svgp(rows):
    """Largest share of SVGP's time with as many vectors, and how often the loss is no worse."""
    shares, better = [], []
    for table, n_rows in dict.fromkeys((row["table"], row["rows"]) for row in rows):
        ours, theirs = (_found(rows, name, table, n_rows) for name in (SPARSE_GP, SVGP_NAME))
        if ours and theirs:
            shares.append(ours["fit_cpu_s"] / theirs["fit_cpu_s"])
            better.append(ours["loss"] <= theirs["loss"])
    n_tables = len(better)
    return [
        Target("largest share of SVGP's CPU time, M equal", max(shares, default=None), 0.05, False),
        Target(
            "share of tables with no worse loss than SVGP's",
            sum(better) / n_tables if n_tables else None,
            1,
            True,
        ),
    ]


def _real_targets(real):
    """Shares of all real sets on which the loss is below the linear model's, and near LightGBM's.

    Sets that were not measured count as missed.
    """
    losses = [
        [_found(real, machine, name).get("loss") for machine in (SPARSE_GP, LINEAR, LIGHTGBM)]
        for name in LARGE
    ]
    whole = [values for values in losses if None not in values]
    better = sum(ours < linear for ours, linear, _ in whole) / len(LARGE) if whole else None
    near = sum(ours <= 1.05 * theirs for ours, _, theirs in whole) / len(LARGE) if whole else None
    return [
        Target("share of the real sets with less loss than the linear model", better, 1, True),
        Target("share of the real sets within 5 % of LightGBM's loss", near, 0.5, True),
    ]
