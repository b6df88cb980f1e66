"""Features that depend on one another: pathways that are known beside exchangeable features."""

import warnings
from time import process_time

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import average_precision_score, log_loss

from pauca import SpikeSlabClassifier, datasets
from pauca.evaluation import Target, Unit

from ..harness.report import Report, Table

# Simulated rows, genes, genes of a pathway, pathways that matter and the share of their genes that do; weight
# of those genes. The first draw, which no constant has seen.
_N, _D, _PATHWAY, _ACTIVE, _SHARE, _WEIGHT = 80, 600, 20, 2, 0.5, 0.5
_N_TEST, _FIRST = 1000, 10
SETS = ("alon", "golub", "gravier", "singh")
# Genes of largest variance that are grouped, and the correlation above which groups are joined on average.
_N_GENES, _JOINED = 2000, 0.6
# Prior expectation of the number of genes that matter, of both methods.
_EXPECTED = 32
ALONE, GROUPED = "exchangeable", "groups"


def run(options, store) -> Report:
    """Average precision on simulated pathways; log-loss and error on microarrays grouped by correlation."""
    simulated, real = [], []
    missing = ["a quick run leaves the microarrays out"] if options.quick else []
    for draw in range(_FIRST, _FIRST + (1 if options.quick else 5 * options.splits)):
        unit = Unit("networks", "simulated", draw, "quick" if options.quick else "all")
        if unit not in store:
            store.put(unit, {"rows": on_pathways(draw, quick=options.quick)})
        simulated += store[unit]["rows"]
    for name in () if options.quick else SETS:
        try:
            data = datasets.load(name, download=False)
        except OSError as error:
            missing.append(f"{name} left out: {error}")
            continue
        for draw in range(_FIRST, _FIRST + 5 * options.splits):
            unit = Unit("networks", name, draw, "all")
            if unit not in store:
                store.put(unit, {"rows": on_microarray(data, draw)})
            real += store[unit]["rows"]
    tables = [
        Table("Simulated pathways", means(simulated)),
        Table("Microarrays, groups by correlation", means(real)),
    ]
    return Report(tables, targets(means(simulated), means(real)), missing)


def pathways(draw, n, d):
    """Rows, classes, the genes that matter, and the groups: genes of a pathway share a factor."""
    rng = np.random.default_rng(draw)
    groups = [np.arange(first, min(first + _PATHWAY, d)) for first in range(0, d, _PATHWAY)]
    factors = rng.normal(size=(n, len(groups)))
    X = 0.4 * np.repeat(factors, _PATHWAY, axis=1)[:, :d] + rng.normal(size=(n, d))
    weights = np.zeros(d)
    for number in rng.choice(len(groups), _ACTIVE, replace=False):
        members = rng.choice(groups[number], int(_SHARE * _PATHWAY), replace=False)
        weights[members] = _WEIGHT * rng.choice([-1, 1], len(members))
    y = X @ weights + rng.normal(size=n) > 0
    return X, y, weights != 0, groups


def on_pathways(draw, quick=False):
    """A row for each prior on one simulated table."""
    n, d = (40, 100) if quick else (_N, _D)
    X, y, real, groups = pathways(draw, n + _N_TEST, d)
    rows = []
    for prior, machine, seconds in fits(X[:n], y[:n], groups):
        p = machine.predict_proba(X[n:])
        precision = float(average_precision_score(real, machine.inclusion_probabilities_))
        row = {"problem": "simulated", "prior": prior, "draw": draw, "average precision": precision}
        rows.append({**row, **losses(machine, p, y[n:]), "cpu_s": seconds})
    return rows


def on_microarray(data, draw):
    """A row for each prior on a random third of a microarray set; groups come from the training rows."""
    rng = np.random.default_rng(draw)
    order = rng.permutation(len(data.y))
    train, test = np.sort(order[: 2 * len(order) // 3]), np.sort(order[2 * len(order) // 3 :])
    X = np.asarray(data.X, dtype=float)
    kept = np.sort(np.argsort(-X[train].var(axis=0), kind="stable")[:_N_GENES])
    rows = []
    for prior, machine, seconds in fits(X[train][:, kept], data.y[train], by_correlation(X[train][:, kept])):
        p = machine.predict_proba(X[test][:, kept])
        row = {"problem": data.name, "prior": prior, "draw": draw, "average precision": None}
        rows.append({**row, **losses(machine, p, data.y[test]), "cpu_s": seconds})
    return rows


def by_correlation(X):
    """Groups of features whose mean absolute correlation is high, by average linkage."""
    distance = 1 - np.abs(np.corrcoef(X.T))
    np.fill_diagonal(distance, 0.0)
    names = fcluster(linkage(squareform(distance, checks=False), "average"), 1 - _JOINED, "distance")
    groups = [np.flatnonzero(names == name) for name in np.unique(names)]
    return [group for group in groups if len(group) > 1]


def fits(X, y, groups):
    """Prior, fitted machine and processor seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for prior, network in ((ALONE, None), (GROUPED, groups)):
            start = process_time()
            machine = SpikeSlabClassifier(_EXPECTED, network=network).fit(X, y)
            yield prior, machine, process_time() - start


def losses(machine, p, y):
    """Log-loss and error in percent on new rows."""
    error = 100 * float(np.mean(machine.classes_[p.argmax(axis=1)] != y))
    return {"log-loss": float(log_loss(y, p, labels=machine.classes_)), "error %": error}


def means(rows):
    """Means over draws, a row for each problem and prior."""
    table = []
    for problem, prior in dict.fromkeys((row["problem"], row["prior"]) for row in rows):
        mine = [row for row in rows if (row["problem"], row["prior"]) == (problem, prior)]
        measures = ("average precision", "log-loss", "error %", "cpu_s")
        values = {key: [row[key] for row in mine if row[key] is not None] for key in measures}
        found = {key: float(np.mean(each)) if each else None for key, each in values.items()}
        table.append({"problem": problem, "prior": prior, "draws": len(mine), **found})
    return table


def targets(simulated, real):
    """The project's target: groups that are known help, on simulated pathways and on one real set."""
    found = [
        Target("average precision on pathways: groups - exchangeable", *_gain(simulated, "average precision"))
    ]
    gains = [
        -_gain([row for row in real if row["problem"] == name], "log-loss")[0]
        for name in dict.fromkeys(row["problem"] for row in real)
    ]
    if gains:
        found.append(Target("largest fall of the log-loss on a microarray set", max(gains), 0, True))
    return found


def _gain(rows, measure):
    """Value with groups minus that without, and the target that it is not below zero."""
    by_prior = {row["prior"]: row[measure] for row in rows}
    return by_prior[GROUPED] - by_prior[ALONE], 0, True
