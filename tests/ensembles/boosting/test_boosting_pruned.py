"""Pruned boosting: its weights against finite differences, its scores against the trees that it keeps."""

from itertools import combinations

import numpy as np
import pytest
from boosted_models import fitted, problem
from scipy.optimize import approx_fprime
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import PrunedBoostingClassifier
from pauca.ensembles import PrunedBoostingRegressor, read_boosting
from pauca.ensembles.boosting.boosted_model import linked
from pauca.ensembles.boosting.pruned.classifier import log_loss as loss_of
from pauca.ensembles.boosting.pruned.selection import contributions

CASES = [("histograms", 2), ("gradient boosting", 3), ("adaboost", 3), ("lightgbm", 2), ("catboost", 3)]


@pytest.mark.parametrize(("name", "n_classes"), [*CASES, ("lightgbm one-vs-rest", 3)])
def test_derivatives_of_the_loss(name, n_classes):
    X, y = problem(n_classes, 200)
    model = read_boosting(fitted(name, n_classes, X, y))
    scores = np.random.default_rng(0).normal(size=(3, len(model.trees.base)))
    numeric = approx_fprime(scores.ravel(), lambda s: loss_of(model, s.reshape(scores.shape), y[:3])[0], 1e-7)
    np.testing.assert_allclose(loss_of(model, scores, y[:3])[1].ravel(), numeric, atol=1e-5)


@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_kept_rounds_and_their_weights_give_the_probabilities(name, n_classes):
    X, y = problem(n_classes, 1200)
    whole = fitted(name, n_classes, X[:600], y[:600])
    few = PrunedBoostingClassifier(whole, size=5).fit(X[600:900], y[600:900])
    assert len(few.selected_) == len(set(few.selected_)) == 5
    model = read_boosting(whole)
    rows = few._exits.check(X[900:], whole)
    added = contributions(model, rows)
    np.testing.assert_allclose(
        linked(model.trees.base + added.sum(axis=0), model.link, model.steepness),
        whole.predict_proba(X[900:]),
        atol=1e-6,
    )
    scores = model.trees.base + np.tensordot(few.weights_, added[few.selected_], 1)
    p = linked(scores, model.link, model.steepness)
    np.testing.assert_allclose(few.predict_proba(X[900:]), p, atol=1e-9)
    assert np.mean(few.predict(X[900:]) == few.classes_[p.argmax(axis=1)]) == 1
    p = few.predict_proba(X[600:900])
    assert few.loss_[1] == pytest.approx(log_loss(y[600:900], p / p.sum(axis=1, keepdims=True)))


def test_a_fifth_with_new_weights_is_about_as_good_as_all_and_better_than_the_first_fifth():
    X, y = problem(2, 4000)
    whole = GradientBoostingClassifier(n_estimators=150, random_state=0).fit(X[:1000], y[:1000])
    few = PrunedBoostingClassifier(whole).fit(X[1000:2000], y[1000:2000])
    assert len(few.selected_) == 30
    first = next(p for i, p in enumerate(whole.staged_predict_proba(X[2000:])) if i == 29)
    losses = [
        log_loss(y[2000:], p) for p in (whole.predict_proba(X[2000:]), few.predict_proba(X[2000:]), first)
    ]
    assert losses[1] < 1.05 * losses[0]
    assert losses[1] < losses[2]


def test_rounds_selected_together_are_those_nearest_to_all():
    X, y = problem(2, 600)
    whole = GradientBoostingClassifier(n_estimators=9, random_state=0).fit(X[:300], y[:300])
    few = PrunedBoostingClassifier(whole, method="sdp", size=4, penalty=1e9).fit(X[300:], y[300:])
    np.testing.assert_allclose(few.weights_, 1, atol=1e-3)
    model = read_boosting(whole)
    added = contributions(model, few._exits.check(X[300:], whole))
    goal = added.sum(axis=0)
    sets = list(combinations(range(9), 4))
    distances = [np.mean(np.square(9 / 4 * added[list(some)].sum(axis=0) - goal)) for some in sets]
    assert few.selected_.tolist() == list(sets[int(np.argmin(distances))])


@pytest.mark.parametrize("kind", [PrunedBoostingClassifier, PrunedBoostingRegressor])
def test_a_fifth_selected_together_is_better_than_the_first_fifth(kind):
    X, y = problem(2, 1200)
    boosted = GradientBoostingClassifier if kind is PrunedBoostingClassifier else GradientBoostingRegressor
    whole = boosted(n_estimators=60, random_state=0).fit(X[:600], y[:600])
    few = kind(whole, method="sdp", random_state=0).fit(X[600:], y[600:])
    assert len(few.selected_) == 12
    assert few.loss_[1] < 1.1 * few.loss_[0]
    first = kind(boosted(n_estimators=12, random_state=0).fit(X[:600], y[:600]), size=1.0).fit(
        X[600:], y[600:]
    )
    assert few.loss_[1] < first.loss_[1]


def test_methods_are_named():
    X, y = problem(2, 60)
    with pytest.raises(ValueError, match="method"):
        PrunedBoostingClassifier(method="best").fit(X, y)


def test_all_rounds_with_a_strong_penalty_are_the_ensemble():
    X, y = problem(2, 400)
    whole = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X[:200], y[:200])
    same = PrunedBoostingClassifier(whole, size=1.0, penalty=1e9).fit(X[200:], y[200:])
    np.testing.assert_allclose(same.predict_proba(X), whole.predict_proba(X), atol=1e-5)


@parametrize_with_checks(
    [PrunedBoostingClassifier(GradientBoostingClassifier(n_estimators=5, random_state=0), random_state=0)]
)
def test_estimator_checks(estimator, check):
    check(estimator)
