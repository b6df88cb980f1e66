"""Classification: SparseGPClassifier beside the RVM, SVC, Gaussian processes, forests and boosting."""

import numpy as np
from threadpoolctl import threadpool_limits

from pauca.evaluation import RunStore, Target, classification_scores

from ..harness.contenders import GP_CLASSIFIER, RVM_EVIDENCE, SPARSE_GP_EVIDENCE, SVC_GRID, Contender, named
from ..harness.problems import frequent, generated, half
from ..harness.report import Report, Table, rank_test_note
from ..harness.runs import failures, run_contenders
from ..harness.slow_peers import slow_classifiers
from ..harness.trees import tree_classifiers
from .regression import number, pivot, ranked, set_means
from .splits import FIRST_SPLIT, beside_slow, split_rows, takes_part

SETS = (
    *("heart", "breast-cancer", "diabetis", "german", "thyroid", "image", "banana", "ringnorm", "twonorm"),
    *("waveform", "wdbc", "sonar", "ionosphere", "australian", "liver", "hepatitis", "spam", "magic"),
    *("iris", "wine", "glass", "vehicle", "vowel", "segment", "yeast"),
)
_QUICK_SETS = ("iris",)
# Measures that are ranked, and whether lower is better.
_RANKED = {"log_loss": ("log-loss", True), "auc": ("AUC", False), "error_%": ("error", True)}
# Test rows from which the calibration error of a set counts.
_MANY_ROWS = 1000
# Training rows up to which the full Gaussian process is fitted; set by hand for time.
_MAX_PROCESS_ROWS = 500
# Training rows that a class needs, so that it can be calibrated by five folds.
LEAST_ROWS = 5


def contenders() -> list[Contender]:
    """Classifiers with the settings that they run with."""
    ours = named(SPARSE_GP_EVIDENCE, RVM_EVIDENCE, SVC_GRID)
    process = named(GP_CLASSIFIER)[0]
    return [
        *ours,
        Contender(process.name, process.fit, lambda model: None, _MAX_PROCESS_ROWS),
        *tree_classifiers(),
    ]


def run(options, store) -> Report:
    """Scores and seconds on halves of each set, at most 1000 rows; means, mean ranks, targets."""
    rows, slow_rows, notes, names = [], [], [], _QUICK_SETS if options.quick else SETS
    with threadpool_limits(1):
        machines = _installed(contenders(), notes)
        slow = [] if options.quick else _installed(slow_classifiers(), notes)
        for turn in range(options.splits):
            for name in names:
                try:
                    problem = frequent(half(name, FIRST_SPLIT + turn), LEAST_ROWS)
                except OSError as error:
                    notes.append(f"{name} left out: {error}")
                    continue
                if takes_part(problem, turn, options.splits):
                    rows += _measured(problem, name, machines, store)
                    slow_rows += _measured(problem, name, slow, store) if turn == 0 else []
    by_set = set_means([row for row in rows if "failed" not in row], (GP_CLASSIFIER,))
    summary = summary_rows(by_set)
    beside = beside_slow(rows + slow_rows, slow, SPARSE_GP_EVIDENCE, ("log_loss", "error_%"))
    tables = [
        Table("Means over the sets that all machines have", summary),
        Table("Slow peers, on the first split", beside),
        Table("Splits", split_rows(rows)),
        *(Table(f"{title} by set", pivot(by_set, key)) for key, (title, _) in _RANKED.items()),
        Table("Calibration error by set", pivot(by_set, "calibration")),
        Table("Vectors by set", pivot(by_set, "vectors")),
        Table("Processor seconds to fit, by set", pivot(by_set, "fit_cpu_s")),
    ]
    notes = [*_rank_notes(by_set), *notes, *failures(rows + slow_rows)]
    return Report(tables, targets(summary, by_set), list(dict.fromkeys(notes)))


def _installed(peers, notes):
    """Contenders that can be fitted here; a first fit off the clock pays for imports and compilation."""
    problem, found = generated("twonorm", 40, 40), []
    for contender in peers:
        (row,) = run_contenders(problem, [contender], scores, 1, RunStore())
        if "ModuleNotFoundError" in row.get("failed", ""):
            notes.append(f"{contender.name} left out: {row['failed']}")
        else:
            found.append(contender)
    return found


def _measured(problem, name, machines, store):
    rows = run_contenders(problem, machines, scores, 1, store)
    return [{**row, "set": name} for row in rows]


def scores(model, X, y):
    """Error in percent, log-loss, AUC, and calibration error where there are many test rows."""
    p = np.clip(model.predict_proba(X), 0, 1)
    found = classification_scores(y, p / p.sum(axis=1, keepdims=True))
    return {
        "error_%": 100 * found["error"],
        "log_loss": found["log_loss"],
        "auc": found["auc"],
        "calibration": found["calibration_error"] if len(y) >= _MANY_ROWS else None,
    }


def summary_rows(by_set) -> list[dict]:
    """One row for each machine: means and mean ranks over the sets, fit time relative to SparseGP."""
    if not len(by_set):
        return []
    seconds = ranked(by_set, "fit_cpu_s")
    ratios = np.exp(np.log(seconds.div(seconds[SPARSE_GP_EVIDENCE], axis=0)).mean())
    ranks = {
        key: ranked(by_set, key).rank(axis=1, ascending=lower).mean() for key, (_, lower) in _RANKED.items()
    }
    means = by_set.groupby("machine", sort=False).mean()
    return [
        {
            "machine": machine,
            "sets": len(seconds),
            **{f"rank by {_RANKED[key][0]}": number(ranks[key].get(machine, np.nan)) for key in _RANKED},
            **{
                key: number(means.loc[machine, key])
                for key in (*_RANKED, "calibration", "vectors", "fit_cpu_s")
            },
            "fit / SparseGP": number(ratios.get(machine, np.nan)),
        }
        for machine in means.index
        if machine in seconds
    ]


def targets(summary, by_set) -> list[Target]:
    """The project's targets: best mean rank by log-loss and AUC, second by error, calibration, image."""
    found = {row["machine"]: row for row in summary}
    if SPARSE_GP_EVIDENCE not in found:
        return []
    ours = found[SPARSE_GP_EVIDENCE]

    def place(title):
        return 1 + sum(row[title] < ours[title] for row in summary)

    image = None
    if ("image", SPARSE_GP_EVIDENCE) in by_set.index:
        image = float(by_set.loc[("image", SPARSE_GP_EVIDENCE), "log_loss"])
    return [
        Target("place by mean rank in log-loss", place("rank by log-loss"), 1, False),
        Target("place by mean rank in AUC", place("rank by AUC"), 1, False),
        Target("place by mean rank in error", place("rank by error"), 2, False),
        Target("log-loss of image", image, 0.065, False),
        Target("calibration error, sets with 1000 test rows and more", ours["calibration"], 0.02, False),
    ]


def _rank_notes(by_set):
    """One line for each measure: which differences of mean ranks are larger than chance."""
    if not len(by_set) or by_set.index.get_level_values("set").nunique() < 2:
        return []
    return [f"ranks by {title}: {rank_test_note(ranked(by_set, key))}" for key, (title, _) in _RANKED.items()]
