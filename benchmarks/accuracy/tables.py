"""Tables: SparseGPClassifier on raw frames beside boosting with native categories, and EBM."""

import pickle
from collections import Counter
from functools import partial
from importlib import import_module
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.preprocessing import LabelEncoder
from threadpoolctl import threadpool_limits

from pauca import SparseGPClassifier
from pauca.evaluation import RunStore, Target, classification_scores

from ..harness.contenders import Contender
from ..harness.problems import Problem
from ..harness.report import Report, Table, rank_test_note
from ..harness.runs import failures, is_stored, run_contenders
from ..harness.slow_peers import EBM
from ..harness.tables import table_problem
from ..harness.trees import CATBOOST, HIST, LIGHTGBM, XGBOOST
from .regression import number, pivot, ranked, set_means
from .splits import split_rows

SPARSE_GP = "SparseGP"
SETS = (
    *("hepatitis", "penguins", "horse-colic", "votes", "tic-tac-toe", "german", "eucalyptus", "image"),
    *("splice", "dna", "spam", "credit-data", "mushroom", "magic", "adult"),
)
_QUICK_SETS = ("penguins",)
# Splits before this one are for the choice of constants of the machines, never for reports.
FIRST_SPLIT = 5
# Log-loss that the project aims at.
_AIMS = {"adult": 0.28, "spam": 0.14, "image": 0.06, "splice": 0.099, "magic": 0.275, "mushroom": 0.003}
# Tables with more training rows than those of the target for seconds.
_LARGE, _FEW_ROWS = ("magic", "adult"), 5000
# Calls of predict_proba for one row, the fastest of which counts.
_N_CALLS = 20
_TABPFN = (
    "TabPFN was not run; its authors publish 0.6 s for the prediction of one row without a GPU, 0.2 s with "
    "one, after 10,000 rows of 10 columns (Hollmann et al., Nature 637, 2025)"
)
_RANKED = {"log_loss": ("log-loss", True), "auc": ("AUC", False), "error_%": ("error", True)}


def contenders() -> list[Contender]:
    """Classifiers at their defaults, each on one thread; all see categories and missing cells as such."""
    return [
        Contender(SPARSE_GP, lambda X, y: SparseGPClassifier().fit(X, y), lambda m: len(m.relevance_)),
        Contender(CATBOOST, _catboost, _none),
        Contender(LIGHTGBM, _lightgbm, _none),
        Contender(XGBOOST, _xgboost, _none),
        Contender(HIST, _histograms, _none),
        Contender(EBM, _explainable, _none),
    ]


def run(options, store) -> Report:
    """Scores, seconds, bytes and latencies on halves of each table; means, mean ranks, targets."""
    rows, notes = [], []
    with threadpool_limits(1):
        machines = _installed(notes)
        for split in range(FIRST_SPLIT, FIRST_SPLIT + options.splits):
            for name in _QUICK_SETS if options.quick else SETS:
                if name == "adult" and split > FIRST_SPLIT:
                    continue
                try:
                    problem = table_problem(name, split)
                except OSError as error:
                    notes.append(f"{name} left out: {error}")
                    continue
                here = _stored(problem, machines, store) if options.stored else machines
                rows += [{**row, "set": name} for row in run_contenders(problem, here, scores, 1, store)]
    by_set = set_means([row for row in rows if "failed" not in row], (EBM,))
    summary = summary_rows(by_set)
    titles = {
        "log_loss": "Log-loss",
        "error_%": "Error in percent",
        "auc": "AUC",
        "fit_cpu_s": "Processor seconds to fit",
        "bytes": "Bytes of the pickled model",
        "row_ms": "Milliseconds of one row",
    }
    tables = [Table("Means over the tables", summary), Table("Splits", split_rows(rows))]
    tables += [Table(f"{title} by table", pivot(by_set, key)) for key, title in titles.items()]
    return Report(
        tables,
        targets(by_set),
        list(dict.fromkeys([*rank_notes(by_set), *_fewer(rows), *notes, *failures(rows), _TABPFN])),
    )


