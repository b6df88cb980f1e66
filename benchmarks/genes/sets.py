"""Credible sets and rankings of correlated features: coverage, size and power beside published rules."""

import warnings
from time import process_time

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.preprocessing import StandardScaler

from pauca import SpikeSlabClassifier, SpikeSlabRegressor
from pauca.evaluation import Target, Unit

from ..harness.report import Report, Table
from .references import variational_logistic
from .susie import genotypes, susie_sets

# Rows, features and their expected number; the first draw, which no test and no constant has seen.
_N, _D, _EXPECTED, _FIRST = 200, 1000, 5, 1000
_QUICK = 60, 100
# Correlations of neighbours in the blocks of a draw.
_CORRELATIONS = (0.6, 0.8, 0.9, 0.95)
# Ratio of the penalty to the smallest one without a feature, for the peers with an l1 penalty.
_SHARE = 0.2
OURS, RULE = "single effects", "susieR's rule"
NUMBERS, CLASSES = "numbers", "classes"


def run(options, store) -> Report:
    """Coverage of credible sets and average precision of rankings, on genotype-like blocks."""
    sizes = _QUICK if options.quick else (_N, _D)
    draws = 1 if options.quick else 10 * options.splits
    found, ranked = [], []
    for draw in range(_FIRST, _FIRST + draws):
        unit = Unit("sets", f"{sizes[0]} x {sizes[1]}", draw, "all")
        if unit not in store:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                store.put(unit, measure(draw, *sizes))
        found += store[unit]["sets"]
        ranked += store[unit]["rankings"]
    summary = sets_summary(found)
    tables = [
        Table("Credible sets of 95 %", summary),
        Table("Ranking of a binary outcome", ranking_summary(ranked)),
    ]
    return Report(tables, targets(summary), missing())


def missing():
    """Peers that are not installed."""
    return [] if _skglm() else ["skglm left out: it is not installed"]


def problem(draw, n, d):
    """Genotypes in blocks, the features that matter, a numeric outcome and a binary one."""
    rng = np.random.default_rng(draw)
    X = genotypes(n, d, rng.choice(_CORRELATIONS), rng)
    G = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    true = rng.choice(d, rng.integers(1, 4), replace=False)
    signs, sizes = rng.choice([-1, 1], len(true)), rng.uniform(0, 1, len(true))
    noise = rng.normal(size=n)
    numbers = G[:, true] @ (signs * (0.3 + 0.3 * sizes)) + noise
    classes = G[:, true] @ (signs * (0.5 + 0.5 * sizes)) + noise > 0
    return X, true, numbers, classes


def measure(draw, n, d):
    """Credible sets of both outcomes, and rankings of the binary one."""
    X, true, numbers, classes = problem(draw, n, d)
    machines = {
        NUMBERS: lambda: SpikeSlabRegressor(_EXPECTED, inference="single-effects").fit(X, numbers),
        CLASSES: lambda: SpikeSlabClassifier(_EXPECTED, inference="single-effects").fit(X, classes),
    }
    rows = []
    for outcome, fit in machines.items():
        start = process_time()
        sets = [each.features for each in fit().credible_sets_]
        rows.append(_sets_row(outcome, OURS, draw, sets, true, process_time() - start))
    start = process_time()
    rows.append(_sets_row(NUMBERS, RULE, draw, susie_sets(X, numbers), true, process_time() - start))
    real = np.isin(np.arange(d), true)
    return {
        "sets": rows,
        "rankings": [_ranking_row(*each, X, classes, real, draw) for each in rankers().items()],
    }


def _sets_row(outcome, method, draw, sets, true, seconds):
    """How many sets hold a feature that matters, their sizes, and how many such features they hold."""
    hits = [bool(set(map(int, each)) & set(map(int, true))) for each in sets]
    held = set().union(*(map(int, each) for each in sets)) & set(map(int, true)) if sets else set()
    return {
        "outcome": outcome,
        "method": method,
        "draw": draw,
        "hits": hits,
        "sizes": [len(each) for each in sets],
        "true": len(true),
        "held": len(held),
        "cpu_s": seconds,
    }


