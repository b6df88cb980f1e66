"""Pruned boosting: its weights against finite differences, its scores against the trees that it keeps."""

import numpy as np
import pytest
from boosted_models import fitted, problem
from scipy.optimize import approx_fprime
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from pauca import PrunedBoostingClassifier
from pauca.ensembles import read_boosting
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
