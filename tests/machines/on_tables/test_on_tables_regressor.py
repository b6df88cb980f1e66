"""SparseGPRegressor on tables with categories, dates and missing entries."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score

from pauca import SparseGPRegressor
from pauca.persistence import load, save


def table(n=120, seed=0):
    """Sizes with gaps, colours and days, and a target that depends on all of them."""
    rng = np.random.default_rng(seed)
    size, colour = rng.normal(size=n), rng.choice(["red", "green", "blue"], n)
    X = pd.DataFrame(
        {
            "size": size,
            "colour": colour,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
            "id": [f"row {place}" for place in range(n)],
        }
    )
    level = pd.Series(colour).map({"red": 1.0, "green": -1.0, "blue": 0.0}).to_numpy()
    y = np.sin(2 * size) + level + 0.1 * rng.normal(size=n)
    gaps = rng.random(n) < 0.15
    y[gaps] += 2 - np.sin(2 * size[gaps])
    X.loc[gaps, "size"] = np.nan
    return X, y


@pytest.fixture(scope="module")
def fitted():
    X, y = table()
    return SparseGPRegressor().fit(X, y)


def test_categories_gaps_and_dates_are_learned(fitted):
    X, y = table(seed=1)
    mean, std = fitted.predict(X, return_std=True)
    assert r2_score(y, mean) > 0.9
    assert np.isfinite(std).all()
    assert np.mean(np.abs(y - mean) < 3 * std) > 0.95


def test_columns_say_what_was_decided(fitted):
    frame = fitted.columns_.set_index("column")
    assert frame["kind"].to_dict() == {
        "size": "number",
        "colour": "category",
        "day": "date",
        "id": "identifier",
    }
    assert frame.loc["id", "scale"] == 0
    assert frame.loc["size", "missing"] > 0
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    assert fitted.feature_importances_[:2].sum() > 0.8
    assert fitted.n_features_in_ == 4
    assert fitted.relevance_vectors_.shape == (len(fitted.relevance_), 4)


def test_effects_sum_to_the_prediction(fitted):
    X, _ = table(seed=2)
    effects = fitted.effects(X)
    np.testing.assert_allclose(effects.contributions.sum(axis=1), fitted.predict(X), rtol=1e-8, atol=1e-8)
    assert effects.names[:4] == ("constant", "size", "colour", "day")
    assert effects.names[-1] == "interactions"
    assert (effects.std >= 0).all()
    frame = effects.as_frame()
    colour = frame["colour"].groupby(X["colour"]).mean()
    assert colour["red"] - colour["green"] == pytest.approx(2, abs=0.3)
    missing = frame["size"][X["size"].isna()].mean() - frame["size"][X["size"].notna()].mean()
    assert missing == pytest.approx(2, abs=0.5)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "matern52"])
@pytest.mark.parametrize("additive", [True, False])
def test_effects_sum_for_every_structure(kernel, additive):
    X, y = table(60)
    machine = SparseGPRegressor(kernel, additive=additive).fit(X, y)
    effects = machine.effects(X)
    np.testing.assert_allclose(effects.contributions.sum(axis=1), machine.predict(X), rtol=1e-8, atol=1e-8)


def test_explain_orders_the_contributions(fitted):
    X, _ = table(seed=3)
    found = fitted.explain(X[:1])
    sizes = [abs(part.contribution) for part in found[:-1]]
    assert sizes == sorted(sizes, reverse=True)
    assert found[-1].name == "constant"
    assert sum(part.contribution for part in found) == pytest.approx(fitted.predict(X[:1])[0])
    with pytest.raises(ValueError, match="row must be one row"):
        fitted.explain(X[:2])


def test_unseen_levels_return_to_the_constant_level(fitted):
    X, _ = table(seed=4)
    unseen = X.assign(colour="purple")
    assert np.isfinite(fitted.predict(unseen)).all()
    std = fitted.predict(unseen, return_std=True)[1]
    assert std.mean() > fitted.predict(X, return_std=True)[1].mean()


def test_unseen_gaps_are_said():
    X, y = table()
    machine = SparseGPRegressor().fit(X.dropna(), y[X["size"].notna()])
    with pytest.warns(UserWarning, match="'size' has missing entries, of which training had none"):
        machine.predict(X)


def test_names_of_levels_do_not_matter(fitted):
    X, y = table()
    renamed = X.assign(colour=pd.Categorical(X["colour"].map({"red": "z", "green": "b", "blue": "m"})))
    other = SparseGPRegressor().fit(renamed, y)
    np.testing.assert_allclose(other.predict(renamed), fitted.predict(X), rtol=1e-6)


def test_polars_gives_the_same(fitted):
    pl = pytest.importorskip("polars")
    X, y = table()
    frame = pl.DataFrame(
        {name: [None if pd.isna(cell) else cell for cell in X[name].astype(object).tolist()] for name in X}
    )
    np.testing.assert_allclose(SparseGPRegressor().fit(frame, y).predict(frame), fitted.predict(X))


def test_arrays_with_gaps_and_marked_categories():
    X, y = table()
    codes = X["colour"].astype("category").cat.codes.to_numpy()
    rows = np.column_stack([X["size"], codes])
    machine = SparseGPRegressor(categorical_features=[1]).fit(rows, y)
    assert machine.columns_["kind"].tolist() == ["number", "category"]
    assert r2_score(y, machine.predict(rows)) > 0.9
    mixed = np.column_stack([X["size"].astype(object), X["colour"]])
    other = SparseGPRegressor().fit(mixed, y)
    np.testing.assert_allclose(other.predict(mixed), machine.predict(rows), rtol=1e-6)


def test_a_saved_machine_predicts_the_same_frame(fitted, tmp_path):
    X, _ = table(seed=5)
    save(fitted, tmp_path / "machine")
    again = load(tmp_path / "machine")
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    pd.testing.assert_frame_equal(again.columns_, fitted.columns_)
    np.testing.assert_array_equal(again.effects(X).contributions, fitted.effects(X).contributions)


def test_weights_are_repetitions():
    X, y = table(50)
    times = np.random.default_rng(0).integers(1, 4, 50)
    places = np.repeat(np.arange(50), times)
    machine = SparseGPRegressor("rbf", additive=False).fit(X, y, sample_weight=times)
    repeated = clone(machine).fit(X.iloc[places], y[places])
    np.testing.assert_allclose(repeated.predict(X), machine.predict(X), atol=0.05)


def test_wrong_tables_are_named(fitted):
    X, y = table()
    with pytest.raises(ValueError, match="'size' holds 'big'"):
        fitted.predict(X.assign(size="big"))
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(X.rename(columns={"size": "length"}))
    with pytest.raises(ValueError, match="no column to learn from"):
        SparseGPRegressor().fit(X[["id"]], y)
    with pytest.raises(ValueError, match="additive must be"):
        SparseGPRegressor(additive="always").fit(X, y)
    with pytest.raises(ValueError, match="updated with new rows of plain numbers only"):
        SparseGPRegressor("rbf", additive=False).fit(X, y).update(X, y)
    numbers = SparseGPRegressor().fit(np.random.default_rng(0).normal(size=(20, 2)), y[:20])
    with pytest.raises(ValueError, match="additive=True"):
        numbers.effects(np.zeros((1, 2)))
    with pytest.raises(AttributeError, match="columns_ exists for tables"):
        _ = numbers.columns_
