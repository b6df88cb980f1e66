"""Columns by kind: what they are recognised as, and where their cells are placed."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauca.basis import RBF, Laplacian
from pauca.tables import Columns, as_level, better_transforms, read_cells

N = 30


def learned(X, **options):
    return Columns.learned(X, np.ones(len(X)), **options)


def kinds(columns):
    return dict(zip(columns.records()["column"], columns.records()["kind"], strict=True))


def mixed_frame(n=N, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "count": rng.integers(0, 5, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "grade": pd.Categorical(rng.choice(["a", "b"], n)),
            "new": rng.random(n) < 0.5,
            "day": pd.date_range("2024-01-01", periods=n),
            "written": [f"2024-02-{1 + place % 28:02d}" for place in range(n)],
            "customer_id": np.arange(n) + 1000,
            "remark": [f"text {place}" for place in range(n)],
            "empty": [None] * n,
            "same": ["x"] * n,
        }
    )


def test_kinds_are_recognised():
    assert kinds(learned(mixed_frame())) == {
        "size": "number",
        "count": "number",
        "colour": "category",
        "grade": "category",
        "new": "category",
        "day": "date",
        "written": "date",
        "customer_id": "identifier",
        "remark": "identifier",
        "empty": "constant",
        "same": "constant",
    }


def test_polars_and_pandas_are_the_same():
    pl = pytest.importorskip("polars")
    frame = mixed_frame().drop(columns="empty")
    frame.loc[::4, "size"] = np.nan
    frame.loc[::5, "colour"] = None
    twin = pl.DataFrame(
        {
            name: [None if pd.isna(cell) else cell for cell in frame[name].astype(object).tolist()]
            for name in frame
        }
    ).with_columns(pl.col("grade").cast(pl.Enum(["b", "a", "unused"])))
    one, other = learned(frame), learned(twin)
    assert kinds(one) == kinds(other)
    np.testing.assert_array_equal(one.place(frame), other.place(twin))


def test_dates_are_days_since_1970():
    cells = [date(1970, 1, 2), datetime(1970, 1, 3, 12)]
    frames = [
        pd.DataFrame({"day": pd.Series(cells, dtype=object)}),
        pd.DataFrame({"day": pd.to_datetime(["1970-01-02T00:00", "1970-01-03T12:00"])}),
        pd.DataFrame({"day": ["1970-01-02", "1970-01-03T12:00"]}),
        pd.DataFrame({"day": ["1970-01-02T02:00+02:00", "1970-01-03T12:00Z"]}),
    ]
    for frame in frames:
        (column,) = read_cells(frame)
        assert column.kind == "date"
        np.testing.assert_allclose(column.values, [1.0, 2.5])


def test_levels_lie_equally_far_apart():
    X = pd.DataFrame({"c": ["a", "b", "c", "a", "b", "c", None, None]})
    placed = learned(X).place(X)
    distances = np.abs(placed[:, None] - placed).sum(axis=-1)
    same = np.array([[str(one) == str(other) for one in X["c"]] for other in X["c"]])
    np.testing.assert_array_equal(distances, 1.0 - same)


def test_a_category_is_its_one_hot_kernel():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"c": rng.choice(list("abcd"), N)})
    hot = pd.get_dummies(X["c"]).to_numpy(dtype=float)
    placed = learned(X).place(X)
    np.testing.assert_allclose(Laplacian(2.0)(placed, placed), Laplacian(1.0)(hot, hot))
    np.testing.assert_allclose(RBF(4.0)(placed, placed), RBF(1.0)(hot, hot))


@pytest.mark.parametrize("seed", range(3))
def test_names_order_and_unused_levels_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    levels = rng.choice(list("abcde"), N)
    renamed = np.array(list("vwxyz"))[np.array([list("dbeac").index(level) for level in levels])]
    frames = [
        pd.DataFrame({"c": pd.Categorical(levels)}),
        pd.DataFrame({"c": pd.Categorical(levels, categories=list("edcba"))}),
        pd.DataFrame({"c": pd.Categorical(levels, categories=list("abcdefg"))}),
        pd.DataFrame({"c": pd.Categorical(renamed)}),
        pd.DataFrame({"c": renamed.astype(object)}),
    ]
    placed = [learned(frame).place(frame) for frame in frames]
    for other in placed[1:]:
        np.testing.assert_array_equal(other, placed[0])


def test_the_rare_and_the_unseen_share_a_level():
    X = pd.DataFrame({"c": ["a"] * 5 + ["b"] * 5 + ["once"]})
    columns = learned(X)
    new = pd.DataFrame({"c": ["once", "never", None]})
    placed = columns.place(new)
    assert (placed == placed[0]).all()
    assert placed[0].argmax() == 2
    assert columns.columns[0].probabilities[2] == pytest.approx(1 / 11)


def test_unfamiliar_entries_are_named():
    X = pd.DataFrame({"c": ["a", "b"] * 5, "size": np.arange(10.0)})
    new = pd.DataFrame({"c": ["a", "z"], "size": [1.0, np.nan]})
    found = learned(X).unfamiliar(new)
    assert len(found) == 2
    assert "'z'" in found[0]
    assert "'size'" in found[1]
    assert learned(X).unfamiliar(X) == []


def test_ten_thousand_levels_are_bounded():
    rng = np.random.default_rng(0)
    zips = rng.integers(0, 10_000, 20_000).astype(str)
    X = pd.DataFrame({"zip": zips})
    columns = learned(X)
    assert kinds(columns) == {"zip": "category"}
    assert columns.place(X[:10]).shape[1] <= 52
    assert columns.records()["levels"][0] == len(set(zips))


def test_missing_is_a_level_of_its_own():
    X = pd.DataFrame({"size": [1.0, 2.0, np.nan, 4.0], "c": ["a", None, "a", None]})
    columns = learned(X)
    placed = columns.place(X)
    np.testing.assert_array_equal(placed[:, 1], [0, 0, 1, 0])
    assert columns.columns[1].levels == ("a", "missing", "rare or unseen")
    np.testing.assert_array_equal(columns.groups, [0, 0, 1, 1, 1])
    assert columns.records()["missing"] == [0.25, 0.5]


@pytest.mark.parametrize("transform", [np.exp, np.cbrt, lambda x: 5 - 1 / (6 + x)])
def test_ranks_do_not_see_monotone_transforms(transform):
    x = np.random.default_rng(0).normal(size=200)
    one, other = (learned(values[:, None], transform="rank-normal") for values in (x, transform(x)))
    np.testing.assert_allclose(one.place(x[:, None]), other.place(transform(x)[:, None]), atol=0.05)


@pytest.mark.parametrize("name", ["plain", "rank-normal"])
def test_transforms_are_standardised_and_undone(name):
    x = np.random.default_rng(1).exponential(size=(300, 1))
    columns = learned(x, transform=name)
    placed = columns.place(x)
    assert abs(placed.mean()) < 0.05
    assert abs(placed.std() - 1) < 0.05
    np.testing.assert_allclose(columns.columns[0].transform.inverse(placed), x)
    far = columns.columns[0].transform(np.array([-1e3, 1e3]))
    assert far[0] < -10
    assert far[1] > 10


def test_many_zeros_are_a_level():
    x = np.concatenate([np.zeros(90), np.linspace(0.001, 9, 10)])[:, None]
    placed = learned(x, transform="rank-normal").place(x)[:, 0]
    assert placed[90] - placed[0] > 2 * (placed[95] - placed[94])


def test_weights_are_repetitions():
    rng = np.random.default_rng(2)
    X = mixed_frame(20, 3)[["size", "colour", "grade"]]
    times = rng.integers(0, 4, 20)
    repeated = X.iloc[np.repeat(np.arange(20), times)]
    for transform in ("plain", "rank-normal"):
        weighted = Columns.learned(X, times.astype(float), transform=transform)
        np.testing.assert_allclose(
            weighted.place(X)[times > 1], learned(repeated, transform=transform).place(X)[times > 1]
        )


def test_heavy_tails_are_ranked_and_lines_are_not():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 2))
    y = np.where(x.sum(axis=1) + 0.5 * rng.normal(size=400) > 0, 1.0, -1.0)[:, None]
    x[:, 1] = np.exp(2 * x[:, 1])
    columns = learned(x, transform=better_transforms(y, np.ones(400)))
    assert columns.records()["transform"] == ["plain", "rank-normal"]


def test_categorical_features_as_in_histogram_boosting():
    X = np.column_stack([np.arange(N) % 3, np.arange(N) / 7])
    for given_as in ([True, False], [0], ["x0"]):
        assert kinds(learned(X, categorical=given_as)) == {"x0": "category", "x1": "number"}
    for wrong in (["size"], [2], [True], "all", 3.5):
        with pytest.raises(ValueError, match="categorical_features"):
            learned(X, categorical=wrong)
    with pytest.raises(ValueError, match="'c' holds 'red'"):
        learned(pd.DataFrame({"c": ["red", "green"]}), categorical=None)


def test_cells_that_cannot_be_used_are_named():
    with pytest.raises(ValueError, match="'strange' holds"):
        learned(pd.DataFrame({"strange": [[1], [2]]}))
    X = pd.DataFrame({"size": [1.0, 2.0], "day": pd.to_datetime(["2024-01-01", "2024-01-02"])})
    columns = learned(X)
    with pytest.raises(ValueError, match="'size' holds 'big', which is not a number"):
        columns.place(X.assign(size=["big", "small"]))
    with pytest.raises(ValueError, match="'day' holds 'soon', which is not a date"):
        columns.place(X.assign(day=["soon", "later"]))


def test_levels_are_the_same_whatever_their_type():
    assert [as_level(cell) for cell in (1, 1.0, "1", True, "TRUE", 1.5, np.float32(2))] == [
        *("1", "1", "1", "True", "True", "1.5", "2")
    ]
    X = pd.DataFrame({"c": pd.Series([1, "1", 1.0, "two", "two", None], dtype=object)})
    assert learned(X).columns[0].known == ["1", "two"]


def numbers_of(X):
    return [column for column in read_cells(X) if column.kind == "number"]


cells = st.one_of(
    st.none(), st.floats(), st.integers(-3, 3), st.booleans(), st.sampled_from(["a", "b", "c", "2024-01-01"])
)


@given(st.lists(st.tuples(cells, cells, cells), min_size=2, max_size=30))
@settings(max_examples=60)
def test_any_frame_is_placed_or_named(rows):
    X = pd.DataFrame(rows, columns=["one", "two", "three"], dtype=object)
    for transform in ("plain", "rank-normal"):
        if any((np.abs(column.values.astype(float)) > 1e100).any() for column in numbers_of(X)):
            with pytest.raises(ValueError, match=r"column '(one|two|three)' holds numbers beyond"):
                learned(X, transform=transform)
            return
        columns = learned(X, transform=transform)
        placed = columns.place(X)
        assert placed.shape == (len(rows), len(columns.groups))
        assert np.isfinite(placed).all()
        for measure in columns.measures:
            assert measure.probabilities.sum() == pytest.approx(1)
            assert measure.points.shape == (len(measure.probabilities), len(measure.places))
