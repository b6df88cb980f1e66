"""Machines on extreme columns: thousands of levels, nothing but gaps, one level, cells of mixed types."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import get_tags

from pauca import SparseGPClassifier, SparseGPRegressor


def sizes(n=60, seed=0):
    """One column of numbers, and a target that follows it."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"size": rng.normal(size=n)})
    return X, X["size"].to_numpy() + 0.1 * rng.normal(size=n)


def test_ten_thousand_levels_cost_little():
    X, y = sizes(20_002)
    X["zip"] = [f"zip {place % 10_001}" for place in range(len(X))]
    machine = SparseGPRegressor("rbf", max_vectors=5, max_candidates=20, additive=False).fit(X, y)
    columns = machine.columns_.set_index("column")
    assert columns.loc["zip", ["kind", "levels"]].tolist() == ["category", 10_001]
    assert machine.score(X[:500], y[:500]) > 0.9
    assert len(pickle.dumps(machine)) < 200_000


@pytest.mark.parametrize("Machine", [SparseGPClassifier, SparseGPRegressor])
def test_gaps_are_allowed_and_infinite_entries_of_arrays_are_not(Machine):
    X, y = sizes(30)
    rows, y = X.to_numpy().copy(), y > 0
    assert get_tags(Machine()).input_tags.allow_nan
    rows[::5] = np.nan
    machine = Machine("rbf").fit(rows, y)
    assert machine.columns_["missing"][0] == pytest.approx(0.2)
    assert np.isfinite(machine.predict(rows)).all()
    rows[0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        Machine("rbf").fit(rows, y)


@pytest.mark.parametrize(("Machine", "is_class"), [(SparseGPClassifier, True), (SparseGPRegressor, False)])
def test_empty_columns_and_single_levels_change_nothing(Machine, is_class):
    X, y = sizes()
    y = y > 0 if is_class else y
    idle = X.assign(empty=np.nan, nothing=None, one="x")
    machine = Machine("rbf").fit(idle, y)
    kinds = machine.columns_.set_index("column")["kind"]
    assert kinds.to_dict() == {
        "size": "number",
        **dict.fromkeys(("empty", "nothing", "one"), "constant"),
    }
    np.testing.assert_allclose(machine.predict(idle), Machine("rbf").fit(X, y).predict(X), atol=1e-8)
    filled = idle.assign(empty=1.0, nothing="now", one="y")
    np.testing.assert_array_equal(machine.predict(filled), machine.predict(idle))


def test_cells_of_mixed_types_are_levels():
    X, y = sizes()
    codes = np.arange(len(X)) % 3
    y = y + 2.0 * (codes == 1)
    mixed, text = (
        X.assign(code=pd.Series([levels[code] for code in codes], dtype=object))
        for levels in ([1, "two", True], ["1", "two", "True"])
    )
    machine = SparseGPRegressor("rbf").fit(mixed, y)
    assert machine.columns_["kind"].tolist() == ["number", "category"]
    np.testing.assert_array_equal(machine.predict(text), machine.predict(mixed))


def test_order_of_levels_and_unused_ones_do_not_matter():
    X, y = sizes()
    levels = np.array(list("abc"))[np.arange(len(X)) % 3]
    y = y + 2.0 * (levels == "b")
    predicted = [
        SparseGPRegressor("rbf").fit(frame, y).predict(frame)
        for frame in (
            X.assign(level=pd.Categorical(levels, order)) for order in map(list, ("abc", "cba", "zcyabx"))
        )
    ]
    np.testing.assert_array_equal(predicted[1], predicted[0])
    np.testing.assert_array_equal(predicted[2], predicted[0])
