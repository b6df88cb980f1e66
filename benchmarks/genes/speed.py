"""Seconds and memory of spike-and-slab fits of 12600 genes, beside logistic regression and Gibbs sampling."""

import tracemalloc
import warnings
from statistics import median
from time import perf_counter

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from pauca import SpikeSlabClassifier
from pauca.evaluation import Target, Unit

from ..harness.problems import load
from ..harness.report import Report, Table, ratio

_EP, _DOUBLE, _GIBBS = "spike and slab, EP", "spike and slab, EP, double precision", "spike and slab, Gibbs"
_PEERS = ("l1 logistic, liblinear", "l1 logistic, saga")
# Draws of Gibbs sampling in the thesis, of which the first 1000 are the warm-up.
_N_DRAWS = 6000


def run(options, store) -> Report:
    """Seconds and memory of all machines on the prostate data of Singh et al. (2002), one thread."""
    X, y, name = _quick() if options.quick else _singh()
    unit = Unit("genes", name, 0, "all in turns")
    if unit not in store:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            store.put(unit, measure(X, y, options.repeats, 20 if options.quick else _N_DRAWS))
    rows = store[unit]["rows"]
    return Report([Table(f"{name}: {X.shape[0]} rows, {X.shape[1]} features", rows)], targets(rows))


def measure(X, y, repeats, n_draws):
    """Rows of median seconds of every fit, in turns; Gibbs sampling runs once."""
    standardised, double = StandardScaler().fit_transform(X).astype(X.dtype), X.astype(float)
    fits = {
        _EP: lambda: SpikeSlabClassifier().fit(X, y),
        _DOUBLE: lambda: SpikeSlabClassifier().fit(double, y),
        _PEERS[0]: lambda: LogisticRegression(l1_ratio=1, solver="liblinear").fit(standardised, y),
        _PEERS[1]: lambda: LogisticRegression(l1_ratio=1, solver="saga").fit(standardised, y),
    }
    for name in (_EP, _DOUBLE):  # compiles
        fits[name]()
    seconds = _times(fits, repeats)
    sampler = SpikeSlabClassifier(inference="gibbs", n_samples=n_draws * 5 // 6, n_burn_in=n_draws // 6)
    start = perf_counter()
    sampled = sampler.fit(X, y)
    seconds[_GIBBS] = [perf_counter() - start]
    agreement = np.abs(sampled.inclusion_probabilities_ - fits[_EP]().inclusion_probabilities_)
    memory = {_EP: _peak(fits[_EP]) / X.nbytes, _DOUBLE: _peak(fits[_DOUBLE]) / double.nbytes}
    ours = median(seconds[_EP])
    return {
        "rows": [
            {
                "machine": name,
                "fit_s": median(times),
                "fit / EP": median(times) / ours,
                "peak, times X": memory.get(name),
                "mean |difference| to EP": float(agreement.mean()) if name == _GIBBS else None,
            }
            for name, times in seconds.items()
        ]
    }


def _times(fits, repeats):
    """Seconds of every fit; fits take turns, every other round backwards."""
    seconds = {name: [] for name in fits}
    for turn in range(repeats):
        for name in list(fits)[:: 1 if turn % 2 == 0 else -1]:
            start = perf_counter()
            fits[name]()
            seconds[name].append(perf_counter() - start)
    return seconds


def _peak(fit):
    """Largest number of bytes allocated at any time during a fit."""
    tracemalloc.start()
    fit()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def targets(rows):
    """The project's targets on time and memory."""
    by_name = {row["machine"]: row for row in rows}
    ours, peer = by_name[_EP], min(by_name[name]["fit_s"] for name in _PEERS)
    return [
        Target("fit: EP / fastest l1 logistic regression", ratio(ours["fit_s"], peer), 2, False),
        Target("fit: Gibbs / EP", by_name[_GIBBS]["fit / EP"], 100, True),
        Target("peak memory of EP, times X", ours["peak, times X"], 5, False),
    ]


def _singh():
    data = load("singh")
    return data.X, data.y, "singh"


def _quick():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 200)).astype(np.float32)
    return X, X[:, 0] > 0, "generated"
