"""The calibrated rule: its bound by simulation, and its guarantee over many calibration parts."""

import numpy as np
import pytest
from boosted_models import fitted, problem
from scipy.stats import binom
from sklearn.ensemble import HistGradientBoostingClassifier

from pauca import InstancePrunedBoostingClassifier
from pauca.ensembles.boosting.calibration import clopper_pearson


@pytest.mark.parametrize(("n_wrong", "n_rows"), [(0, 100), (3, 100), (40, 400)])
def test_bound_is_the_share_at_which_so_few_are_as_rare_as_the_risk(n_wrong, n_rows):
    bound = clopper_pearson(n_wrong, n_rows, 0.05)
    assert binom.cdf(n_wrong, n_rows, bound) == pytest.approx(0.05)


def test_bound_of_no_row_is_one():
    assert clopper_pearson(0, 0, 0.05) == 1.0
    assert clopper_pearson(5, 5, 0.05) == 1.0


def test_bounds_hold_in_most_calibrations():
    X, y = problem(2, 24_000)
    model = HistGradientBoostingClassifier(max_iter=40, random_state=0).fit(X[:1000], y[:1000])
    rest, queries, broken = X[1000:], [], 0
    whole = model.predict(rest)
    for start in range(0, 20_000, 1000):
        ours = InstancePrunedBoostingClassifier(model, 0.98, risk=0.2).calibrate(rest[start : start + 1000])
        labels, n_evaluated = ours.predict(rest, return_queries=True)
        assert 0 < ours.disagreement_bound_ <= 0.02
        broken += np.mean(labels != whole) > ours.disagreement_bound_
        queries.append(n_evaluated.mean())
    assert broken <= binom.ppf(0.999, 20, 0.2)
    exact = InstancePrunedBoostingClassifier(model).predict(rest, return_queries=True)[1].mean()
    assert np.mean(queries) < 0.7 * exact


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ["gradient boosting", "lightgbm", "catboost"])
def test_calibrated_classes(name, n_classes):
    X, y = problem(n_classes, 2500)
    model = fitted(name, n_classes, X[:600], y[:600])
    ours = InstancePrunedBoostingClassifier(model, 0.97).calibrate(X[600:1600])
    labels, queries = ours.predict(X[1600:], return_queries=True)
    assert np.mean(labels == np.ravel(model.predict(X[1600:]))) >= 0.97
    assert queries.mean() < 0.7 * ours.n_members_
    singly = [ours.predict(row[None].copy())[0] for row in X[1600:1650]]
    assert np.array_equal(singly, labels[:50])


def test_too_few_rows_leave_the_certificate():
    X, y = problem(2, 300)
    ours = InstancePrunedBoostingClassifier(confidence=0.999, random_state=0).fit(X, y)
    assert ours.disagreement_bound_ == 0.0
    assert np.array_equal(ours.predict(X), ours.ensemble_.predict(X))
