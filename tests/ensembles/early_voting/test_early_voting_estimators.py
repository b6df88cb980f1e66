"""Predictions of the whole ensemble from a part of it."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binom
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import pauca
from pauca import InstancePrunedClassifier
from pauca.datasets import make_ringnorm, make_twonorm


@pytest.fixture(scope="module")
def twonorm():
    X, y = make_twonorm(3300, random_state=0)
    return X[:300], y[:300], X[300:]


@pytest.fixture(scope="module")
def forest(twonorm):
    return RandomForestClassifier(101, random_state=0).fit(*twonorm[:2])


def full_vote(ensemble, X):
    votes = np.stack([tree.predict(X) for tree in ensemble.estimators_]).astype(int)
    counts = [(votes == place).sum(axis=0) for place in range(len(ensemble.classes_))]
    return ensemble.classes_[np.argmax(counts, axis=0)]


def rarely(disagree, risk):
    """Whether the number of disagreements is compatible with a probability of ``risk`` each."""
    return np.count_nonzero(disagree) <= binom.isf(1e-4, len(disagree), risk)


@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_votes_agree_as_often_as_wanted(twonorm, forest, confidence):
    X = twonorm[2]
    labels, queries = InstancePrunedClassifier(forest, confidence, random_state=0).predict(
        X, return_queries=True
    )
    assert rarely(labels != full_vote(forest, X), 1 - confidence)
    assert queries.max() <= 101
    assert queries.mean() < 25


@pytest.mark.parametrize("leaf", [5, 20])
@pytest.mark.parametrize("seed", range(3))
def test_means_agree_as_often_as_wanted(leaf, seed):
    X, y = make_ringnorm(2300, random_state=seed)
    forest = RandomForestClassifier(101, min_samples_leaf=leaf, random_state=seed).fit(X[:300], y[:300])
    pruned = InstancePrunedClassifier(forest, 0.98, random_state=seed)
    labels, queries = pruned.predict(X[300:], return_queries=True)
    assert pruned.voting_ == "soft"
    assert rarely(labels != forest.predict(X[300:]), 0.02)
    assert queries.mean() < 60


@pytest.mark.parametrize("load", [load_iris, load_digits])
@pytest.mark.parametrize("leaf", [1, 5])
def test_several_classes_agree_as_often_as_wanted(load, leaf):
    X, y = load(return_X_y=True)
    forest = RandomForestClassifier(101, min_samples_leaf=leaf, random_state=0).fit(X[::2], y[::2])
    pruned = InstancePrunedClassifier(forest, 0.95, random_state=0)
    labels, queries = pruned.predict(X[1::2], return_queries=True)
    whole = full_vote(forest, X[1::2]) if pruned.voting_ == "hard" else forest.predict(X[1::2])
    assert rarely(labels != whole, 0.05)
    assert queries.mean() < 60


@pytest.mark.parametrize("n_members", [100, 101])
@pytest.mark.parametrize("leaf", [1, 4])
def test_certainty_never_disagrees(twonorm, n_members, leaf):
    X, y, X_test = twonorm
    forest = RandomForestClassifier(n_members, min_samples_leaf=leaf, random_state=0).fit(X, y)
    labels, queries = InstancePrunedClassifier(forest, 1.0).predict(X_test, return_queries=True)
    np.testing.assert_array_equal(labels, forest.predict(X_test))
    assert queries.min() >= n_members // 2
    assert queries.mean() < n_members


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_both_engines_and_single_rows_give_the_same(twonorm, forest, voting):
    X = twonorm[2][:300]
    options = {"voting": voting, "random_state": 3}
    compiled = InstancePrunedClassifier(forest, **options)
    labels, queries = compiled.predict(X, return_queries=True)
    for other in (
        InstancePrunedClassifier(forest, engine="members", **options).predict(X, return_queries=True),
        InstancePrunedClassifier(forest, n_jobs=2, **options).predict(X, return_queries=True),
        [np.concatenate(part) for part in zip(*(compiled.predict(x[None], True) for x in X), strict=True)],
    ):
        np.testing.assert_array_equal(other[0], labels)
        np.testing.assert_array_equal(other[1], queries)


@pytest.mark.parametrize(
    ("member", "voting"),
    [(LogisticRegression(), "soft"), (GaussianNB(), "soft"), (RidgeClassifier(), "hard")],
)
def test_members_of_any_kind(twonorm, member, voting):
    X, y, X_test = twonorm
    bagging = BaggingClassifier(member, 41, max_samples=0.1, max_features=0.5, random_state=0).fit(X, y)
    pruned = InstancePrunedClassifier(bagging, random_state=0)
    labels, queries = pruned.predict(X_test, return_queries=True)
    assert pruned.voting_ == voting
    assert rarely(labels != bagging.predict(X_test), 0.01)
    assert queries.mean() < 30


def test_shares_are_those_of_the_whole_within_their_uncertainty(twonorm, forest):
    X = twonorm[2]
    pruned = InstancePrunedClassifier(forest, random_state=0)
    shares, std = pruned.predict_proba(X, return_std=True)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(pruned.classes_[shares.argmax(axis=1)], pruned.predict(X))
    partly = std[:, 0] > 0
    scores = (forest.predict_proba(X) - shares)[partly] / std[partly]
    assert 0.7 < np.sqrt(np.mean(scores**2)) < 1.3
    # Shares of rows on which all members were evaluated are exact.
    nearly_certain = InstancePrunedClassifier(forest, 1 - 1e-9, random_state=0)
    shares, std = nearly_certain.predict_proba(X, return_std=True)
    complete = nearly_certain.predict(X, return_queries=True)[1] == 101
    np.testing.assert_allclose(shares[complete], forest.predict_proba(X)[complete])
    assert not std[complete].any()


def test_expected_queries_from_out_of_bag_votes(twonorm):
    X, y, X_test = twonorm
    pruned = InstancePrunedClassifier(RandomForestClassifier(101, random_state=0), random_state=0).fit(X, y)
    queries = pruned.predict(X_test, return_queries=True)[1]
    assert pruned.expected_queries_ == pytest.approx(queries.mean(), rel=0.2)
    unbagged = InstancePrunedClassifier(ExtraTreesClassifier(5)).fit(X, y)
    assert np.isnan(unbagged.expected_queries_)


def test_labels_keep_their_type(twonorm):
    X, y, X_test = twonorm
    for names in (np.array(["no", "yes"]), np.array([False, True]), np.array([-1, 7])):
        forest = RandomForestClassifier(25, random_state=0).fit(X, names[y])
        pruned = InstancePrunedClassifier(forest, random_state=0)
        assert pruned.predict(X_test).dtype == pruned.predict(X_test[:1]).dtype == names.dtype
        assert pruned.predict(X_test[0:1])[0] == pruned.predict(X_test)[0]


def test_missing_values_where_the_forest_takes_them(twonorm):
    X, y, X_test = (part.copy() for part in twonorm)
    X[::3, 2], X_test[::4, 5] = np.nan, np.nan
    forest = RandomForestClassifier(51, random_state=0).fit(X, y)
    pruned = InstancePrunedClassifier(forest, 1.0)
    np.testing.assert_array_equal(pruned.predict(X_test), forest.predict(X_test))
    np.testing.assert_array_equal(pruned.predict(X_test[:1]), forest.predict(X_test[:1]))
    extra = InstancePrunedClassifier(BaggingClassifier(ExtraTreesClassifier(2), 5, random_state=0)).fit(X, y)
    assert extra.predict(X_test).shape == (len(X_test),)


@pytest.mark.parametrize("engine", ["compiled", "members"])
def test_sparse_rows(twonorm, forest, engine):
    X = np.where(twonorm[2] > 0, twonorm[2], 0)
    pruned = InstancePrunedClassifier(forest, engine=engine, random_state=0)
    np.testing.assert_array_equal(pruned.predict(sparse.csr_array(X)), pruned.predict(X))
    np.testing.assert_array_equal(pruned.predict_proba(sparse.csr_array(X)), pruned.predict_proba(X))


def test_frames_with_column_names(twonorm):
    pandas = pytest.importorskip("pandas")
    X, y, X_test = (pandas.DataFrame(part) if part.ndim == 2 else part for part in twonorm)
    X.columns = X_test.columns = [f"x{place}" for place in range(20)]
    pruned = InstancePrunedClassifier(RandomForestClassifier(11), random_state=0).fit(X, y)
    assert list(pruned.feature_names_in_) == list(X.columns)
    assert pruned.predict(X_test).shape == (3000,)
    with pytest.raises(ValueError, match="feature names"):
        pruned.predict(X_test[X.columns[::-1]])
    with pytest.warns(UserWarning, match="feature names"):
        pruned.predict(X_test.to_numpy()[:1])


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_a_single_row_is_checked(twonorm, forest, bad):
    row = twonorm[2][:1].copy()
    row[0, 3] = bad
    bagging = BaggingClassifier(GaussianNB(), 5, random_state=0).fit(*twonorm[:2])
    pruned = InstancePrunedClassifier(forest)
    pruned.predict(twonorm[2][:1])
    if np.isnan(bad):
        np.testing.assert_array_equal(InstancePrunedClassifier(forest, 1.0).predict(row), forest.predict(row))
        pruned = InstancePrunedClassifier(bagging)
    with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
        pruned.predict(row)


def test_a_single_row_of_another_shape_or_type(twonorm, forest):
    pruned, X = InstancePrunedClassifier(forest, random_state=0), twonorm[2]
    expected = pruned.predict(X)[:1]
    with pytest.raises(ValueError, match="X has 19 features"):
        pruned.predict(X[:1, 1:])
    with pytest.raises(ValueError, match="Expected 2D array"):
        pruned.predict(X[0])
    for row in (X[:1].tolist(), X[:1].astype(np.float32), np.asfortranarray(X[:5])[:1], X[:1].astype(object)):
        np.testing.assert_array_equal(pruned.predict(row), expected)


def test_confidence_may_change_after_fitting(twonorm, forest):
    pruned, X = InstancePrunedClassifier(forest, 0.9, random_state=0), twonorm[2]
    few = pruned.predict(X[:9], return_queries=True)[1]
    pruned.set_params(confidence=0.999)
    many = pruned.predict(X[:9], return_queries=True)[1]
    assert (many >= few).all()
    assert many.sum() > few.sum()
    assert pruned.predict(X[:1], return_queries=True)[1] == many[0]


def test_a_refitted_ensemble_is_noticed(twonorm):
    X, y, X_test = twonorm
    forest = RandomForestClassifier(21, random_state=0).fit(X, y)
    pruned = InstancePrunedClassifier(forest, 1.0)
    pruned.predict(X_test)
    forest.fit(X, 1 - y)
    np.testing.assert_array_equal(pruned.predict(X_test[:1]), forest.predict(X_test[:1]))
    np.testing.assert_array_equal(pruned.predict(X_test), forest.predict(X_test))


def test_threads_share_a_model(twonorm, forest):
    pruned, X = InstancePrunedClassifier(forest, n_jobs=2, random_state=0), twonorm[2]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: pruned.predict(X, return_queries=True), range(16)))
    expected = InstancePrunedClassifier(forest, random_state=0).predict(X, return_queries=True)
    for labels, queries in results:
        np.testing.assert_array_equal(labels, expected[0])
        np.testing.assert_array_equal(queries, expected[1])


@pytest.mark.parametrize("prefit", [True, False])
def test_pickles_are_small_and_answer_alike(twonorm, forest, prefit):
    X, y, X_test = twonorm
    pruned = InstancePrunedClassifier(forest, random_state=0)
    if not prefit:
        pruned.fit(X, y)
    expected = pruned.predict(X_test, return_queries=True)
    dumped = pickle.dumps(pruned)
    assert len(dumped) < (1.1 if prefit else 2.2) * len(pickle.dumps(forest))
    for got, want in zip(pickle.loads(dumped).predict(X_test, return_queries=True), expected, strict=True):
        np.testing.assert_array_equal(got, want)


def test_saved_models_answer_alike(twonorm, tmp_path):
    pytest.importorskip("skops")
    X, y, X_test = twonorm
    pruned = InstancePrunedClassifier(RandomForestClassifier(11), random_state=0).fit(X, y)
    pauca.save(pruned, tmp_path / "forest.skops")
    loaded = pauca.load(tmp_path / "forest.skops")
    np.testing.assert_array_equal(loaded.predict(X_test), pruned.predict(X_test))


def test_seed_makes_the_fit_repeatable(twonorm):
    X, y, X_test = twonorm
    first, second = (
        InstancePrunedClassifier(RandomForestClassifier(11), random_state=5).fit(X, y) for _ in range(2)
    )
    np.testing.assert_array_equal(first.predict_proba(X_test), second.predict_proba(X_test))


def test_weights_reach_the_ensemble(twonorm):
    X, y, X_test = twonorm
    pruned = InstancePrunedClassifier(RandomForestClassifier(11), random_state=0)
    pruned.fit(X, y, sample_weight=np.where(y == 0, 1.0, 0.0))
    assert pruned.predict(X_test).mean() < 0.2


@pytest.mark.parametrize(
    ("ensemble", "message"),
    [
        (RandomForestRegressor(3), "ensemble must be a .*BaggingClassifier.*got RandomForestRegressor"),
        (AdaBoostClassifier(), "members vote with equal weight; got AdaBoostClassifier"),
        (GaussianNB(), "got GaussianNB"),
    ],
)
def test_other_ensembles_are_refused(twonorm, ensemble, message):
    with pytest.raises(ValueError, match=message):
        InstancePrunedClassifier(ensemble).fit(*twonorm[:2])
    with pytest.raises(ValueError, match=message):
        InstancePrunedClassifier(ensemble.fit(*twonorm[:2])).predict(twonorm[2])


def test_unfitted_ensembles_and_members_are_named(twonorm):
    X, y, X_test = twonorm
    pruned = InstancePrunedClassifier(RandomForestClassifier())
    with pytest.raises(NotFittedError, match="neither is its ensemble"):
        pruned.predict(X_test)
    assert not hasattr(pruned, "classes_")
    bagging = BaggingClassifier(GaussianNB(), 3).fit(X, y)
    bagging.estimators_[1] = GaussianNB()
    with pytest.raises(NotFittedError, match="Member 1 of ensemble, a GaussianNB, is not fitted"):
        InstancePrunedClassifier(bagging).predict(X_test)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 0.4}, "confidence must be"),
        ({"voting": "loud"}, "voting must be one of 'auto', 'hard', 'soft'; got 'loud'"),
        ({"engine": 3}, "engine must be one of"),
    ],
)
def test_wrong_options_are_named(twonorm, options, message):
    with pytest.raises(ValueError, match=message):
        InstancePrunedClassifier(RandomForestClassifier(3), **options).fit(*twonorm[:2])


def test_what_members_cannot_do_is_said(twonorm):
    X, y, _ = twonorm
    with pytest.raises(ValueError, match='engine="compiled" needs decision trees'):
        InstancePrunedClassifier(BaggingClassifier(GaussianNB(), 3), engine="compiled").fit(X, y)
    with pytest.raises(ValueError, match='voting="soft" needs members with predict_proba'):
        InstancePrunedClassifier(BaggingClassifier(RidgeClassifier(), 3), voting="soft").fit(X, y)
    with pytest.raises(ValueError, match="one output"):
        InstancePrunedClassifier(RandomForestClassifier(3)).fit(X, np.column_stack([y, y]))
