"""Preprocessing in front of a machine becomes part of its portable form."""

import numpy as np
import pandas as pd
import pytest
from c_programs import compiled, needs_compiler, predicted
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

import pauca
from pauca.datasets import make_ripley
from pauca.export import CannotExport, Predictor, to_c
from pauca.export.preprocessing import portable_of
from pauca.machines.portable.columns import inputs_of
from pauca.tables import Columns

SCALERS = {
    "standard": make_pipeline(StandardScaler()),
    "two": make_pipeline(RobustScaler(), MinMaxScaler((-2, 3)), MaxAbsScaler()),
    "imputed": make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
    "imputed after scaling": make_pipeline(StandardScaler(), SimpleImputer(), MinMaxScaler()),
    "split": ColumnTransformer([("a", StandardScaler(), [1]), ("b", "passthrough", [0])]),
}


@pytest.mark.parametrize("name", SCALERS)
def test_scalers_and_imputers_are_folded(name):
    X, y = make_ripley(100, random_state=0)
    X = 30 * X + 100
    if "imputed" in name:
        X[::7, 1] = np.nan
    pipeline = make_pipeline(SCALERS[name], pauca.RVMClassifier()).fit(X, y)
    fast = Predictor(portable_of(pipeline))
    for rows in (X, X[:3]):
        np.testing.assert_allclose(fast.predict_proba(rows), pipeline.predict_proba(rows), atol=1e-10)


def table():
    """A frame of numbers with gaps, of common and rare texts, and classes that depend on both."""
    rng = np.random.default_rng(0)
    number = rng.normal(size=200)
    colour = rng.choice(["red", "green", "blue", "grey", "pink"], 200, p=[0.4, 0.3, 0.2, 0.06, 0.04])
    y = (number + (colour == "red") + 0.3 * rng.normal(size=200) > 0.5).astype(int)
    frame = pd.DataFrame({"number": number, "colour": colour.astype(object)})
    frame.loc[::11, "number"] = np.nan
    frame.loc[::13, "colour"] = np.nan
    return frame, y


def encoder():
    one_hot = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=4, sparse_output=False)
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["number"]),
            ("texts", make_pipeline(SimpleImputer(strategy="most_frequent"), one_hot), ["colour"]),
        ]
    )


@needs_compiler
def test_categories_are_codes_in_c(tmp_path):
    X, y = table()
    pipeline = make_pipeline(encoder(), pauca.RVMClassifier()).fit(X, y)
    form = portable_of(pipeline)
    levels = form.inputs.levels[1]
    assert levels == ("blue", "green", "red", "any other")
    codes = X["colour"].map(lambda text: levels.index(text) if text in levels else 3, na_action="ignore")
    rows = np.column_stack([X["number"], codes.astype(float)])
    found = predicted(compiled(to_c(pipeline), tmp_path), rows, 2)
    np.testing.assert_allclose(found, pipeline.predict_proba(X), atol=1e-9)


