"""Boosted models with early exit beside the libraries' own predictions: trees asked, agreement, seconds.

Processor seconds on one thread. Half of the rows train, three tenths calibrate, a fifth is predicted.
treelite, ONNX Runtime, scikit-learn-intelex and tl2cgen evaluate all trees of the same model.
"""

import warnings
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from pauca import InstancePrunedBoostingClassifier, InstancePrunedBoostingRegressor
from pauca.datasets import make_friedman1, make_twonorm
from pauca.evaluation import Target, Unit

from ..harness.problems import load
from ..harness.report import Report, Table, ratio
from ..scale.tables import LARGE, large
from .boosting_engines import engines

# All sets of classes with at least 15,000 rows; no constant of the calibrated rule was chosen on this split.
_SETS = ("adult", "magic", "letter", "brfss-heart", "covtype-2v4", "kddcup99", "skin")
_SPLIT, _MAX_ROWS, _TREES = 10, 30_000, 500
# Sizes on the first set, and libraries beside LightGBM there.
_SIZES, _LIBRARIES = (100, 1000, 2000), ("xgboost", "catboost")
# The model that is compiled to C, which takes minutes.
_COMPILED_TO_C = "lightgbm", "adult", 500
_CONFIDENCE = 0.999
# Tolerances of numbers in standard deviations of the target, and the share of rows within them.
_TOLERANCES, _NUMBER_CONFIDENCE = (0.01, 0.05, 0.1), 0.99
_ALL_TREES = {"share_asked": 1.0, "within": 1.0, "preparation_s": 0.0}
# Rows predicted one by one, and rounds of each timing, of which the fastest counts. Set by hand.
_SINGLE_ROWS, _ROUNDS = 200, 3


def run(options, store) -> Report:
    """Trees asked and times on every set, by size and by library."""
    names = ("twonorm",) if options.quick else _SETS
    size = 30 if options.quick else _TREES
    cells = [("lightgbm", name, size) for name in names]
    if not options.quick:
        cells += [("lightgbm", names[0], more) for more in _SIZES]
        cells += [(library, names[0], size) for library in _LIBRARIES]
    rows, notes = [], []
    for library, name, n_trees in cells:
        unit = Unit("boosting", f"{name} T={n_trees}", _SPLIT, library)
        if unit not in store:
            store.put(unit, _skipping(library, _rows, library, name, n_trees))
        rows += store[unit].get("rows", [])
        notes += [store[unit]["failed"]] if "failed" in store[unit] else []
        notes += [note for note in store[unit].get("notes", []) if note not in notes]
    numbers, n_rows = [], 1500 if options.quick else _MAX_ROWS
    for tolerance in _TOLERANCES:
        unit = Unit("boosting", f"friedman1 T={size}", _SPLIT, f"numbers, tolerance {tolerance:g}")
        if unit not in store:
            store.put(unit, _skipping("lightgbm", _number_rows, tolerance, n_rows, size))
        numbers += store[unit].get("rows", [])
        notes += [note for note in store[unit].get("notes", []) if note not in notes]
    tables = [
        Table("Boosted trees: microseconds for each row, share of the trees asked, agreement", rows),
        Table("Boosted regressors: tolerance in standard deviations of the target", numbers),
    ]
    return Report(tables, _targets([row for row in rows if row["trees"] == size]), notes)


def _skipping(library, measure, *arguments):
    """Rows and notes of a measurement, or a line where the library is missing."""
    try:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            rows, notes = measure(*arguments)
            return {"rows": rows, "notes": notes}
    except ImportError as error:
        return {"failed": f"{library} skipped: {error}"}


