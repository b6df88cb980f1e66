"""C files say what the machines say, without a warning, a leak or an overflow."""

import re
import subprocess
from ctypes import c_char_p as _text
from ctypes import c_double as _double
from ctypes import c_void_p as _pointer

import numpy as np
import pytest
from c_programs import COMPILER, compiled, needs_compiler, predicted
from exported_machines import NAMES, fitted, predictions
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier

import pauca
from pauca.datasets import make_ripley, make_twonorm
from pauca.export import CannotExport, c_bytes, to_c

TOLERANCE = {"double": {"atol": 1e-9, "rtol": 1e-6}, "float": {"atol": 2e-6, "rtol": 2e-6}}


def function_of(machine):
    return "model_predict_proba" if hasattr(machine, "predict_proba") else "model_predict"


@needs_compiler
@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("name", NAMES)
def test_c_predicts_what_the_machine_predicts(name, precision, tmp_path):
    machine, X = fitted(name)
    X = X.astype(np.float32).astype(float)
    expected = predictions(machine, X)
    library = compiled(to_c(machine, precision=precision), tmp_path)
    found = predicted(library, X, expected.shape[1], precision, function_of(machine))
    np.testing.assert_allclose(found, expected, **TOLERANCE[precision])


@needs_compiler
@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("name", ["sparse gp, three classes", "sparse gp regressor", "rvm, four classes"])
def test_thousands_of_rows(name, precision, tmp_path):
    machine, rows = fitted(name)
    rng = np.random.default_rng(4)
    X = rows.mean(axis=0) + rows[:150].std(axis=0) * rng.normal(size=(5000, rows.shape[1]))
    X = X.astype(np.float32).astype(float)
    library, expected = compiled(to_c(machine, precision=precision), tmp_path), predictions(machine, X)
    found = predicted(library, X, expected.shape[1], precision, function_of(machine))
    np.testing.assert_allclose(found, expected, **TOLERANCE[precision])


FORESTS = {
    "votes of two": (RandomForestClassifier(41, random_state=0), 2, 0.99),
    "votes of three": (RandomForestClassifier(41, random_state=0), 3, 0.95),
    "means of two": (ExtraTreesClassifier(40, min_samples_leaf=5, random_state=0), 2, 0.95),
    "means of three": (RandomForestClassifier(40, min_samples_leaf=5, random_state=0), 3, 0.95),
    "some features": (BaggingClassifier(n_estimators=30, max_features=0.5, random_state=0), 2, 0.9),
    "to the end": (RandomForestClassifier(21, random_state=0), 2, 1),
}


@needs_compiler
@pytest.mark.parametrize("name", FORESTS)
def test_early_voting_stops_in_c_where_it_stops_in_python(name, tmp_path):
    forest, n_classes, confidence = FORESTS[name]
    X, y = make_twonorm(500, random_state=0)
    y = np.digitize(X[:, 0] + X[:, 1], [0] if n_classes == 2 else [-1, 1])
    X = X.astype(np.float32)
    fast = pauca.InstancePrunedClassifier(forest.fit(X[:200], y[:200]), confidence, random_state=0)
    library = compiled(to_c(fast, precision="float"), tmp_path)
    found = predicted(library, X, n_classes, "float")
    np.testing.assert_allclose(found, fast.predict_proba(X), atol=1e-6)
    labels, queries = fast.predict(X, return_queries=True)
    assert (called(library, "model_trees", X) == queries).all()
    assert (called(library, "model_predict", X) == labels).all()
    assert len(np.unique(queries)) > 2 or name == "to the end"


@needs_compiler
@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_pruned_ensembles_of_trees_evaluate_all_members(voting, tmp_path):
    X, y = make_ripley(200, random_state=0)
    X = X.astype(np.float32).astype(float)
    forest = RandomForestClassifier(20, min_samples_leaf=4, random_state=0)
    pruned = pauca.PrunedEnsembleClassifier(forest, size=7, voting=voting, random_state=0).fit(X, y)
    found = predicted(compiled(to_c(pruned), tmp_path), X, 2)
    np.testing.assert_allclose(found, pruned.predict_proba(X), atol=1e-12)


def called(library, function, X):
    """Numbers that a function of one row returns."""
    call = getattr(library, function)
    return np.array([call(row.ctypes.data_as(_pointer)) for row in np.ascontiguousarray(X)])


HOSTILE = [
    '"; system("true"); //',
    "*/ #include <stdlib.h> /*",
    "??/??=",
    "line\nbreak\\",
    "\x00 null",
    "ünïcödé 日本",
    "%s%n",
]


