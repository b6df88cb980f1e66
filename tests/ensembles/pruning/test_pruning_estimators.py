"""Pruned ensembles: what they keep, what they predict, and where they can be used."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from pauca import PrunedEnsembleClassifier, PrunedEnsembleRegressor
from pauca.datasets import make_friedman1
from pauca.ensembles import error_products, exhaustive_pruning, ordered_aggregation, sdp_pruning

REGRESSORS = [
    BaggingRegressor(n_estimators=8, max_features=0.5, random_state=0),
    RandomForestRegressor(8, random_state=0),
    ExtraTreesRegressor(8, random_state=0),
    VotingRegressor(
        [("a", Ridge(0.1)), ("b", Ridge(100.0)), ("c", RandomForestRegressor(3, random_state=0))]
    ),
]
CLASSIFIERS = [
    BaggingClassifier(n_estimators=8, max_features=0.5, random_state=0),
    BaggingClassifier(SVC(), n_estimators=5, random_state=0),
    RandomForestClassifier(8, min_samples_leaf=5, random_state=0),
    ExtraTreesClassifier(8, random_state=0),
    VotingClassifier(
        [("a", LogisticRegression()), ("b", GaussianNB()), ("c", DecisionTreeClassifier(max_depth=3))]
    ),
    VotingClassifier([("a", LogisticRegression()), ("b", GaussianNB())], voting="soft"),
]


def named(ensemble):
    return type(ensemble).__name__


@pytest.mark.parametrize("ensemble", REGRESSORS, ids=named)
def test_all_members_are_the_whole_ensemble(ensemble, friedman):
    X, y = friedman
    fitted = clone(ensemble).fit(X, y)
    pruned = PrunedEnsembleRegressor(fitted, size=1.0, selection="train").fit(X, y)
    np.testing.assert_allclose(pruned.predict(X), fitted.predict(X))
    assert pruned.error_curve_[-1] == pytest.approx(np.mean(np.square(fitted.predict(X) - y)))


@pytest.mark.parametrize("ensemble", CLASSIFIERS, ids=named)
def test_all_voters_are_the_whole_ensemble(ensemble, waveform):
    X, y = waveform
    fitted = clone(ensemble).fit(X, y)
    pruned = PrunedEnsembleClassifier(fitted, size=1.0).fit(X, y)
    assert pruned.classes_.tolist() == fitted.classes_.tolist()
    np.testing.assert_array_equal(pruned.predict(X), fitted.predict(X))
    if hasattr(fitted, "predict_proba"):
        np.testing.assert_allclose(pruned.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("ensemble", REGRESSORS, ids=named)
def test_unfitted_ensembles_are_trained(ensemble, friedman):
    X, y = friedman
    fitted = PrunedEnsembleRegressor(clone(ensemble).fit(X, y), size=2).fit(X, y)
    pruned = PrunedEnsembleRegressor(ensemble, size=2).fit(X, y)
    assert not hasattr(ensemble, "estimators_")
    if not isinstance(ensemble, VotingRegressor):
        assert pruned.selected_.tolist() == fitted.selected_.tolist()
        np.testing.assert_array_equal(pruned.predict(X), fitted.predict(X))


def test_methods_choose_what_the_functions_choose(bagging, friedman, outputs):
    X, y = friedman
    kept = {
        "ordered": ordered_aggregation(*outputs).order[:5],
        "sdp": sdp_pruning(*outputs, size=5, random_state=0).selected,
        "exhaustive": exhaustive_pruning(*outputs, size=5).selected,
    }
    for method, expected in kept.items():
        pruned = PrunedEnsembleRegressor(bagging, method, selection="train", random_state=0).fit(X, y)
        assert set(pruned.selected_) == set(expected)
        assert sorted(pruned.order_) == list(range(24))
        assert [bagging.estimators_[i] for i in pruned.selected_] == pruned.estimators_
        np.testing.assert_allclose(
            pruned.predict(X), np.mean([member.predict(X) for member in pruned.estimators_], axis=0)
        )
        assert pruned.error_curve_[4] == pytest.approx(np.mean(np.square(pruned.predict(X) - y)))
        assert (pruned.lower_bound_ is None) == (method == "ordered")


def test_exhaustive_bound_is_its_error_and_below_the_others(bagging, friedman):
    X, y = friedman
    exact = PrunedEnsembleRegressor(bagging, "exhaustive").fit(X, y)
    relaxed = PrunedEnsembleRegressor(bagging, "sdp", random_state=0).fit(X, y)
    greedy = PrunedEnsembleRegressor(bagging).fit(X, y)
    assert exact.lower_bound_ == pytest.approx(exact.error_curve_[4])
    assert relaxed.lower_bound_ <= exact.error_curve_[4] <= relaxed.error_curve_[4] + 1e-12
    assert exact.error_curve_[4] <= greedy.error_curve_[4]


@pytest.mark.parametrize(
    "method", ["ordered", "sdp", "reduce-error", "complementarity", "margin-distance", "boosting"]
)
def test_every_method_prunes_votes(method, forest, waveform):
    X, y = waveform
    pruned = PrunedEnsembleClassifier(forest, method, voting="hard", selection="train", random_state=0).fit(
        X, y
    )
    assert len(pruned.selected_) == 5
    error = np.mean(pruned.predict(X) != y)
    assert pruned.error_curve_[4] == pytest.approx(error)
    assert error < pruned.error_curve_[0]


def test_automatic_size_is_where_the_curve_is_lowest(bagging, friedman):
    for method in ("ordered", "sdp"):
        pruned = PrunedEnsembleRegressor(bagging, method, size="auto", selection="oob").fit(*friedman)
        greedy = PrunedEnsembleRegressor(bagging, selection="oob").fit(*friedman)
        assert len(pruned.selected_) == 1 + np.argmin(greedy.error_curve_)


def test_out_of_bag_rows_are_those_left_out(bagging, friedman, outputs):
    X, y = friedman
    known = np.ones(outputs[0].shape, dtype=bool)
    for mask, rows in zip(known, bagging.estimators_samples_, strict=True):
        mask[rows] = False
    pruned = PrunedEnsembleRegressor(bagging, selection="oob").fit(X, y)
    assert pruned.order_.tolist() == ordered_aggregation(*outputs, known=known).order.tolist()
    C = error_products(*outputs, known=known)
    assert pruned.error_curve_[0] == pytest.approx(C.diagonal().min())


@pytest.mark.parametrize("method", ["ordered", "sdp", "exhaustive", "ambiguity"])
def test_members_without_out_of_bag_rows_are_not_chosen(method):
    """Samples of 5 rows: some members leave none out, and are ranked last."""
    X, y = np.arange(5.0)[:, None], np.array([1.0, 3.0, 2.0, 5.0, 4.0])
    bagging = BaggingRegressor(n_estimators=12, random_state=8).fit(X, y)
    lacking = np.flatnonzero([len(np.unique(rows)) == 5 for rows in bagging.estimators_samples_])
    assert lacking.tolist() == [6, 10]
    for size, n_kept in ((4, 4), (11, 10)):
        pruned = PrunedEnsembleRegressor(
            bagging, method, size=size, selection="oob", reweight=size == 11, random_state=0
        ).fit(X, y)
        assert pruned.order_[-2:].tolist() == [6, 10]
        assert len(np.unique(pruned.order_)) == 12
        assert not np.isin(lacking, pruned.selected_).any()
        assert len(pruned.selected_) <= n_kept
        assert pruned.error_curve_.shape == (12,)
        np.testing.assert_array_equal(pruned.error_curve_[-2:], pruned.error_curve_[-3])
        assert np.isfinite(pruned.predict(X)).all()


def test_rows_held_out_are_not_trained_on(friedman):
    X, y = friedman
    pruned = PrunedEnsembleRegressor(
        BaggingRegressor(n_estimators=5, random_state=0),
        selection="holdout",
        holdout_size=0.4,
        random_state=0,
    ).fit(X, y)
    assert all(member.tree_.n_node_samples[0] <= 72 for member in pruned.estimators_)
    assert max(member.tree_.weighted_n_node_samples[0] for member in pruned.estimators_) == 72


def test_a_fitted_ensemble_is_evaluated_on_all_rows_given(bagging):
    X, y = make_friedman1(60, random_state=9)
    train, holdout = (
        PrunedEnsembleRegressor(bagging, selection=name).fit(X, y) for name in ("train", "holdout")
    )
    assert train.order_.tolist() == holdout.order_.tolist()


def test_several_targets():
    X, y = make_friedman1(100, random_state=0)
    Y = np.column_stack([y, -y, X[:, 0]])
    forest = RandomForestRegressor(10, random_state=0).fit(X, Y)
    pruned = PrunedEnsembleRegressor(forest, size=4, selection="train").fit(X, Y)
    assert pruned.predict(X).shape == (100, 3)
    assert pruned.error_curve_[3] == pytest.approx(np.mean(np.square(pruned.predict(X) - Y)))


def test_list_of_predictors_of_any_kind(friedman):
    class Constant:
        def __init__(self, value):
            self.value = value

        def predict(self, X):
            return np.full(len(X), self.value)

    X, y = friedman
    offsets = [Constant(y.mean() + delta) for delta in (5.0, 1.0, -1.0, 7.0)]
    pruned = PrunedEnsembleRegressor(offsets, "exhaustive", size="auto").fit(X, y)
    assert sorted(pruned.selected_) == [1, 2]
    np.testing.assert_allclose(pruned.predict(X), y.mean())


def test_list_of_pipelines_on_a_frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=80), "colour": rng.choice(["rot", "blau"], 80)})
    y = np.where((frame["x"] > 0) ^ (frame["colour"] == "rot"), "ja", "nein")
    encode = make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough")
    members = [
        make_pipeline(encode, DecisionTreeClassifier(max_depth=depth)).fit(frame, y) for depth in (1, 2, 3)
    ]
    pruned = PrunedEnsembleClassifier(members, size=2).fit(frame, y)
    assert pruned.feature_names_in_.tolist() == ["x", "colour"]
    assert pruned.score(frame, y) > 0.9
    np.testing.assert_allclose(pruned.predict_proba(frame).sum(axis=1), 1)


def test_members_that_miss_classes(waveform):
    """A list may have members that know two classes only."""
    X, y = waveform
    pairs = [y != label for label in np.unique(y)]
    members = [DecisionTreeClassifier(max_depth=4).fit(X[rows], y[rows]) for rows in pairs]
    pruned = PrunedEnsembleClassifier(members, size=3).fit(X, y)
    assert pruned.predict_proba(X).shape == (150, 3)
    assert pruned.score(X, y) > 0.7


def test_soft_and_hard_voting(forest, waveform):
    X, y = waveform
    soft, hard = (
        PrunedEnsembleClassifier(forest, size=4, voting=voting).fit(X, y) for voting in ("soft", "hard")
    )
    assert set(np.unique(hard.predict_proba(X))) <= {0, 0.25, 0.5, 0.75, 1}
    members = [member.predict_proba(X) for member in soft.estimators_]
    np.testing.assert_allclose(soft.predict_proba(X), np.mean(members, axis=0))


def test_data_frames_and_sparse_matrices(friedman):
    X, y = friedman
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(10)])
    pruned = PrunedEnsembleRegressor(BaggingRegressor(n_estimators=5), size=2, random_state=0)
    expected = clone(pruned).fit(X, y).predict(X)
    np.testing.assert_array_equal(clone(pruned).fit(frame, y).predict(frame), expected)
    sparse = clone(pruned).fit(csr_array(X), y)
    np.testing.assert_allclose(sparse.predict(csr_array(X)), sparse.predict(X))


def test_pipelines_and_grid_search(friedman):
    X, y = friedman
    pruned = PrunedEnsembleRegressor(BaggingRegressor(n_estimators=6, random_state=0))
    grid = {
        "prunedensembleregressor__size": [1, 0.5],
        "prunedensembleregressor__ensemble__max_samples": [0.5, 1.0],
    }
    search = GridSearchCV(make_pipeline(StandardScaler(), pruned), grid, cv=3).fit(X, y)
    best = search.best_estimator_[-1]
    assert len(best.estimators_) == best.get_params()["size"] * (6 if best.size == 0.5 else 1)
    assert search.best_score_ > 0.3


def test_cross_validation_of_a_frozen_ensemble(bagging):
    X, y = make_friedman1(60, random_state=9)
    frozen = PrunedEnsembleRegressor(FrozenEstimator(bagging), size=10)
    assert cross_val_score(frozen, X, y, cv=3).mean() > 0.5
    assert clone(frozen).fit(X, y).estimators_[0] in bagging.estimators_


def test_pruning_helps_on_new_rows():
    """Twenty of 100 bagged trees chosen out-of-bag beat twenty at random, on average over draws."""
    chosen, random = [], []
    for seed in range(3):
        X, y = make_friedman1(200, random_state=seed)
        X_test, y_test = make_friedman1(1000, random_state=100 + seed)
        bagging = BaggingRegressor(n_estimators=100, random_state=seed).fit(X, y)
        pruned = PrunedEnsembleRegressor(bagging, selection="oob").fit(X, y)
        chosen.append(np.mean(np.square(pruned.predict(X_test) - y_test)))
        first = np.mean([member.predict(X_test) for member in bagging.estimators_[:20]], axis=0)
        random.append(np.mean(np.square(first - y_test)))
    assert np.mean(chosen) < np.mean(random)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ensemble": GradientBoostingRegressor()}, "ensemble must be a bagging"),
        ({"ensemble": Ridge()}, "ensemble must be a bagging"),
        ({"ensemble": []}, "ensemble must be a bagging"),
        ({"ensemble": "forest"}, "ensemble must be a bagging"),
        ({"method": "best"}, "method must be one of 'ordered', 'sdp', 'exhaustive'"),
        ({"size": 9}, "size must be an integer from 1 to the 5 members"),
        ({"selection": "test"}, "selection must be one of 'auto', 'train', 'oob', 'holdout'"),
        ({"holdout_size": 1.0}, "holdout_size must be a share"),
        ({"random_state": "x"}, "random_state must be"),
        (
            {"ensemble": VotingRegressor([("a", Ridge()), ("b", Ridge(2))], weights=[1, 2])},
            "set weights=None",
        ),
        ({"ensemble": [Ridge()], "selection": "oob"}, 'selection="oob" needs members trained on samples'),
        ({"ensemble": ExtraTreesRegressor(3), "selection": "oob"}, "set bootstrap=True"),
    ],
)
def test_wrong_arguments_are_named(arguments, message, friedman):
    defaults = {"ensemble": BaggingRegressor(n_estimators=5)}
    with pytest.raises(ValueError, match=message):
        PrunedEnsembleRegressor(**{**defaults, **arguments}).fit(*friedman)


def test_other_errors_are_named(bagging, forest, friedman, waveform):
    X, y = friedman
    with pytest.raises(ValueError, match="needs the rows that the ensemble was trained on"):
        PrunedEnsembleRegressor(bagging, selection="oob").fit(X[:50], y[:50])
    X, y = waveform
    with pytest.raises(ValueError, match="voting must be one of 'auto', 'hard', 'soft'"):
        PrunedEnsembleClassifier(forest, voting="loud").fit(X, y)
    with pytest.raises(ValueError, match="y has classes other than 'drei', 'eins', 'zwei'"):
        PrunedEnsembleClassifier(forest).fit(X, np.where(y == "eins", "vier", y))