def _rows(library, name, n_trees):
    X, y = _problem(name)
    n_train, n_known = len(y) // 2, len(y) * 8 // 10
    rounds = max(2, n_trees // max(1, len(np.unique(y)))) if len(np.unique(y)) > 2 else n_trees
    model, predict = _trained(library, X[:n_train], y[:n_train], rounds)
    rest = np.ascontiguousarray(X[n_known:])
    own = {"problem": name, "library": library, "trees": n_trees, "engine": library}
    all_trees = {"share_asked": 1.0, "agreement": 1.0, "bound": 0.0, "preparation_s": 0.0}
    whole, rows = predict(rest), [{**own, **_times(predict, rest), **all_trees}]
    for confidence in (1.0, _CONFIDENCE):
        start = process_time()
        fast = InstancePrunedBoostingClassifier(model, confidence)
        if confidence < 1:
            fast.calibrate(X[n_train:n_known])
        labels, queries = fast.predict(rest, return_queries=True)
        rows.append(
            {
                **own,
                "engine": f"pauca {confidence:g}",
                **_times(fast.predict, rest),
                "share_asked": float(queries.mean() / fast.n_members_),
                "agreement": float(np.mean(labels == whole)),
                "bound": fast.disagreement_bound_,
                "preparation_s": process_time() - start,
            }
        )
    peers, notes = engines(library, model, int(y.max()) + 1, (library, name, n_trees) == _COMPILED_TO_C)
    for engine, (answer, preparation) in peers.items():
        agreement = float(np.mean(_codes(answer(rest)) == whole))
        timed = {**own, "engine": engine, **_times(answer, rest), **all_trees}
        rows.append({**timed, "agreement": agreement, "preparation_s": preparation})
    return rows, notes


def _number_rows(tolerance, n_rows, n_trees):
    """LightGBM regressor on Friedman's first problem, by certificate and within the tolerance on 99 %."""
    import lightgbm

    X, y = make_friedman1(n_rows, random_state=_SPLIT)
    n_train, n_known = len(y) // 2, len(y) * 8 // 10
    options = {"objective": "regression", "num_threads": 1, "verbose": -1}
    model = lightgbm.train(options, lightgbm.Dataset(X[:n_train], y[:n_train]), n_trees)
    rest, width = np.ascontiguousarray(X[n_known:]), tolerance * float(np.std(y[:n_train]))

    def predict(rows):
        return model.predict(rows, num_threads=1)

    whole, own = predict(rest), {"tolerance": tolerance, "trees": n_trees}
    rows = [{**own, "engine": "lightgbm", **_times(predict, rest), **_ALL_TREES}]
    for confidence in (1.0, _NUMBER_CONFIDENCE):
        start = process_time()
        fast = InstancePrunedBoostingRegressor(model, width, confidence)
        fast = fast.calibrate(X[n_train:n_known]) if confidence < 1 else fast
        number, queries = fast.predict(rest, return_queries=True)
        preparation = process_time() - start
        within = float(np.mean(np.abs(number - whole) <= width * (1 + 1e-9)))
        part = {**own, "engine": f"pauca {confidence:g}", **_times(fast.predict, rest)}
        share = float(queries.mean() / fast.n_members_)
        rows.append({**part, "share_asked": share, "within": within, "preparation_s": preparation})
    peers, notes = engines("lightgbm", model, 1, False) if tolerance == _TOLERANCES[0] else ({}, [])
    for engine, (answer, preparation) in peers.items():
        within = float(np.mean(np.abs(np.ravel(answer(rest)) - whole) <= width))
        timed = {**own, "engine": engine, **_times(answer, rest), **_ALL_TREES}
        rows.append({**timed, "within": within, "preparation_s": preparation})
    return rows, notes


def _problem(name):
    """Shuffled rows of a set, at most so many, and classes as codes."""
    if name == "twonorm":
        X, y = make_twonorm(1500, random_state=0)
    elif name in LARGE:
        rows = large(name)
        X, y = np.vstack([rows.X, rows.X_test]), np.concatenate([rows.y, rows.y_test])
    else:
        X, y = load(name).X, load(name).y
    order = np.random.default_rng(_SPLIT).permutation(len(y))[:_MAX_ROWS]
    return np.asarray(X[order], dtype=float), np.unique(y[order], return_inverse=True)[1]


def _trained(library, X, y, rounds):
    """Fitted model and its own prediction of codes on one thread, without the checks of its estimator."""
    n_classes = int(y.max()) + 1
    if library == "lightgbm":
        import lightgbm

        kind = (
            {"objective": "binary"} if n_classes == 2 else {"objective": "multiclass", "num_class": n_classes}
        )
        model = lightgbm.train({**kind, "num_threads": 1, "verbose": -1}, lightgbm.Dataset(X, y), rounds)
        return model, lambda rows: _codes(model.predict(rows, raw_score=True, num_threads=1))
    if library == "xgboost":
        import xgboost

        model = xgboost.XGBClassifier(n_estimators=rounds, n_jobs=1).fit(X, y)
        booster = model.get_booster()
        return model, lambda rows: _codes(booster.inplace_predict(rows, predict_type="margin"))
    import catboost

    options = {"verbose": 0, "thread_count": 1, "allow_writing_files": False}
    model = catboost.CatBoostClassifier(iterations=rounds, **options).fit(X, y)
    return model, lambda rows: _codes(model.predict(rows, prediction_type="RawFormulaVal", thread_count=1))


def _codes(scores):
    scores = np.asarray(scores)
    return (
        scores.argmax(axis=1)
        if scores.ndim == 2 and scores.shape[1] > 1
        else (scores.ravel() > 0).astype(int)
    )


def _times(predict, X):
    """Processor microseconds for each row, in batch and singly."""
    singly = [X[place : place + 1].copy() for place in range(min(_SINGLE_ROWS, len(X)))]
    predict(singly[0])
    batch, single = [], []
    for _ in range(_ROUNDS):
        start = process_time()
        predict(X)
        batch.append(process_time() - start)
        start = process_time()
        for row in singly:
            predict(row)
        single.append(process_time() - start)
    return {"batch_us": 1e6 * min(batch) / len(X), "one_row_us": 1e6 * min(single) / len(singly)}


def _targets(rows):
    """The project's targets, as averages over the sets of LightGBM."""
    by_engine = {}
    for row in rows:
        if row["library"] == "lightgbm":
            by_engine.setdefault(row["engine"], []).append(row)
    if not by_engine:
        return []
    own, exact, learned = (by_engine[key] for key in ("lightgbm", "pauca 1", f"pauca {_CONFIDENCE:g}"))

    def mean(rows, key):
        return float(np.mean([row[key] for row in rows]))

    def least(rows, key):
        return min(ratio(mine[key], other[key]) for mine, other in zip(own, rows, strict=True))

    return [
        Target("certificate: share of the trees asked, mean", mean(exact, "share_asked"), 0.6, False),
        Target("certificate: least agreement", min(row["agreement"] for row in exact), 1.0, True),
        Target("99.9 %: share of the trees asked, mean", mean(learned, "share_asked"), 0.25, False),
        Target("99.9 %: mean agreement", mean(learned, "agreement"), 0.999, True),
        Target("one row, certificate: LightGBM / pauca, worst set", least(exact, "one_row_us"), 3.0, True),
        Target("batch, certificate: LightGBM / pauca, worst set", least(exact, "batch_us"), 1.0, True),
    ]