def _stored(problem, machines, store):
    """Machines whose measurements the store has: none, unless it has all but those of EBM."""
    found = [machine for machine in machines if is_stored(problem, machine, store)]
    return (
        found if {machine.name for machine in machines} - {machine.name for machine in found} <= {EBM} else []
    )


def _fewer(rows):
    """A note on every machine that was fitted on fewer splits than others."""
    found = Counter(row["machine"] for row in rows)
    most = max(found.values(), default=0)
    return [
        f"{machine}: {count} of {most} splits were measured"
        for machine, count in found.items()
        if count < most
    ]


def scores(model, X, y):
    """Error in percent, log-loss, AUC, bytes of the pickled model, milliseconds of one row."""
    p = np.clip(np.asarray(model.predict_proba(X), dtype=float), 0, 1)
    found = classification_scores(np.searchsorted(model.labels, y), p / p.sum(axis=1, keepdims=True))
    seconds, row = [], X.iloc[:1]
    for _ in range(_N_CALLS):
        start = perf_counter()
        model.predict_proba(row)
        seconds.append(perf_counter() - start)
    return {
        "error_%": 100 * found["error"],
        "log_loss": found["log_loss"],
        "auc": found["auc"],
        "bytes": len(pickle.dumps(model.machine)),
        "row_ms": 1000 * min(seconds),
    }


def summary_rows(by_set) -> list[dict]:
    """One row for each machine: means and mean ranks over the tables, time and bytes beside CatBoost's."""
    if not len(by_set):
        return []
    ranks = {
        key: ranked(by_set, key).rank(axis=1, ascending=lower).mean() for key, (_, lower) in _RANKED.items()
    }
    beside = {key: _ratios(by_set, key) for key in ("fit_cpu_s", "bytes")}
    means = by_set.groupby("machine", sort=False).mean()
    return [
        {
            "machine": machine,
            "tables": int(by_set.xs(machine, level="machine").shape[0]),
            **{f"rank by {_RANKED[key][0]}": number(ranks[key].get(machine, np.nan)) for key in _RANKED},
            **{key: number(means.loc[machine, key]) for key in (*_RANKED, "fit_cpu_s", "bytes", "row_ms")},
            "fit / CatBoost": number(beside["fit_cpu_s"].get(machine, np.nan)),
            "bytes / CatBoost": number(beside["bytes"].get(machine, np.nan)),
        }
        for machine in means.index
    ]


def targets(by_set) -> list[Target]:
    """The project's targets: log-loss of single tables, mean ranks, bytes and time beside CatBoost."""
    machines = by_set.index.get_level_values("machine").unique() if len(by_set) else ()
    if SPARSE_GP not in machines:
        return []
    losses = by_set["log_loss"].xs(SPARSE_GP, level="machine")
    small = by_set[~by_set.index.get_level_values("set").isin(_LARGE)]
    return [
        *(
            Target(f"log-loss of {name}", float(losses[name]), aim, False)
            for name, aim in _AIMS.items()
            if name in losses
        ),
        *(
            _rank_target(by_set["log_loss"].unstack("machine"), name)
            for name in (CATBOOST, LIGHTGBM, XGBOOST, HIST, EBM)
            if name in machines
        ),
        Target("bytes / CatBoost", _ratios(by_set, "bytes").get(SPARSE_GP, np.nan), 1 / 20, False),
        Target(
            f"fit / CatBoost, up to {_FEW_ROWS} rows",
            _ratios(small, "fit_cpu_s").get(SPARSE_GP, np.nan),
            3,
            False,
        ),
    ]


def _rank_target(losses, name):
    """Difference of mean ranks to a peer, on the tables that the peer has."""
    mine = losses[losses[name].notna()].dropna(axis=1)
    ranks = mine.rank(axis=1).mean()
    where = f", on {len(mine)} of {len(losses)} tables" if len(mine) < len(losses) else ""
    difference = float(ranks[SPARSE_GP] - ranks[name])
    return Target(f"rank by log-loss: {SPARSE_GP} − {name}{where}", difference, 0, False)