@needs_compiler
def test_hostile_names_of_classes_and_features_do_not_reach_the_code(tmp_path):
    """Labels come back byte for byte; no name of a feature is in the file."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X, _ = make_ripley(140, random_state=0)
    y = np.array([HOSTILE[place % 7] for place in range(140)], dtype=object)
    frame = pandas.DataFrame(X, columns=["*/ evil();", "a\nb"])
    machine = pauca.RVMClassifier(gamma=1.0).fit(frame, y)
    code = to_c(machine)
    assert code.isascii()
    assert "evil" not in code
    assert "\n#include <stdlib" not in code
    inside = re.sub(r'"(?:[A-Za-z0-9 _.,-]|\\[0-7]{3})*"', "", code)
    assert '"' not in inside
    library = compiled(code, tmp_path)
    library.model_label.restype = _text
    for k, label in enumerate(machine.classes_):
        assert library.model_label(k) == label.encode().split(b"\0")[0]


@pytest.mark.parametrize("name", ["", "1model", "a b", "x;", "é", "a-b"])
def test_names_in_the_file_are_identifiers(name):
    with pytest.raises(ValueError, match="name must be a C identifier"):
        to_c(fitted("rvm")[0], name=name)


_MAIN = """
#include <stdio.h>
int main(void)
{
    model_real x[MODEL_FEATURES], p[8], m[8], v[8];
    double value, total = 0.0;
    int place = 0;
    while (scanf("%lf", &value) == 1) {
        x[place++] = (model_real)value;
        if (place < MODEL_FEATURES) continue;
        place = 0;
        CALL
    }
    printf("%.17g", total);
    return 0;
}
"""
_CALLS = {
    True: "model_predict_proba(x, p); model_latent(x, m, v);\n"
    "        total += p[0] + (m[0] - m[0]) + (v[0] - v[0]) + (model_label(model_predict(x)) == 0);",
    False: "model_predict(x, m, v); p[0] = m[0]; total += p[0] + (v[0] - v[0]);",
}
_SANITISED = [
    "sparse gp",
    "sparse gp, ordered classes",
    "sparse gp regressor, counts",
    "sparse gp, three classes",
    "sparse gp regressor, trend",
    "rvm, four classes",
    "rvm, product",
    "epcvm, draws",
    "bayes machine, three classes",
    "spike and slab regressor",
]


@needs_compiler
@pytest.mark.parametrize("precision", [pytest.param("double", marks=pytest.mark.slow), "float"])
@pytest.mark.parametrize("name", _SANITISED)
def test_no_undefined_behaviour(name, precision, tmp_path):
    machine, X = fitted(name)
    X = X.astype(np.float32).astype(float)
    code = to_c(machine, precision=precision)
    found = checked_run(code, _CALLS[hasattr(machine, "predict_proba")], X, tmp_path)
    np.testing.assert_allclose(found, predictions(machine, X)[:, 0].sum(), rtol=1e-4)


@needs_compiler
def test_no_undefined_behaviour_of_early_votes(tmp_path):
    forest, _, confidence = FORESTS["votes of three"]
    X, _ = make_twonorm(300, random_state=0)
    X = X.astype(np.float32).astype(float)
    forest.fit(X, np.digitize(X[:, 0] + X[:, 1], [-1, 1]))
    fast = pauca.InstancePrunedClassifier(forest, confidence, random_state=0)
    call = "model_predict_proba(x, p); (void)m; (void)v;\n        total += p[0] + 1000.0 * model_trees(x);"
    found = checked_run(to_c(fast), call, X, tmp_path)
    _, queries = fast.predict(X, return_queries=True)
    np.testing.assert_allclose(found, fast.predict_proba(X)[:, 0].sum() + 1000 * queries.sum(), rtol=1e-9)


def checked_run(code, call, X, tmp_path):
    """What a program with checks of addresses and of undefined behaviour prints after all rows."""
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(code + _MAIN.replace("CALL", call))
    checks = ["-std=c99", "-Wall", "-Wextra", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command = [COMPILER, "-g", *checks, str(source), "-o", str(program), "-lm"]
    built = subprocess.run(command, capture_output=True, text=True)
    if "cannot find" in built.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert built.returncode == 0, built.stderr[:2000]
    rows = "\n".join(" ".join(map(repr, row.tolist())) for row in X)
    run = subprocess.run([str(program)], input=rows, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[:2000]
    return float(run.stdout)


def test_bytes_are_those_of_the_constants():
    machine, _ = fitted("sparse gp regressor")
    n = len(machine.relevance_)
    assert c_bytes(machine, precision="double") >= 8 * (n * (n + 1) // 2 + 5 * n)
    assert c_bytes(machine) < 0.7 * c_bytes(machine, precision="double")


@needs_compiler
def test_a_regressor_without_variance_returns_its_mean(tmp_path):
    machine, X = fitted("sparse gp regressor, trend")
    code = to_c(machine, tmp_path / "mean.c", variance=False)
    assert (tmp_path / "mean.c").read_text() == code
    call = compiled(code, tmp_path).model_predict
    call.restype = _double
    found = [call(row.ctypes.data_as(_pointer)) for row in np.ascontiguousarray(X)]
    np.testing.assert_allclose(found, machine.predict(X), rtol=1e-9)
    assert c_bytes(machine) > len(code) / 100


def test_ensembles_that_are_no_trees_are_refused():
    X, y = make_ripley(60, random_state=0)
    bagging = BaggingClassifier(pauca.RVMClassifier("linear"), 3, random_state=0)
    pruned = pauca.PrunedEnsembleClassifier(bagging, size=2).fit(X, y)
    with pytest.raises(CannotExport, match="use to_onnx"):
        to_c(pruned)
