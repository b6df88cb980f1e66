"""New numbers in leaves, weights of kept members, and orders by diversity, against direct computations."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from pauca import PrunedEnsembleClassifier, PrunedEnsembleRegressor
from pauca.datasets import make_friedman1, make_waveform
from pauca.ensembles.leaf_refinement.following import _DAMPING, moved
from pauca.ensembles.leaf_refinement.shrinkage import line_to_targets, shrunk
from pauca.ensembles.leaf_refinement.trees import ridge
from pauca.ensembles.members import members_of
from pauca.ensembles.pruning.diversity import ambiguity_order, best_weights, decorrelation_order


def products(n_members, seed=0):
    errors = np.random.default_rng(seed).normal(size=(n_members, 60)) + 0.5
    return errors @ errors.T / 60, errors


@pytest.mark.parametrize("strength", [0.0, 2.0, 1e9])
def test_shrunk_numbers_follow_the_path_from_the_root(strength):
    X, y = make_friedman1(80, random_state=0)
    tree = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y).tree_
    numbers = shrunk(tree, strength)[:, 0]
    paths = tree.decision_path(X.astype(np.float32)).toarray() > 0
    for path, leaf in zip(paths, tree.apply(X.astype(np.float32)), strict=True):
        expected = None
        for node in np.flatnonzero(path):
            n = tree.weighted_n_node_samples[node]
            own = tree.value[node, 0, 0]
            expected = own if expected is None else (n * own + strength * expected) / (n + strength)
        assert numbers[leaf] == pytest.approx(expected)


def test_ridge_regression_against_its_normal_equations():
    rng = np.random.default_rng(0)
    design, targets = rng.normal(size=(40, 8)), rng.normal(size=(40, 3))
    expected = np.linalg.solve(design.T @ design + 0.7 * np.eye(8), design.T @ targets)
    np.testing.assert_allclose(ridge(design, targets, 0.7), expected, rtol=1e-6)


def test_moved_numbers_are_a_ridge_regression_on_all_nodes_of_the_paths():
    X, y = make_friedman1(60, random_state=0)
    forest = RandomForestRegressor(3, max_depth=3, random_state=0).fit(X, y)
    members, rows = members_of(forest), X.astype(np.float32)
    numbers = [tree.tree_.value[:, :, 0] for tree in forest.estimators_]
    goal = y[:, None]
    new = moved(members, numbers, rows, goal)
    design = np.hstack([tree.decision_path(rows).toarray() / 3 for tree in forest.estimators_])
    lacking = goal - forest.predict(rows)[:, None]
    steps = np.linalg.solve(design.T @ design + 3 * _DAMPING**2 * np.eye(design.shape[1]), design.T @ lacking)
    average = np.mean(
        [part[tree.apply(rows)] for part, tree in zip(new, forest.estimators_, strict=True)], axis=0
    )
    np.testing.assert_allclose(average, goal - lacking + design @ steps, atol=1e-3)


def test_line_to_targets_is_taken_where_it_predicts_rows_left_out():
    rng, taken = np.random.default_rng(0), []
    for slope in np.linspace(0.9, 1.3, 9):
        x = rng.normal(size=30)
        y = slope * x + 0.3 * rng.normal(size=30)
        lines = [np.polyfit(np.delete(x, i), np.delete(y, i), 1) for i in range(30)]
        left_out = [y[i] - np.polyval(line, x[i]) for i, line in enumerate(lines)]
        taken.append(np.sum(np.square(left_out)) < np.sum((y - x) ** 2))
        expected = np.polyfit(x, y, 1) if taken[-1] else (1, 0)
        found = line_to_targets(x[:, None], y[:, None], np.ones(30))
        np.testing.assert_allclose(np.ravel(found), expected)
    assert any(taken)
    assert not all(taken)


def test_weights_of_the_line_are_repetitions():
    rng = np.random.default_rng(0)
    x, weights = rng.normal(size=(30, 2)), rng.integers(0, 3, 30)
    y = 2 * x + rng.normal(size=(30, 2))
    again = np.repeat(np.arange(30), weights)
    found = line_to_targets(x, y, weights.astype(float))
    np.testing.assert_allclose(found, line_to_targets(x[again], y[again], np.ones(len(again))))


def test_no_line_without_a_gain_and_no_falling_one():
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(40, 2))
    left_out = (noise.sum(axis=0) - noise) / 39  # the mean of the others falls with the target
    slope, constant = line_to_targets(left_out, noise, np.ones(40))
    np.testing.assert_allclose(
        slope * left_out + constant, np.broadcast_to(noise.mean(axis=0), (40, 2)), atol=0.1
    )
    for averages in (noise, np.ones((40, 2))):
        slope, constant = line_to_targets(averages, noise, np.ones(40))
        assert (slope == 1).all()
        assert (constant == 0).all()


@pytest.mark.parametrize("reweight", [False, True])
def test_refitted_trees_keep_their_weights(reweight):
    X, y = make_friedman1(200, random_state=0)
    boosted = AdaBoostRegressor(DecisionTreeRegressor(max_depth=5), n_estimators=30, random_state=0).fit(X, y)
    plain, refitted = (
        PrunedEnsembleRegressor(boosted, refit=refit, reweight=reweight).fit(X, y) for refit in (False, True)
    )
    assert len(refitted.estimators_) == len(plain.estimators_)
    whole = np.average(
        [tree.predict(X) for tree in boosted.estimators_], axis=0, weights=boosted.estimator_weights_
    )
    assert np.mean((refitted.predict(X) - whole) ** 2) < np.mean((plain.predict(X) - whole) ** 2)


@pytest.mark.parametrize("seed", range(6))
def test_weights_are_the_best_of_all_that_are_not_negative(seed):
    C, errors = products(8, seed)
    weights = best_weights(C)
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    found = minimize(
        lambda w: w @ C @ w,
        np.full(8, 1 / 8),
        jac=lambda w: 2 * C @ w,
        bounds=[(0, 1)] * 8,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    assert weights @ C @ weights == pytest.approx(found.fun, rel=1e-5)
    assert weights @ C @ weights == pytest.approx(np.mean(np.square(weights @ errors)))


def test_ambiguity_order_by_the_definition():
    C, errors = products(7)
    order, chosen = ambiguity_order(C), []
    for size in range(1, 8):
        scores = {}
        for member in set(range(7)) - set(chosen):
            some = errors[[*chosen, member]]
            ambiguity = np.mean(np.square(some - some.mean(axis=0)))
            scores[member] = np.mean(np.square(some)) - (1.5 if size > 1 else 0) * ambiguity
        chosen.append(min(scores, key=scores.get))
    assert order.tolist() == chosen


def test_decorrelation_order_by_the_definition():
    C, errors = products(7)
    order = decorrelation_order(C)
    for before, member in pairwise(order):
        later = order[list(order).index(member) :]
        scores = [np.mean(errors[k] ** 2) + np.mean(errors[k] * errors[before]) for k in later]
        assert later[int(np.argmin(scores))] == member


@pytest.mark.parametrize("method", ["ambiguity", "decorrelation"])
def test_diversity_methods_of_the_estimators(method, bagging, friedman, forest, waveform):
    pruned = PrunedEnsembleRegressor(bagging, method, size=6).fit(*friedman)
    assert sorted(pruned.order_) == list(range(24))
    pruned = PrunedEnsembleClassifier(forest, method, size=6).fit(*waveform)
    assert len(pruned.selected_) == 6


def test_refitted_fifth_follows_the_whole_forest():
    X, y = make_waveform(900, random_state=1)
    forest = RandomForestClassifier(60, random_state=0).fit(X[:300], y[:300])
    plain = PrunedEnsembleClassifier(forest, random_state=0).fit(X[:300], y[:300])
    refitted = PrunedEnsembleClassifier(forest, refit=True, random_state=0).fit(X[:300], y[:300])
    assert refitted.selected_.tolist() == plain.selected_.tolist()
    whole = forest.predict_proba(X[300:])
    p = refitted.predict_proba(X[300:])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert p.min() >= 0
    assert np.mean((p - whole) ** 2) < 0.8 * np.mean((plain.predict_proba(X[300:]) - whole) ** 2)
    assert refitted.score(X[300:], y[300:]) >= plain.score(X[300:], y[300:])
    assert forest.estimators_[plain.selected_[0]].tree_.value.max() == 1  # the forest is as it was


def test_refitted_regressor_follows_the_whole_forest():
    X, y = make_friedman1(900, random_state=1)
    forest = RandomForestRegressor(60, max_features=0.4, random_state=0).fit(X[:300], y[:300])
    errors = []
    for refit in (False, True):
        few = PrunedEnsembleRegressor(forest, refit=refit, random_state=0).fit(X[:300], y[:300])
        errors.append(np.mean(np.square(few.predict(X[300:]) - y[300:])))
    assert errors[1] < errors[0]


def test_refit_needs_trees(friedman):
    with pytest.raises(ValueError, match="refit=True needs decision trees"):
        PrunedEnsembleRegressor([lambda_member() for _ in range(3)], refit=True).fit(*friedman)


def lambda_member():
    class Constant:
        def predict(self, X):
            return np.full(len(X), 14.0)

    return Constant()


def test_automatic_selection_takes_out_of_bag_rows_of_its_own_training_rows(bagging, friedman):
    X, y = friedman
    by_default = PrunedEnsembleRegressor(bagging).fit(X, y)
    oob = PrunedEnsembleRegressor(bagging, selection="oob").fit(X, y)
    train = PrunedEnsembleRegressor(bagging, selection="train").fit(X, y)
    assert by_default.order_.tolist() == oob.order_.tolist() != train.order_.tolist()
    other = make_friedman1(len(y), random_state=5)
    elsewhere = PrunedEnsembleRegressor(bagging).fit(*other)
    train = PrunedEnsembleRegressor(bagging, selection="train").fit(*other)
    assert elsewhere.order_.tolist() == train.order_.tolist()


def test_adaboost_keeps_its_weights_or_gets_new_ones():
    X, y = make_waveform(300, random_state=0)
    boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=20, random_state=0).fit(
        X, y
    )
    whole = PrunedEnsembleClassifier(boosted, size=1.0).fit(X, y)
    np.testing.assert_array_equal(whole.predict(X), boosted.predict(X))
    for method in ("ordered", "sdp"):
        few = PrunedEnsembleClassifier(boosted, method, size=8, reweight=True, random_state=0).fit(X, y)
        shares = few._members.shares
        assert shares.sum() == pytest.approx(1)
        assert (shares > 0).all()
        assert len(few.selected_) == len(shares) <= 8
        assert few.score(X, y) > 0.8


def test_adaboost_of_regressors():
    X, y = make_friedman1(300, random_state=0)
    boosted = AdaBoostRegressor(DecisionTreeRegressor(max_depth=4), n_estimators=20, random_state=0).fit(X, y)
    equal = PrunedEnsembleRegressor(boosted, size=8).fit(X[:200], y[:200])
    weighted = PrunedEnsembleRegressor(boosted, size=8, reweight=True).fit(X[:200], y[:200])
    errors = [np.mean(np.square(few.predict(X[:200]) - y[:200])) for few in (equal, weighted)]
    assert errors[1] <= errors[0]


def test_gradient_boosting_has_an_estimator_of_its_own():
    X, y = make_waveform(100, random_state=0)
    with pytest.raises(ValueError, match="use PrunedBoostingClassifier"):
        PrunedEnsembleClassifier(GradientBoostingClassifier(n_estimators=3)).fit(X, y)
