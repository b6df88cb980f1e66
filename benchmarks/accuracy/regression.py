"""Regression: SparseGPRegressor beside RVM, Gaussian processes, Bayesian ridge regression and trees."""

from functools import partial

import numpy as np
import pandas as pd
from sklearn.linear_model import BayesianRidge
from threadpoolctl import threadpool_limits

from pauca import RVMRegressor, SparseGPRegressor
from pauca.evaluation import RunStore, Target, interval

from ..harness.contenders import Contender, gp_regressor
from ..harness.problems import three_quarters
from ..harness.report import Report, Table, rank_test_note
from ..harness.runs import failures, regress, run_contenders
from ..harness.slow_peers import slow_regressors
from ..harness.trees import CATBOOST, tree_regressors
from .splits import FIRST_SPLIT, beside_slow, split_rows, takes_part

SPARSE_GP, RVM = "SparseGP", "RVM"
GP, GP_ARD = "GaussianProcessRegressor", "GaussianProcessRegressor, ARD"
SETS = (
    *("boston", "abalone", "servo", "friedman1", "friedman2", "friedman3", "autoprice", "bodyfat", "ozone"),
    *("pollution", "bolts", "chickweight", "forestfires", "sensory", "orange"),
)
_QUICK_SETS, _QUICK_ROWS = ("friedman1",), 60
# Probability of the intervals whose coverage is reported.
_LEVEL = 0.9
_MEASURES = {"nlpd": "density", "rmse": "RMSE"}


def contenders() -> list[Contender]:
    """Regressors with the settings that they run with, each on one thread."""
    return [
        Contender(SPARSE_GP, lambda X, y: SparseGPRegressor().fit(X, y), _relevance),
        Contender(RVM, lambda X, y: RVMRegressor().fit(X, y), _relevance),
        Contender(GP, gp_regressor, lambda model: len(model.X_train_)),
        Contender(GP_ARD, partial(gp_regressor, ard=True), lambda model: len(model.X_train_)),
        Contender("BayesianRidge", lambda X, y: BayesianRidge().fit(X, y), _none),
        *tree_regressors(),
    ]


def run(options, store) -> Report:
    """Scores and seconds on 75 % of each set, at most 1000 rows; means over the sets, mean ranks, targets."""
    rows, slow_rows, notes, n_generated = [], [], [], _QUICK_ROWS if options.quick else None
    with threadpool_limits(1):
        machines = _installed(contenders(), notes)
        slow = [] if options.quick else _installed(slow_regressors(), notes)
        for turn in range(options.splits):
            for name in _QUICK_SETS if options.quick else SETS:
                try:
                    problem = three_quarters(name, FIRST_SPLIT + turn, n_generated)
                except OSError as error:
                    notes.append(f"{name} left out: {error}")
                    continue
                if takes_part(problem, turn, options.splits):
                    rows += _measured(problem, name, machines, store)
                    slow_rows += _measured(problem, name, slow, store) if turn == 0 else []
    solved = [row for row in rows if "failed" not in row]
    by_set = set_means(solved)
    summary = summary_rows(by_set)
    tables = [
        Table("Means over the sets", summary),
        Table(
            "Slow peers, on the first split",
            beside_slow(rows + slow_rows, slow, SPARSE_GP, ("nlpd", "rmse")),
        ),
        Table("Splits", split_rows(rows)),
        Table(
            "Negative log predictive density by set, y in standard deviations",
            pivot(by_set, "nlpd"),
        ),
        Table("RMSE by set, in standard deviations of y", pivot(by_set, "rmse")),
        Table("Coverage of 90 % intervals by set", pivot(by_set, "coverage")),
        Table("Vectors by set", pivot(by_set, "vectors")),
        Table("Processor seconds to fit, by set", pivot(by_set, "fit_cpu_s")),
    ]
    notes = [*rank_notes(by_set), *notes, *failures(rows + slow_rows)]
    return Report(tables, targets(summary), list(dict.fromkeys(notes)))


def set_means(rows, optional=()) -> pd.DataFrame:
    """Mean of every measure over the splits, by set and machine, for sets on which no machine failed.

    ``optional`` machines may lack splits or sets.
    """
    if not rows:
        return pd.DataFrame()
    frame = pd.DataFrame(rows).set_index(["set", "machine"]).drop(columns=["problem", "runs"]).astype(float)
    groups = frame.groupby(level=["set", "machine"], sort=False)
    n_splits = groups.size().unstack(fill_value=0).drop(columns=list(optional), errors="ignore")
    complete = n_splits.index[n_splits.min(axis=1) == n_splits.max(axis=1)]
    means = groups.mean()
    return means[means.index.get_level_values("set").isin(complete)]


