"""Inclusion probabilities under permuted labels, and beside the share of features that are real."""

import warnings
from itertools import pairwise

import numpy as np
from scipy.signal import lfilter

from pauca import SpikeSlabClassifier
from pauca.evaluation import Target, Unit

from ..harness.problems import load
from ..harness.report import Report, Table

_SETS = ("heart", "ionosphere", "sonar", "wdbc", "alon", "golub", "gravier", "singh")
# Machines by their settings; simulations tell those that do not learn it the expected number of features.
_DEFAULT, _AVERAGE, _EFFECTS = "32 expected", "posterior", "single effects"
_MACHINES = {
    _DEFAULT: {},
    _AVERAGE: {"expected_features": "posterior"},
    _EFFECTS: {"inference": "single-effects"},
}
# Rows, features, and expected number of features of the simulations; correlations of neighbours.
_SIZES, _QUICK, _EXPECTED, _CORRELATIONS = (150, 300), (60, 40), 5, (0.0, 0.8)
# First draw, which no constant has seen.
_FIRST = 10
# Bounds of the inclusion probabilities that are looked at together.
_BOUNDS = (0.1, 0.3, 0.7, 0.9, 1.01)


def run(options, store) -> Report:
    """Permuted labels of real sets, and calibration on data from the prior."""
    draws = 1 if options.quick else 5 * options.splits
    permuted, notes = [], []
    for name in _SETS[:1] if options.quick else _SETS:
        try:
            data = load(name)
        except OSError as error:
            notes.append(f"{name} left out: {error}")
            continue
        for label in _MACHINES:
            units = [Unit("no-signal", name, draw, label) for draw in range(_FIRST, _FIRST + draws)]
            found = [_stored(store, unit, lambda unit=unit, data=data: permute(data, unit)) for unit in units]
            permuted.append(_permuted_row(name, data.X.shape, label, found))
    calibrated = []
    for correlation in _CORRELATIONS:
        sizes = _QUICK if options.quick else _SIZES
        unit = Unit("no-signal", f"simulated {sizes}, {correlation}", draws, "all")
        calibrated += _stored(
            store, unit, lambda c=correlation, s=sizes: {"rows": calibrate(20 * draws, *s, c)}
        )["rows"]
    tables = [
        Table("Permuted labels, log-loss above that of the base rate", permuted),
        Table("Inclusion probabilities and the share of real features", calibrated),
    ]
    return Report(tables, targets(permuted, calibrated), notes)


def _stored(store, unit, measured):
    if unit not in store:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            store.put(unit, measured())
    return store[unit]


def permute(data, unit):
    """Log-loss above that of the base rate, and claims, for permuted labels and random halves."""
    rng = np.random.default_rng(unit.split)
    codes = np.unique(data.y, return_inverse=True)[1]
    labels, order = rng.permutation(codes > 0), rng.permutation(len(codes))
    train, test = np.array_split(order, 2)
    machine = SpikeSlabClassifier(**_MACHINES[unit.method]).fit(data.X[train], labels[train])
    losses = [
        -np.log(np.where(labels[test], p, 1 - p)).mean()
        for p in (machine.predict_proba(data.X[test])[:, 1], labels[train].mean())
    ]
    return {
        "excess": float(losses[0] - losses[1]),
        "claims": int(np.sum(machine.inclusion_probabilities_ > 0.5)),
        "expected": float((1 - machine.no_signal) * machine.prior_inclusion_ * data.X.shape[1]),
    }


def _permuted_row(name, shape, label, found):
    def mean(key):
        return float(np.mean([each[key] for each in found]))

    return {
        "set": name,
        "rows": shape[0],
        "features": shape[1],
        "machine": label,
        "draws": len(found),
        "excess": mean("excess"),
        "claims above 0.5": mean("claims"),
        "expected a priori": mean("expected"),
    }


def calibrate(n_draws, n, d, correlation):
    """Rows of the mean probability and the share of real features, on data from the prior of the model."""
    chances, real = {label: [] for label in _MACHINES}, []
    for draw in range(n_draws):
        rng = np.random.default_rng(5000 + draw)
        X = lfilter([np.sqrt(1 - correlation**2)], [1, -correlation], rng.normal(size=(n, d + 50)))[:, 50:]
        real.append(rng.random(d) < _EXPECTED / d)
        y = X @ np.where(real[-1], rng.normal(size=d), 0) + rng.normal(size=n) > 0
        for label, settings in _MACHINES.items():
            machine = SpikeSlabClassifier(**{"expected_features": _EXPECTED, **settings}).fit(X, y)
            chances[label].append(machine.inclusion_probabilities_)
    truth, rows = np.concatenate(real), []
    for label, parts in chances.items():
        p = np.concatenate(parts)
        for low, high in pairwise(_BOUNDS):
            inside = (p >= low) & (p < high)
            rows.append(
                {
                    "correlation": correlation,
                    "machine": label if label != _DEFAULT else f"{_EXPECTED} expected",
                    "probabilities": f"{low} to {min(high, 1)}",
                    "features": int(inside.sum()),
                    "mean probability": float(p[inside].mean()) if inside.any() else None,
                    "share real": float(truth[inside].mean()) if inside.any() else None,
                }
            )
    return rows


def targets(permuted, calibrated):
    """The project's targets: no claims, the base rate, and four of five features at 0.8."""
    found = []
    for label in (_DEFAULT, _AVERAGE, _EFFECTS):
        mine = [row for row in permuted if row["machine"] == label]
        if mine:
            largest = max(row["excess"] for row in mine)
            found.append(Target(f"{label}: largest mean excess", largest, 0.02, False))
            claims = max(row["claims above 0.5"] - row["expected a priori"] for row in mine)
            found.append(Target(f"{label}: claims less those expected a priori", claims, 0, False))
    for row in calibrated:
        if row["probabilities"] == "0.7 to 0.9" and row["features"]:
            what = f"{row['machine']}, correlation {row['correlation']}: probabilities of 0.7 to 0.9 off by"
            found.append(Target(what, abs(row["share real"] - row["mean probability"]), 0.1, False))
    return found