def rank_notes(by_set) -> list[str]:
    """Which differences of mean ranks are larger than chance, if tables suffice."""
    if not len(by_set) or by_set.index.get_level_values("set").nunique() < 2:
        return []
    return [f"ranks by log-loss: {rank_test_note(ranked(by_set, 'log_loss'))}"]


def _ratios(by_set, key):
    """Geometric mean over the tables of a measure divided by CatBoost's."""
    wide = by_set[key].unstack("machine")
    if CATBOOST not in wide:
        return {}
    return np.exp(np.log(wide.div(wide[CATBOOST], axis=0)).mean()).to_dict()


class _Fitted:
    """Fitted machine with the labels that its probabilities stand for, and a view of the frame for it."""

    def __init__(self, machine, labels, view=None):
        self.machine, self.labels, self.view = machine, labels, view

    def __getattr__(self, name):
        return getattr(self.__dict__["machine"], name)

    def predict_proba(self, X):
        """Probabilities of the labels in their order."""
        return self.machine.predict_proba(X if self.view is None else self.view(X))


def _installed(notes):
    """Contenders that can be fitted here; a first fit off the clock pays for imports and compilation."""
    rng, found = np.random.default_rng(0), []
    X = pd.DataFrame({"number": rng.normal(size=80), "text": rng.choice(["a", "b"], 80)})
    y = np.where(X["number"] + rng.normal(size=80) > 0, "yes", "no")
    problem = Problem("a small table", X, y, X, y)
    for contender in contenders():
        contender = Contender(contender.name, _labelled(contender.fit), contender.n_vectors)
        (row,) = run_contenders(problem, [contender], scores, 1, RunStore())
        if "ModuleNotFoundError" in row.get("failed", ""):
            notes.append(f"{contender.name} left out: {row['failed']}")
        else:
            found.append(contender)
    return found


def _labelled(fit):
    """Fit to codes of the labels."""

    def fitted(X, y):
        encoder = LabelEncoder().fit(y)
        machine = fit(X, encoder.transform(y))
        machine, view = machine if isinstance(machine, tuple) else (machine, None)
        return _Fitted(machine, encoder.classes_, view)

    return fitted


def _texts(X):
    """Names of the columns of text."""
    return [name for name in X if X[name].dtype == object or str(X[name].dtype) in ("str", "category")]


def _filled(X, names):
    """Frame with missing texts as a level, as CatBoost wants them."""
    return X.assign(**{name: X[name].astype(object).fillna("missing").astype(str) for name in names})


def _categorical(X, levels):
    """Frame with columns of the category type, with the levels of training."""
    columns = {name: X[name].where(X[name].isin(known)) for name, known in levels.items()}
    return X.assign(**{name: pd.Categorical(columns[name], categories=levels[name]) for name in levels})


def _levels(X):
    return {name: sorted(X[name].dropna().unique()) for name in _texts(X)}


def _catboost(X, y):
    names = _texts(X)
    machine = import_module("catboost").CatBoostClassifier(
        thread_count=1, random_seed=0, verbose=False, allow_writing_files=False, cat_features=names
    )
    view = partial(_filled, names=names)
    return machine.fit(view(X), y), view


def _lightgbm(X, y):
    view = partial(_categorical, levels=_levels(X))
    machine = import_module("lightgbm").LGBMClassifier(n_jobs=1, random_state=0, verbose=-1)
    return machine.fit(view(X), y), view


def _xgboost(X, y):
    view = partial(_categorical, levels=_levels(X))
    machine = import_module("xgboost").XGBClassifier(n_jobs=1, random_state=0, enable_categorical=True)
    return machine.fit(view(X), y), view


def _histograms(X, y):
    view = partial(_categorical, levels=_levels(X))
    machine = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)
    return machine.fit(view(X), y), view


def _explainable(X, y):
    names = _texts(X)
    view = partial(_filled, names=names)
    kinds = ["nominal" if name in names else "continuous" for name in X]
    machine = import_module("interpret.glassbox").ExplainableBoostingClassifier(
        n_jobs=1, random_state=0, feature_types=kinds
    )
    return machine.fit(view(X), y), view


def _none(model):
    return None