def summary_rows(by_set) -> list[dict]:
    """One row for each machine: means over the sets, mean ranks, fit time relative to SparseGP."""
    if not len(by_set):
        return []
    seconds = by_set["fit_cpu_s"].unstack("set")
    ratios = np.exp(np.log(seconds / seconds.loc[SPARSE_GP]).mean(axis=1))
    ranks = {measure: _ranks(by_set, measure) for measure in _MEASURES}
    means = by_set.groupby("machine", sort=False).mean()
    return [
        {
            "machine": machine,
            "sets": seconds.shape[1],
            **{f"rank by {title}": ranks[measure].get(machine) for measure, title in _MEASURES.items()},
            **{
                measure: number(means.loc[machine, measure])
                for measure in ("nlpd", "rmse", "coverage", "vectors", "vectors / rows", "fit_cpu_s")
            },
            "fit / SparseGP": float(ratios[machine]),
        }
        for machine in means.index
    ]


def rank_notes(by_set) -> list[str]:
    """One line for each measure: which differences of mean ranks are larger than chance, if sets suffice."""
    if not len(by_set) or by_set.index.get_level_values("set").nunique() < 2:
        return []
    return [f"ranks by {title}: {rank_test_note(ranked(by_set, key))}" for key, title in _MEASURES.items()]


def targets(summary) -> list[Target]:
    """The project's targets: best rank in density, RMSE beside CatBoost, vectors, seconds beside GPR."""
    found = {row["machine"]: row for row in summary}
    if SPARSE_GP not in found:
        return []
    ours = found[SPARSE_GP]
    densities = [row["rank by density"] for name, row in found.items() if name != SPARSE_GP]
    best = min((rank for rank in densities if rank is not None), default=None)
    catboost = found.get(CATBOOST, {}).get("rank by RMSE")
    slowdowns = {name: found.get(name, {}).get("fit / SparseGP") for name in (GP, GP_ARD)}
    return [
        Target("rank by density: SparseGP − best other", _minus(ours["rank by density"], best), 0, False),
        Target("rank by RMSE: SparseGP − CatBoost", _minus(ours["rank by RMSE"], catboost), 0, False),
        Target("vectors / training rows, mean over the sets", ours["vectors / rows"], 0.1, False),
        *(
            Target(f"processor seconds to fit: SparseGP / {name}", value and 1 / value, 2, False)
            for name, value in slowdowns.items()
        ),
    ]


def _installed(peers, notes):
    """Contenders that can be fitted here; a first fit off the clock pays for imports and compilation."""
    problem, found = three_quarters("friedman1", 0, 40), []
    for contender in peers:
        (row,) = run_contenders(problem, [contender], regress, 1, RunStore())
        if "ModuleNotFoundError" in row.get("failed", ""):
            notes.append(f"{contender.name} left out: {row['failed']}")
        else:
            found.append(contender)
    return found


def _measured(problem, name, machines, store):
    """Rows of all contenders on one problem, with the set and the share of the rows that are vectors."""
    rows = run_contenders(problem, machines, partial(_scores, spread=problem.y.std()), 1, store)
    for row in rows:
        row["set"] = name
        vectors = row.get("vectors")
        row["vectors / rows"] = None if vectors is None else vectors / len(problem.y)
    return rows


def _scores(model, X, y, *, spread):
    """Scores of `regress` for y in units of ``spread``, and the coverage of 90 % intervals."""
    scores = {**regress(model, X, y), "coverage": None}
    scores["rmse"] /= spread
    if scores["nlpd"] is not None:
        scores["nlpd"] -= np.log(spread)
        lower, upper = interval(*model.predict(X, return_std=True), _LEVEL)
        scores["coverage"] = float(np.mean((lower <= y) & (y <= upper)))
    return scores


def _ranks(by_set, measure):
    """Mean rank of each machine that has the measure."""
    return ranked(by_set, measure).rank(axis=1).mean().to_dict()


def ranked(by_set, measure):
    """Values of a measure: a row for each set, a column for each machine that has it on every set."""
    return by_set[measure].unstack("machine").dropna(axis=1)


def pivot(by_set, measure):
    """One row for each set, one column for each machine that has the measure."""
    if not len(by_set):
        return []
    order = list(dict.fromkeys(by_set.index.get_level_values("machine")))
    wide = by_set[measure].unstack("machine")[order].dropna(axis=1, how="all")
    wide = wide.loc[list(dict.fromkeys(by_set.index.get_level_values("set")))]
    return [
        {"set": name, **{key: number(value) for key, value in row.items()}} for name, row in wide.iterrows()
    ]


def number(value):
    """Float, or None where it is not a number."""
    return None if np.isnan(value) else float(value)


def _minus(value, other):
    return None if value is None or other is None else value - other


def _relevance(model):
    return len(model.relevance_vectors_)


def _none(model):
    return None
