"""The benchmark of finding flipped labels: methods find flips, means are means, the target compares."""

import numpy as np
import pytest
from benchmarks.labels import flips
from sklearn.metrics import average_precision_score

from pauca.datasets import load


def test_every_method_is_measured_on_the_same_flips():
    rows = flips.measure(load("wdbc"), 0.1, 10, quick=True)
    assert rows[0]["method"] == flips.OURS
    assert {row["method"] for row in rows} == set(flips.methods())
    assert all(0 < row["average precision"] <= 1 for row in rows)
    assert rows[0]["average precision"] > 0.4


def test_suspicion_finds_flips_of_separated_classes():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)) - 3, rng.normal(size=(40, 2)) + 3])
    y = np.repeat([0, 1], 40)
    flipped = np.arange(80) % 20 == 3
    for name, suspicion in flips.methods().items():
        found = suspicion(X, np.where(flipped, 1 - y, y))
        assert average_precision_score(flipped, found) > 0.9, name


def test_means_and_target():
    rows = [
        {"method": name, "flipped": rate, "average precision": value, "cpu_s": 1.0}
        for name, value in ((flips.OURS, 0.8), ("cleanlab, forest", 0.7), ("cleanlab, logistic", 0.6))
        for rate in flips.RATES
    ]
    summary = flips.summary_rows(rows)
    assert summary[0]["all"] == pytest.approx(0.8)
    (target,) = flips.targets(summary)
    assert target.row()["measured"] == pytest.approx(0.1)
    assert flips.targets(summary[:1]) == []
