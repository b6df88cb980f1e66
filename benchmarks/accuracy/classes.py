"""Many classes: SparseGP with joint inference beside SparseGP one-vs-rest, RVM and SVC."""

import numpy as np

from pauca.evaluation import Target

from ..harness.contenders import RVM_EVIDENCE, SPARSE_GP_EVIDENCE, SPARSE_GP_ONE_VS_REST, SVC_GRID, named
from ..harness.problems import frequent, half
from ..harness.report import Report, Table
from ..harness.runs import failures, run_contenders
from .classification import LEAST_ROWS, scores
from .splits import FIRST_SPLIT

_MACHINES = (SPARSE_GP_EVIDENCE, SPARSE_GP_ONE_VS_REST, RVM_EVIDENCE, SVC_GRID)
SETS = (
    *("iris", "wine", "glass", "balance", "vehicle", "vowel", "yeast", "segment", "dna"),
    *("digits", "optdigits", "satellite", "pendigits", "letter"),
)
_QUICK_SETS = ("iris",)
_COLUMNS = ("problem", "machine", "fit_cpu_s", "error_%", "log_loss", "vectors")
_MEASURES = {"log_loss": "log-loss", "error_%": "error in %"}


def run(options, store) -> Report:
    """Scores and seconds on halves of each set, at most 1000 rows; means over the sets, ranks and targets."""
    rows, missing = [], []
    for name in _QUICK_SETS if options.quick else SETS:
        for split in range(FIRST_SPLIT, FIRST_SPLIT + options.splits):
            try:
                problem = frequent(half(name, split), LEAST_ROWS)
            except OSError as error:
                missing.append(f"{name} left out: {error}")
                break
            rows += run_contenders(problem, named(*_MACHINES), scores, 1, store)
    measured = [row for row in rows if "failed" not in row]
    summary = summary_rows(measured)
    splits = [{key: row[key] for key in _COLUMNS} for row in measured]
    tables = [Table("Means over all sets and splits", summary), Table("Every split", splits)]
    return Report(tables, targets(summary), missing + failures(rows))


def summary_rows(rows):
    """Means and ranks over the problems that all machines have solved; fit times relative to SparseGP."""
    by_problem = {}
    for row in rows:
        by_problem.setdefault(row["problem"], {})[row["machine"]] = row
    complete = [found for found in by_problem.values() if len(found) == len(_MACHINES)]
    return [_summary(machine, complete) for machine in _MACHINES] if complete else []


def _summary(machine, complete):
    ours = [found[machine] for found in complete]
    ratios = [found[machine]["fit_cpu_s"] / found[SPARSE_GP_EVIDENCE]["fit_cpu_s"] for found in complete]
    return {
        "machine": machine,
        "problems": len(complete),
        **{measure: float(np.mean([row[measure] for row in ours])) for measure in (*_MEASURES, "vectors")},
        **{f"rank by {name}": _mean_rank(machine, complete, key) for key, name in _MEASURES.items()},
        "fit / SparseGP": float(np.exp(np.mean(np.log(ratios)))),
    }


def _mean_rank(machine, complete, measure):
    """Mean rank of a machine over the problems, ties averaged."""
    ranks = []
    for found in complete:
        values = np.array([row[measure] for row in found.values()])
        own = found[machine][measure]
        ranks.append(1 + np.sum(values < own) + 0.5 * (np.sum(values == own) - 1))
    return float(np.mean(ranks))


def targets(summary):
    """The project's targets: log-loss and vectors beside one-vs-rest, ranks beside SVC."""
    by_machine = {row["machine"]: row for row in summary}
    if not by_machine:
        return []
    joint, one_vs_rest = by_machine[SPARSE_GP_EVIDENCE], by_machine[SPARSE_GP_ONE_VS_REST]
    return [
        Target("log-loss: SparseGP − one-vs-rest", joint["log_loss"] - one_vs_rest["log_loss"], 0, False),
        Target("vectors: SparseGP / one-vs-rest", joint["vectors"] / one_vs_rest["vectors"], 1, False),
        *(
            Target(f"rank by {name}: SparseGP − SVC", joint[key] - by_machine[SVC_GRID][key], 0, False)
            for name, key in ((name, f"rank by {name}") for name in _MEASURES.values())
        ),
    ]
