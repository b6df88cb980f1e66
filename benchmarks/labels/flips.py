"""Finding flipped labels: Bayes machines beside cleanlab's scores with cross-validated classifiers."""

import warnings
from time import process_time

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import StandardScaler

from pauca import BayesMachineClassifier, datasets
from pauca.evaluation import Target, Unit

from ..harness.report import Report, Table

SETS = ("breast-wisconsin", "heart", "ionosphere", "sonar", "votes", "wdbc")
_QUICK_SETS = ("wdbc",)
RATES = (0.05, 0.1, 0.2)
OURS = "BayesMachine, flip_probability_"
# Rows of a quick run; folds of the peers, cleanlab's default.
_QUICK_ROWS, _FOLDS = 80, 5


def run(options, store) -> Report:
    """Average precision of finding flips of 5, 10 and 20 % of the labels, in draws from number 10 on."""
    rows, missing = [], []
    for name in _QUICK_SETS if options.quick else SETS:
        try:
            data = datasets.load(name, download=False)
        except OSError as error:
            missing.append(f"{name} left out: {error}")
            continue
        for rate in RATES:
            for draw in range(10, 10 + options.splits):
                unit = Unit("flips", name, draw, f"{rate}")
                if unit not in store:
                    store.put(unit, {"rows": measure(data, rate, draw, options.quick)})
                rows += store[unit]["rows"]
    summary = summary_rows(rows)
    tables = [Table("Mean average precision", summary), Table("Every draw", rows)]
    return Report(tables, targets(summary), missing)


def measure(data, rate, draw, quick=False):
    """A row for each method that is installed."""
    rng = np.random.default_rng(draw)
    kept = rng.permutation(len(data.y))[:_QUICK_ROWS] if quick else np.arange(len(data.y))
    X, y = StandardScaler().fit_transform(data.X[kept]), (data.y[kept] > 0).astype(int)
    flipped = np.zeros(len(y), dtype=bool)
    flipped[rng.choice(len(y), max(1, round(rate * len(y))), replace=False)] = True
    given, rows = np.where(flipped, 1 - y, y), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, suspicion in methods().items():
            start = process_time()
            found = suspicion(X, given)
            seconds = process_time() - start
            precision = float(average_precision_score(flipped, found))
            row = {"problem": data.name, "flipped": rate, "draw": draw, "method": name}
            rows.append({**row, "average precision": precision, "cpu_s": seconds})
    return rows


def methods():
    """Functions from rows and labels to a suspicion for each label."""
    found = {OURS: lambda X, y: BayesMachineClassifier().fit(X, y).flip_probability_}
    try:
        from cleanlab.rank import get_label_quality_scores
    except ImportError:
        return found

    def scored(model, method):
        def suspicion(X, y):
            p = cross_val_predict(model, X, y, cv=_FOLDS, method="predict_proba")
            return 1 - get_label_quality_scores(y, p, method=method)

        return suspicion

    peers = {
        "logistic": LogisticRegression(max_iter=1000),
        "forest": RandomForestClassifier(500, random_state=0),
    }
    return found | {f"cleanlab, {name}": scored(model, "self_confidence") for name, model in peers.items()}


def summary_rows(rows):
    """Means over all sets and draws, for each rate and in all."""
    names = dict.fromkeys(row["method"] for row in rows)
    return [
        {
            "method": name,
            **{f"{rate:.0%} flipped": _mean(rows, name, rate) for rate in RATES},
            "all": _mean(rows, name),
            "cpu_s": _mean(rows, name, measure="cpu_s"),
        }
        for name in names
    ]


def _mean(rows, name, rate=None, measure="average precision"):
    """Mean of a measure of one method."""
    chosen = [row[measure] for row in rows if row["method"] == name and rate in (None, row["flipped"])]
    return float(np.mean(chosen)) if chosen else None


def targets(summary):
    """The project's target on finding flips."""
    by_name = {row["method"]: row["all"] for row in summary}
    peers = [value for name, value in by_name.items() if name != OURS]
    if not peers or OURS not in by_name:
        return []
    return [Target("average precision: ours - best of cleanlab", by_name[OURS] - max(peers), 0, True)]