def rankers():
    """Functions from rows and classes to a score of every feature."""

    def ours(inference):
        return lambda X, y: (
            SpikeSlabClassifier(_EXPECTED, inference=inference).fit(X, y).inclusion_probabilities_
        )

    def liblinear(X, y):
        Z = StandardScaler().fit_transform(X)
        model = LogisticRegression(l1_ratio=1, solver="liblinear", C=1 / _penalty(Z, y))
        return np.abs(model.fit(Z, y).coef_[0])

    found = {
        "spike and slab, EP": ours("ep"),
        "spike and slab, single effects": ours("single-effects"),
        "variational logistic (varbvs)": lambda X, y: variational_logistic(X, y, _EXPECTED)[0],
        "l1 logistic, liblinear": liblinear,
    }
    return found | ({"l1 logistic, skglm": _by_skglm} if _skglm() else {})


def _penalty(Z, y):
    """A share of the smallest l1 penalty of a sum of losses at which no feature is left."""
    return _SHARE * np.abs(Z.T @ (y - y.mean())).max()


def _skglm():
    """The module skglm, or None."""
    try:
        import skglm
    except ImportError:
        return None
    return skglm


def _by_skglm(X, y):
    Z = np.asfortranarray(StandardScaler().fit_transform(X))
    model = _skglm().SparseLogisticRegression(alpha=_penalty(Z, y) / len(y))
    return np.abs(model.fit(Z, y).coef_[0])


def _ranking_row(method, score, X, y, real, draw):
    start = process_time()
    scores = score(X, y)
    seconds = process_time() - start
    precision = float(average_precision_score(real, scores))
    claims = scores > 0.5 if "logistic, " not in method.replace("variational logistic", "") else scores > 0
    return {
        "method": method,
        "draw": draw,
        "average precision": precision,
        "claimed": int(claims.sum()),
        "of which real": int((claims & real).sum()),
        "cpu_s": seconds,
    }


def sets_summary(rows):
    """Coverage, sizes and power, a row for each outcome and method."""
    table = []
    for outcome, method in dict.fromkeys((row["outcome"], row["method"]) for row in rows):
        mine = [row for row in rows if (row["outcome"], row["method"]) == (outcome, method)]
        hits, sizes = ([each for row in mine for each in row[key]] for key in ("hits", "sizes"))
        table.append(
            {
                "outcome": outcome,
                "method": method,
                "draws": len(mine),
                "sets": len(hits),
                "coverage": float(np.mean(hits)) if hits else None,
                "median size": float(np.median(sizes)) if sizes else None,
                "mean size": float(np.mean(sizes)) if sizes else None,
                "power": sum(row["held"] for row in mine) / sum(row["true"] for row in mine),
                "cpu_s": float(np.mean([row["cpu_s"] for row in mine])),
            }
        )
    return table


def ranking_summary(rows):
    """Mean average precision of each method, and how many of its claims are real."""
    table = []
    for method in dict.fromkeys(row["method"] for row in rows):
        mine = [row for row in rows if row["method"] == method]
        claimed, real = (sum(row[key] for row in mine) for key in ("claimed", "of which real"))
        table.append(
            {
                "method": method,
                "average precision": float(np.mean([row["average precision"] for row in mine])),
                "claimed": claimed,
                "of which real": real,
                "cpu_s": float(np.mean([row["cpu_s"] for row in mine])),
            }
        )
    return table


def targets(summary):
    """The project's targets on coverage and size."""
    by_kind = {(row["outcome"], row["method"]): row for row in summary}
    ours, rule = by_kind.get((NUMBERS, OURS)), by_kind.get((NUMBERS, RULE))
    found = [
        Target(f"coverage, {outcome}", by_kind[outcome, OURS]["coverage"], 0.93, True)
        for outcome in (NUMBERS, CLASSES)
        if (outcome, OURS) in by_kind
    ]
    if ours and rule and ours["median size"] is not None and rule["median size"] is not None:
        found.append(
            Target("median size: ours - susieR's rule", ours["median size"] - rule["median size"], 0, False)
        )
    return found
