"""Seconds and memory of spike-and-slab fits of many features, beside l1 regression and Gibbs sampling."""

import tracemalloc
import warnings
from statistics import median
from time import process_time

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from pauca import SpikeSlabClassifier
from pauca.evaluation import Target, Unit

from ..harness.problems import load
from ..harness.report import Report, Table, ratio

_EP, _DOUBLE = "spike and slab, EP", "spike and slab, EP, double precision"
_PEERS = ("l1 logistic, liblinear", "l1 logistic, saga")
# Draws of Gibbs sampling, a fifth of those in the thesis; the first sixth of them is the warm-up.
_N_DRAWS = 1200
_GIBBS = f"spike and slab, Gibbs, {_N_DRAWS} draws"
# Rows and features of the generated table, and its features that matter.
_WIDE, _QUICK_WIDE, _N_REAL = (100, 100_000), (30, 2000), 5


def run(options, store) -> Report:
    """Seconds and memory on the prostate data of Singh et al. (2002) and on a very wide table, one thread."""
    X, y, name = _quick() if options.quick else _singh()
    draws = 20 if options.quick else _N_DRAWS
    genes = _stored(name, store, lambda: measure(X, y, options.repeats, draws))
    shape = _QUICK_WIDE if options.quick else _WIDE
    wide = _stored("{} x {}".format(*shape), store, lambda: measure_wide(*generated(*shape), options.repeats))
    tables = [
        Table(f"{name}: {X.shape[0]} rows, {X.shape[1]} features", genes),
        Table(f"Generated: {shape[0]} rows, {shape[1]} features, {_N_REAL} of which matter", wide),
    ]
    return Report(tables, targets(genes, wide))


def _stored(problem, store, measured):
    """Rows of a table, from the store or measured."""
    unit = Unit("genes", problem, 0, "all in turns")
    if unit not in store:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            store.put(unit, {"rows": measured()})
    return store[unit]["rows"]


def measure(X, y, repeats, n_draws):
    """Rows of median processor seconds of every fit, in turns; Gibbs sampling runs once."""
    fits = _fits(X, y, _PEERS)
    seconds = _times(fits, repeats)
    sampler = SpikeSlabClassifier(inference="gibbs", n_samples=n_draws * 5 // 6, n_burn_in=n_draws // 6)
    start = process_time()
    sampled = sampler.fit(X, y)
    seconds[_GIBBS] = [process_time() - start]
    agreement = np.abs(sampled.inclusion_probabilities_ - fits[_EP]().inclusion_probabilities_)
    return [
        {**row, "mean |difference| to EP": float(agreement.mean()) if row["machine"] == _GIBBS else None}
        for row in _rows(seconds, _memory(fits, X))
    ]


def measure_wide(X, y, repeats):
    """Rows of median processor seconds of the spike and slab and of the fastest peer, in turns."""
    fits = _fits(X, y, _PEERS[:1])
    return _rows(_times(fits, repeats), _memory(fits, X))


def _fits(X, y, peers):
    """Fits of both precisions, compiled already, and of peers on standardised features."""
    standardised, double = StandardScaler().fit_transform(X).astype(X.dtype), X.astype(float)

    def peer(name):
        return lambda: LogisticRegression(l1_ratio=1, solver=name.split()[-1]).fit(standardised, y)

    fits = {
        _EP: lambda: SpikeSlabClassifier().fit(X, y),
        _DOUBLE: lambda: SpikeSlabClassifier().fit(double, y),
    }
    for fit in fits.values():
        fit()
    return fits | {name: peer(name) for name in peers}


def _memory(fits, X):
    """Most memory that is allocated beside X in a fit, as multiples of X in the precision of the fit."""
    return {_EP: _peak(fits[_EP]) / X.nbytes, _DOUBLE: _peak(fits[_DOUBLE]) / (8 * X.size)}


def _rows(seconds, memory):
    ours = median(seconds[_EP])
    return [
        {
            "machine": name,
            "fit_cpu_s": median(times),
            "fit / EP": median(times) / ours,
            "peak beside X, times X": memory.get(name),
        }
        for name, times in seconds.items()
    ]


def _times(fits, repeats):
    """Processor seconds of every fit; fits take turns, every other round backwards."""
    seconds = {name: [] for name in fits}
    for turn in range(repeats):
        for name in list(fits)[:: 1 if turn % 2 == 0 else -1]:
            start = process_time()
            fits[name]()
            seconds[name].append(process_time() - start)
    return seconds


def _peak(fit):
    """Largest number of bytes allocated at any time during a fit."""
    tracemalloc.start()
    fit()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def targets(genes, wide):
    """The project's targets on time and memory."""
    genes, wide = ({row["machine"]: row for row in rows} for rows in (genes, wide))
    found = [Target("12,600 features: Gibbs / EP", genes[_GIBBS]["fit / EP"], 100, True)]
    for title, rows, most, memory in (("12,600 features", genes, 1, 5), ("100,000 features", wide, 2, 3)):
        share = ratio(rows[_EP]["fit_cpu_s"], rows[_PEERS[0]]["fit_cpu_s"])
        found.append(Target(f"{title}: EP / liblinear", share, most, False))
        for name in (_EP, _DOUBLE):
            peak = rows[name]["peak beside X, times X"]
            found.append(Target(f"{title}: peak of {name}, X included, times X", 1 + peak, memory, False))
    return found


def _singh():
    data = load("singh")
    return data.X, data.y, "singh"


def _quick():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 200)).astype(np.float32)
    return X, X[:, 0] > 0, "generated"


def generated(n_rows, n_features):
    """Independent features in single precision, the first of which decide the class, with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_features), dtype=np.float32)
    return X, X[:, :_N_REAL].sum(axis=1) + rng.normal(size=n_rows) > 0
