"""Seconds to select members of an ensemble: ordered, by semidefinite relaxation, by exhaustive search."""

from statistics import median
from time import perf_counter

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from pauca.datasets import make_friedman1
from pauca.ensembles import error_products
from pauca.ensembles.pruning.exhaustive import best_of_every_size
from pauca.ensembles.pruning.ordered import greedy_order
from pauca.ensembles.pruning.sdp import select_by_sdp
from pauca.evaluation import Target, Unit

from ..harness.report import Report, Table, ratio

# Share of the members that is selected.
_SHARE = 0.2


def run(options, store) -> Report:
    """Seconds of every search, and the project's targets on them."""
    small = options.quick
    rows = [
        _stored(store, "order", (10, 50) if small else (100, 1000), options.repeats, _order),
        _stored(store, "order", (20, 100) if small else (1000, 10_000), 1, _order),
    ]
    searches = [_stored(store, "sdp", size, 1, _relax) for size in ((12,) if small else (100, 500))]
    searches += [_stored(store, "exhaustive", size, 1, _enumerate) for size in ((10,) if small else (28, 32))]
    tables = [
        Table("Ordered aggregation of the trees of a forest: milliseconds", rows),
        Table(f"The best {_SHARE:.0%} of the trees of a forest", searches),
    ]
    return Report(tables, _targets(rows, searches))


def _targets(rows, searches):
    relaxed = {row["members"]: row["seconds"] for row in searches if row["method"] == "sdp"}
    return [
        Target("ordering 100 members after the matrix, ms", rows[0]["order"], 1.0, False),
        Target(
            "matrix and order of 1000 members on 10000 rows / their predictions",
            ratio(rows[1]["matrix"] + rows[1]["order"], rows[1]["predictions"]),
            1.0,
            False,
        ),
        Target("SDP with certificate, 100 members, s", relaxed.get(100), 2.0, False),
        Target("SDP with certificate, 500 members, s", relaxed.get(500), 60.0, False),
    ]


def _stored(store, name, size, repeats, measure):
    """Record of a measurement, which is made unless the store has it."""
    unit = Unit("pruning", str(size), 0, name)
    if unit not in store:
        store.put(unit, measure(size, repeats))
    return store[unit]


def _outputs(n_members, n_rows):
    """Predictions of the trees of a forest for its training rows, the targets, and the seconds they took."""
    X, y = make_friedman1(n_rows, random_state=0)
    forest = RandomForestRegressor(n_members, min_samples_leaf=3, random_state=0, n_jobs=-1).fit(X, y)
    X = X.astype(np.float32)
    start = perf_counter()
    outputs = np.stack([tree.predict(X, check_input=False) for tree in forest.estimators_])
    return outputs, y, perf_counter() - start


def _order(size, repeats):
    """Milliseconds of predictions, error matrix and order, the latter also from averages of members."""
    outputs, y, seconds = _outputs(*size)
    C = error_products(outputs, y)
    return {
        "members": size[0],
        "rows": size[1],
        "predictions": 1000 * seconds,
        "matrix": 1000 * _median_seconds(repeats, error_products, outputs, y),
        "order": 1000 * _median_seconds(repeats, greedy_order, C),
        "order, from averages": 1000 * _median_seconds(1, _from_averages, outputs, y)
        if size[0] <= 100
        else None,
    }


def _from_averages(outputs, y):
    """Greedy order by the error of every candidate average, computed anew in each step."""
    order, total = [], np.zeros(len(y))
    while len(order) < len(outputs):
        left = [k for k in range(len(outputs)) if k not in order]
        errors = [np.mean(np.square((total + outputs[k]) / (len(order) + 1) - y)) for k in left]
        order.append(left[int(np.argmin(errors))])
        total += outputs[order[-1]]
    return order


def _relax(n_members, repeats):
    C = error_products(*_outputs(n_members, 300)[:2])
    select_by_sdp(C[:5, :5], 2, 0)  # compiles
    start = perf_counter()
    found = select_by_sdp(C, round(_SHARE * n_members), 0)
    seconds = perf_counter() - start
    gap = 100 * (found.criterion / found.lower_bound - 1)
    return {"method": "sdp", "members": n_members, "seconds": seconds, "at most above the best, %": gap}


def _enumerate(n_members, repeats):
    C = error_products(*_outputs(n_members, 300)[:2])
    best_of_every_size(C[:5, :5])  # compiles
    seconds = _median_seconds(repeats, best_of_every_size, C)
    return {
        "method": "exhaustive",
        "members": n_members,
        "seconds": seconds,
        "at most above the best, %": 0.0,
    }


def _median_seconds(repeats, work, *arguments):
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        work(*arguments)
        seconds.append(perf_counter() - start)
    return median(seconds)
