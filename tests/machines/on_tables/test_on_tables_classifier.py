"""SparseGPClassifier on tables with categories, dates and missing entries."""

import pickle

import numpy as np
import pandas as pd
import pytest

from pauca import SparseGPClassifier
from pauca.basis import Additive
from pauca.persistence import load, save


def table(n=160, seed=0):
    """Sizes with gaps and colours, and labels that depend on both."""
    rng = np.random.default_rng(seed)
    size, colour = rng.normal(size=n), rng.choice(["red", "green", "blue"], n)
    score = 2 * size + 2.5 * (colour == "red") - 1 + 0.5 * rng.normal(size=n)
    gaps = rng.random(n) < 0.15
    score[gaps] += 3 - 2 * size[gaps]
    X = pd.DataFrame({"size": np.where(gaps, np.nan, size), "colour": colour, "same": "x"})
    return X, np.where(score > 0, "yes", "no")


@pytest.fixture(scope="module")
def fitted():
    return SparseGPClassifier().fit(*table())


def test_categories_and_gaps_are_learned(fitted):
    X, y = table(seed=1)
    assert fitted.score(X, y) > 0.85
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)
    assert fitted.columns_["kind"].tolist() == ["number", "category", "constant"]
    assert fitted.feature_importances_[2] == 0
    assert fitted.relevance_vectors_.shape == (len(fitted.relevance_), 3)


def test_effects_sum_to_the_latent_mean(fitted):
    X, _ = table(seed=2)
    effects = fitted.effects(X)
    np.testing.assert_allclose(effects.contributions.sum(axis=1), fitted._latent(X)[0][:, 0], atol=1e-8)
    assert [part.name for part in fitted.explain(X[:1])][-1] == "constant"
    colour = effects.as_frame()["colour"].groupby(X["colour"]).mean()
    assert colour["red"] > max(colour["green"], colour["blue"])


def test_unseen_levels_and_saved_machines(fitted, tmp_path):
    X = table(seed=3)[0].assign(colour="purple")
    save(fitted, tmp_path / "machine")
    np.testing.assert_array_equal(load(tmp_path / "machine").predict_proba(X), fitted.predict_proba(X))


def test_many_classes():
    X, _ = table(120)
    y = X["colour"].where(X["size"].fillna(9) > 0, "small")
    machine = SparseGPClassifier().fit(X, y)
    assert machine.score(X, y) > 0.85
    effects = machine.effects(X, "small")
    latent = machine._latent(X)[0][:, machine.classes_.tolist().index("small")]
    np.testing.assert_allclose(effects.contributions.sum(axis=1), latent, atol=1e-8)
    with pytest.raises(ValueError, match="label must be one of the classes"):
        machine.effects(X)


def test_names_of_levels_do_not_matter(fitted):
    X, y = table()
    renamed = X.assign(colour=X["colour"].map({"red": "z", "green": "b", "blue": "m"}).astype("category"))
    other = SparseGPClassifier().fit(renamed, y)
    np.testing.assert_allclose(other.predict_proba(renamed), fitted.predict_proba(X), atol=1e-6)


@pytest.mark.slow
def test_numbers_in_blocks_after_a_table():
    X, y = table(60)
    machine = SparseGPClassifier(max_vectors=10).fit(X, y)
    rows = np.random.default_rng(0).normal(size=(20_000, 2))
    machine.fit(rows, rows[:, 0] > 0)
    assert machine.score(rows[:500], rows[:500, 0] > 0) > 0.9


def tails(n=150, seed=0):
    """Sizes with a heavy tail and plain ones, which the label depends on alike, as a frame."""
    rng = np.random.default_rng(seed)
    size, other = rng.normal(size=(2, n))
    X = pd.DataFrame({"price": np.exp(3 * size), "other": other})
    return X, size + other + 0.3 * rng.normal(size=n) > 0


