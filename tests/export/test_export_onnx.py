"""ONNX graphs say what the machines, their pipelines and pruned ensembles say."""

import warnings

import numpy as np
import pytest
from exported_machines import NAMES, fitted, predictions
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC

import pauca
from pauca.datasets import load, make_friedman1, make_ripley
from pauca.export import CannotExport, register_converters, to_c, to_onnx

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")


def outputs(converted, X):
    """Outputs of a converted model by name."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    session = onnxruntime.InferenceSession(
        converted.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {session.get_inputs()[0].name: X}), strict=True))


@pytest.mark.parametrize("name", [name for name in NAMES if "draws of three" not in name])
def test_onnx_predicts_what_the_machine_predicts(name):
    machine, X = fitted(name)
    X = X.astype(np.float32)
    found = outputs(to_onnx(machine), X)
    expected = predictions(machine, X.astype(float))
    if "mean" in found:
        np.testing.assert_allclose(np.hstack([found["mean"], found["std"]]), expected, rtol=1e-6)
        return
    np.testing.assert_allclose(found["probabilities"], expected, atol=1e-6)
    best = np.sort(expected, axis=1)
    clear = best[:, -1] - best[:, -2] > 1e-6  # far away some machines have ties
    assert (found["label"] == machine.predict(X.astype(float)))[clear].all()
    if "draws" in name:  # Python's quantiles of probabilities near one have few digits
        return
    means, variances = machine._latent(X.astype(float))
    means, variances = (each.reshape(len(X), -1) for each in (means, variances))
    np.testing.assert_allclose(found["latent_mean"], means, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found["latent_variance"], variances, rtol=1e-4, atol=1e-6)


def test_double_rows_give_double_predictions():
    machine, X = fitted("rvm, four classes")
    found = outputs(to_onnx(machine, precision="double"), X)
    np.testing.assert_allclose(found["probabilities"], machine.predict_proba(X), atol=1e-9)
    assert to_onnx(machine).opset_import[0].version == 18


def test_small_probabilities_keep_their_digits():
    """Far into a class the other one is as improbable as in Python."""
    machine, X = fitted("rvm, linear")
    X = np.asarray(5 + 20 * (X - 5), dtype=np.float32)
    expected = machine.predict_proba(X.astype(float))
    assert expected.min() < 1e-5
    found = outputs(to_onnx(machine), X)["probabilities"]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_pipelines_of_foldable_steps_have_one_input(tmp_path):
    X, y = make_ripley(100, random_state=0)
    X = X * [1e-3, 1e4] + [0, 1e5]
    pipeline = make_pipeline(StandardScaler(), pauca.SparseGPClassifier()).fit(X, y)
    X = X.astype(np.float32)
    path = tmp_path / "model.onnx"
    found = outputs(to_onnx(pipeline, path=path), X)
    expected = pipeline.predict_proba(X.astype(float))
    np.testing.assert_allclose(found["probabilities"], expected, atol=1e-6)
    assert path.stat().st_size > 1000


def test_other_pipelines_go_through_their_own_converters():
    X, y = make_ripley(100, random_state=0)
    pipeline = make_pipeline(PolynomialFeatures(2), StandardScaler(), pauca.RVMClassifier("linear")).fit(X, y)
    with pytest.raises(CannotExport, match="PolynomialFeatures"):
        to_onnx(pipeline)
    X = X.astype(np.float32)
    found = outputs(to_onnx(pipeline, X), X)
    np.testing.assert_allclose(found["probabilities"], pipeline.predict_proba(X), atol=1e-5)


ENSEMBLES = {
    "forest": RandomForestClassifier(15, min_samples_leaf=3, random_state=0),
    "bagged trees": BaggingClassifier(n_estimators=12, max_features=0.5, random_state=0),
}


@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.parametrize("labels", [np.array([10, 20]), np.array(["no", "yes"])], ids=["numbers", "texts"])
def test_pruned_ensembles_are_converted_member_by_member(name, labels):
    X, y = make_ripley(150, random_state=0)
    X = np.hstack([X, X**2]).astype(np.float32)
    pruned = pauca.PrunedEnsembleClassifier(ENSEMBLES[name], size=6, random_state=0).fit(X, labels[y])
    found = outputs(to_onnx(pruned), X)
    np.testing.assert_allclose(found["probabilities"], pruned.predict_proba(X), atol=1e-6)
    assert (found["label"] == pruned.predict(X)).all()


def test_the_whole_vote_of_early_voting_is_converted():
    X, y = make_ripley(150, random_state=0)
    X = X.astype(np.float32)
    forest = RandomForestClassifier(21, random_state=0).fit(X, y)
    found = outputs(to_onnx(pauca.InstancePrunedClassifier(forest, confidence=1, random_state=0)), X)
    np.testing.assert_allclose(found["probabilities"], forest.predict_proba(X), atol=1e-6)


def test_pruned_regressors_are_converted():
    X, y = make_friedman1(120, random_state=0)
    X = X.astype(np.float32)
    pruned = pauca.PrunedEnsembleRegressor(RandomForestRegressor(12, random_state=0), size=5).fit(X, y)
    found = outputs(to_onnx(pruned), X)["mean"][:, 0]
    np.testing.assert_allclose(found, pruned.predict(X), rtol=1e-5)


def test_weights_of_members_are_converted_and_refitted_leaves_refused():
    X, y = make_ripley(150, random_state=0)
    X = X.astype(np.float32)
    forest = RandomForestClassifier(20, min_samples_leaf=3, random_state=0)
    pruned = pauca.PrunedEnsembleClassifier(forest, size=6, reweight=True, random_state=0).fit(X, y)
    found = outputs(to_onnx(pruned), X)
    np.testing.assert_allclose(found["probabilities"], pruned.predict_proba(X), atol=1e-5)
    with pytest.raises(CannotExport, match="use to_onnx"):
        to_c(pruned)
    with pytest.raises(CannotExport, match="refit=False"):
        to_onnx(pauca.PrunedEnsembleClassifier(forest, size=6, refit=True, random_state=0).fit(X, y))


def test_all_members_of_a_regressor_that_stops_early_are_converted():
    X, y = make_friedman1(120, random_state=0)
    X = X.astype(np.float32)
    forest = RandomForestRegressor(15, random_state=0).fit(X, y)
    found = outputs(to_onnx(pauca.InstancePrunedRegressor(forest, tolerance=0.1)), X)["mean"][:, 0]
    np.testing.assert_allclose(found, forest.predict(X), rtol=1e-5)


def test_what_cannot_be_exported_names_the_remedy():
    X, y = make_ripley(60, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = pauca.RVMClassifier(lambda a, b: a @ b.T).fit(X, y)
    with pytest.raises(
        CannotExport, match="kernel that is a function cannot be exported: fit with one of 'rbf'"
    ):
        to_onnx(machine)
    with pytest.raises(CannotExport, match=r"pauca\.distil"):
        to_onnx(SVC().fit(X, y))
    with pytest.raises(ValueError, match="precision"):
        to_onnx(fitted("rvm")[0], precision="half")
    with pytest.raises(ValueError, match="target_opset must be 18 or newer"):
        to_onnx(fitted("rvm")[0], target_opset=11)
    pipeline = make_pipeline(FunctionTransformer(np.exp), pauca.RVMClassifier("linear")).fit(X, y)
    with pytest.raises(CannotExport, match="FunctionTransformer"):
        to_onnx(pipeline)


def test_registered_converters_serve_skl2onnx_itself():
    """A pipeline with an unknown step is converted by skl2onnx, our machine among its steps."""
    import skl2onnx

    register_converters()
    X, y = make_ripley(100, random_state=0)
    X = X.astype(np.float32)
    pipeline = make_pipeline(PolynomialFeatures(2), pauca.SparseGPClassifier()).fit(X, y)
    found = outputs(skl2onnx.to_onnx(pipeline, X[:1], target_opset=18), X)
    np.testing.assert_allclose(found["probabilities"], pipeline.predict_proba(X), atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["german", "image", "wine", "splice"])
def test_real_sets_agree_on_all_rows(data_directory, name):
    data = load(name)
    rows = np.random.default_rng(0).permutation(len(data.y))[:200]
    pipeline = make_pipeline(StandardScaler(), pauca.SparseGPClassifier()).fit(data.X[rows], data.y[rows])
    X = data.X.astype(np.float32)
    found = np.vstack([outputs(to_onnx(pipeline), part)["probabilities"] for part in np.array_split(X, 5)])
    np.testing.assert_allclose(found, pipeline.predict_proba(X.astype(float)), atol=1e-5)