def test_texts_stay_texts_in_onnx():
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    X, y = table()
    pipeline = make_pipeline(encoder(), pauca.RVMClassifier()).fit(X, y)
    X.loc[0, "colour"] = "never seen"
    converted = pauca.export.to_onnx(pipeline)
    session = onnxruntime.InferenceSession(converted.SerializeToString(), providers=["CPUExecutionProvider"])
    texts = X[["colour"]].fillna("").to_numpy(dtype=object)
    feed = {"number": X[["number"]].to_numpy(dtype=np.float32), "colour": texts}
    found = session.run(["probabilities"], feed)[0]
    np.testing.assert_allclose(found, pipeline.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (MinMaxScaler(clip=True), "clip=False"),
        (SimpleImputer(add_indicator=True), "without indicators"),
        (OneHotEncoder(drop="first", sparse_output=False), "drop=None"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_steps_that_cannot_be_folded_say_so(step, reason):
    X, y = make_ripley(60, random_state=0)
    X = np.round(X)
    X[0, 0] = np.nan if isinstance(step, SimpleImputer) else 0
    pipeline = make_pipeline(step, pauca.RVMClassifier("linear")).fit(X, y)
    with pytest.raises(CannotExport, match=reason):
        to_c(pipeline)


def test_columns_of_tables_become_inputs(tmp_path):
    """Numbers with gaps and by ranks, and categories with rare levels, as the table's columns place them."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.lognormal(size=80), "b": rng.normal(3, 2, size=80)})
    frame["c"] = rng.choice(["x", "y", "z"], 80)
    frame.loc[0, "c"] = "once"
    frame.loc[5:9, "b"] = np.nan
    frame.loc[3, "c"] = None
    transforms = {"a": "rank-normal", "b": "plain"}
    columns = Columns.learned(frame, np.ones(80), transform=lambda cells: transforms[cells.name])
    inputs, centre, factor = inputs_of(columns)
    levels = inputs.levels[2]
    codes = [levels.index(cell) if cell in levels else len(levels) - 1 for cell in frame["c"]]
    rows = np.column_stack([frame["a"], frame["b"], codes])
    rows[3, 2] = np.nan
    rows[:2, 0] = [-4.0, 90.0]
    frame.loc[:1, "a"] = [-4.0, 90.0]
    np.testing.assert_allclose((inputs(rows) - centre) * factor, columns.place(frame), atol=1e-12)


@needs_compiler
def test_machines_of_tables_take_codes_in_c_and_texts_in_onnx(tmp_path):
    """A regressor fitted to a frame with gaps and texts, in Python, C and ONNX."""
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"a": rng.lognormal(size=120), "b": rng.normal(size=120)})
    frame["c"] = rng.choice(["x", "y", "z"], 120)
    y = np.log(frame["a"]) + (frame["c"] == "x") + 0.2 * rng.normal(size=120)
    frame.loc[::10, "b"] = np.nan
    machine = pauca.SparseGPRegressor().fit(frame, y)
    expected = np.column_stack(machine.predict(frame, return_std=True))
    form = portable_of(machine)
    levels = form.inputs.levels[2]
    rows = np.column_stack([frame["a"], frame["b"], [levels.index(cell) for cell in frame["c"]]])
    fast = Predictor(form)
    np.testing.assert_array_equal(fast.coded(frame), rows)
    assert fast.is_compiled
    for few in (rows, rows[:50]):
        found = np.column_stack(fast.predict(few, return_std=True))
        np.testing.assert_allclose(found, expected[: len(few)], rtol=1e-6)
    library = compiled(to_c(machine), tmp_path)
    np.testing.assert_allclose(predicted(library, rows, 2, function="model_predict"), expected, rtol=1e-6)
    session = onnxruntime.InferenceSession(
        pauca.export.to_onnx(machine, precision="double").SerializeToString(),
        providers=["CPUExecutionProvider"],
    )
    feed = {name: frame[[name]].to_numpy(dtype=object if name == "c" else float) for name in frame}
    np.testing.assert_allclose(np.hstack(session.run(None, feed)), expected, rtol=1e-6)
    assert "Columns" in machine.summary().sections["Data"]


@needs_compiler
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classifiers_of_tables_take_codes(n_classes, tmp_path):
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"a": rng.normal(size=90), "c": rng.choice(["x", "y", "z"], 90)})
    y = np.digitize(frame["a"] + (frame["c"] == "x") + 0.3 * rng.normal(size=90), [0.3, 1.0][: n_classes - 1])
    machine = pauca.SparseGPClassifier().fit(frame, y)
    expected, fast = machine.predict_proba(frame), machine.compiled()
    assert fast.is_compiled
    rows = fast.coded(frame)
    np.testing.assert_allclose(fast.predict_proba(rows[:40]), expected[:40], atol=1e-9)
    library = compiled(to_c(machine), tmp_path)
    np.testing.assert_allclose(predicted(library, rows, n_classes), expected, atol=1e-9)
    assert not machine.summary().sections["Model"]["Kernel"].endswith("gamma = ")


def test_codes_of_dates_truth_values_and_gaps():
    """Whatever the type of a column, coded rows are predicted as the rows of the frame."""
    rng = np.random.default_rng(5)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 90), unit="D")
    frame = pd.DataFrame(
        {"day": day, "yes": rng.random(90) < 0.5, "whole": pd.array(rng.integers(0, 5, 90), "Int64")}
    )
    frame["grade"] = pd.Categorical(rng.integers(1, 4, 90).astype(float))
    frame["text"] = pd.array(rng.choice(["a", "b"], 90), "string")
    whole, text = frame["whole"].to_numpy(float), np.array(frame["text"] == "a", dtype=float)
    y = frame["yes"].to_numpy(float) + whole / 3 + text + 0.1 * rng.normal(size=90)
    for place, name in enumerate(("day", "whole", "grade", "text")):
        frame.loc[place::9, name] = None
    machine = pauca.SparseGPRegressor("rbf", additive=False).fit(frame, y)
    fast = machine.compiled()
    np.testing.assert_allclose(fast.predict(fast.coded(frame)), machine.predict(frame), rtol=1e-9)
    shuffled = frame[["text", "grade", "whole", "yes", "day"]]
    np.testing.assert_array_equal(fast.coded(shuffled), fast.coded(frame))