@pytest.fixture(scope="module")
def fitted_to_tails():
    return SparseGPClassifier().fit(*tails())


def test_frames_of_numbers_get_transforms_and_effects(fitted_to_tails):
    X, _ = tails(seed=1)
    assert fitted_to_tails.columns_["transform"][0] == "rank-normal"
    latent = fitted_to_tails._latent(X)[0][:, 0]
    effects = fitted_to_tails.effects(X).contributions
    np.testing.assert_allclose(effects.sum(axis=1), latent, atol=1e-8)
    curve = fitted_to_tails.effect_curve("price")
    assert curve.entries[0] < 0.1  # in the units of the column
    assert curve.entries[-1] > 10
    assert curve.mean[-1] > curve.mean[0]


def test_monotone_transforms_change_little_by_ranks():
    X, y = tails(100)
    machines = [
        SparseGPClassifier(transforms="ranks", additive=False).fit(each, y)
        for each in (X, X.assign(price=np.log(X["price"])))
    ]
    p, q = (
        machine.predict_proba(each)
        for machine, each in zip(machines, (X, X.assign(price=np.log(X["price"]))), strict=True)
    )
    np.testing.assert_allclose(p, q, atol=0.02)  # between the points of a transform it is linear


def test_arrays_of_numbers_stay_plain_unless_asked():
    X, y = tails(80)
    rows = X.to_numpy()
    assert not hasattr(SparseGPClassifier().fit(rows, y), "columns_")
    machine = SparseGPClassifier(transforms="evidence", additive=False).fit(rows, y)
    assert machine.columns_["column"].tolist() == ["x0", "x1"]
    plain = SparseGPClassifier(transforms="plain").fit(X, y)
    np.testing.assert_array_equal(
        plain.predict_proba(X), SparseGPClassifier().fit(rows, y).predict_proba(rows)
    )
    with pytest.raises(ValueError, match="transforms must be"):
        SparseGPClassifier(transforms="logs").fit(X, y)


def test_frames_of_numbers_can_grow():
    X, y = tails(80)
    machine = SparseGPClassifier().partial_fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    assert machine.score(X, y) > 0.8
    assert machine.transforms == "auto"
    with pytest.raises(ValueError, match="transforms='plain'"):
        SparseGPClassifier(transforms="evidence").fit(X, y).update(X, y)


def test_effects_of_columns_have_sizes(fitted):
    sizes = fitted.columns_.set_index("column")["effect"]
    assert sizes["same"] == 0
    found = fitted.effects(table()[0]).as_frame()[["size", "colour"]]
    np.testing.assert_allclose(sizes[["size", "colour"]], np.sqrt(np.square(found).mean()), rtol=1e-6)


def test_many_classes_have_main_effects_if_asked():
    rng = np.random.default_rng(0)
    levels = rng.choice(list("abcd"), (400, 6))
    scores = np.stack([(levels == level).sum(axis=1) + rng.gumbel(size=400) for level in "abc"], axis=1)
    X, y = pd.DataFrame(levels, columns=list("uvwxyz")), scores.argmax(axis=1)
    machine = SparseGPClassifier("rbf", max_vectors=20, additive=True).fit(X[:300], y[:300])
    assert isinstance(machine.kernel_.parts[0], Additive)
    assert machine.score(X[300:], y[300:]) > 0.5
    effects = machine.effects(X, 2)
    np.testing.assert_allclose(effects.contributions.sum(axis=1), machine._latent(X)[0][:, 2], atol=1e-8)
    assert effects.as_frame()["u"].groupby(X["u"]).mean().idxmax() == "c"


def test_files_hold_vectors_once(fitted):
    state = fitted.__getstate__()
    assert state["_posteriors"][0]["vectors"] is None
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again._posteriors[0].vectors, fitted._posteriors[0].vectors)
    assert repr(again.relevance_vectors_.tolist()) == repr(fitted.relevance_vectors_.tolist())
