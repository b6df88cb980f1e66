"""What is loaded is what was saved, bit for bit."""

import json
import os
import platform
import subprocess
import sys
from zipfile import ZipFile

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import pauca
from pauca import BayesMachineClassifier, RVMClassifier, SparseGPClassifier, persistence
from pauca.basis import RBF, FunctionKernel, Linear, Matern52, RationalQuadratic
from pauca.datasets import make_ripley, make_waveform
from pauca.persistence import UntrustedModel, read_metadata


def assert_same_bits(model, path, X):
    pauca.save(model, path)
    again = pauca.load(path)
    assert type(again) is type(model)
    for method in ("predict", "predict_proba"):
        if hasattr(model, method):
            np.testing.assert_array_equal(getattr(again, method)(X), getattr(model, method)(X))
    return again


def test_classifier(classifier, tmp_path):
    X, _ = make_ripley(300, random_state=1)
    again = assert_same_bits(classifier, tmp_path / "model", X)
    assert again.get_params() == classifier.get_params()
    assert again.log_evidence_ == classifier.log_evidence_
    np.testing.assert_array_equal(again.relevance_, classifier.relevance_)


def test_regressor_with_uncertainty(regressor, tmp_path):
    X = np.linspace(-12, 12, 200)[:, None]
    again = assert_same_bits(regressor, tmp_path / "model", X)
    np.testing.assert_array_equal(again.predict(X, return_std=True), regressor.predict(X, return_std=True))


def test_many_classes_with_text_labels(tmp_path):
    X, y = make_waveform(90, random_state=0)
    labels = np.array(["eins", "zwei", "drei"])[np.unique(y, return_inverse=True)[1]]
    assert_same_bits(RVMClassifier(gamma=0.02).fit(X, labels), tmp_path / "model", X)


@pytest.mark.parametrize("inference", ["laplace", "ep"])
def test_sparse_gaussian_process_of_two_and_three_classes(inference, tmp_path):
    X, y = make_waveform(90, random_state=0)
    for labels in (y, y > y.min()):
        machine = SparseGPClassifier(gamma=0.02, inference=inference).fit(X, labels)
        assert_same_bits(machine, tmp_path / "model", X)


def test_pipeline_with_column_transformer(pipeline, table, tmp_path):
    again = assert_same_bits(pipeline, tmp_path / "model", table)
    unseen = table.assign(colour="violett")
    np.testing.assert_array_equal(again.predict_proba(unseen), pipeline.predict_proba(unseen))


def test_loaded_model_can_be_cloned_and_refitted(classifier, tmp_path):
    pauca.save(classifier, tmp_path / "model")
    X, y = make_ripley(80, random_state=0)
    refitted = clone(pauca.load(tmp_path / "model")).fit(X, y)
    np.testing.assert_allclose(refitted.predict_proba(X), classifier.predict_proba(X))


def test_unfitted_model_and_text_path(tmp_path):
    pauca.save(RVMClassifier(gamma=3.0), str(tmp_path / "model"))
    assert pauca.load(str(tmp_path / "model")).gamma == 3.0


def test_another_process_gives_the_same_bits(classifier, tmp_path):
    pauca.save(classifier, tmp_path / "model")
    X, _ = make_ripley(20, random_state=3)
    code = (
        "import sys, pauca; from pauca.datasets import make_ripley;"
        "print(pauca.load(sys.argv[1]).predict_proba(make_ripley(20, random_state=3)[0]).tobytes().hex())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "model")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == classifier.predict_proba(X).tobytes().hex()


def test_metadata(classifier, tmp_path):
    metadata = {"target": "größe", "columns": ["a", "b"], "share": 0.5}
    pauca.save(classifier, tmp_path / "model", metadata=metadata)
    assert read_metadata(tmp_path / "model") == metadata
    pauca.save(classifier, tmp_path / "model")
    assert read_metadata(tmp_path / "model") == {}


def test_header_names_format_and_version(classifier, tmp_path):
    pauca.save(classifier, tmp_path / "model")
    with ZipFile(tmp_path / "model") as file:
        header = json.loads(file.read("pauca.json"))
    versions = header.pop("versions")
    assert header == {"format": persistence.FORMAT, "pauca": pauca.__version__, "metadata": {}}
    assert versions["scikit-learn"] == sklearn.__version__
    assert versions["python"] == platform.python_version()


@pytest.mark.parametrize(
    "kernel", ["matern32", RationalQuadratic(alpha=3.0), (RBF() + Linear(1.0)) * Matern52(0.1)]
)
@pytest.mark.parametrize("machine", [RVMClassifier, BayesMachineClassifier])
def test_kernels_and_compositions(machine, kernel, tmp_path):
    X, y = make_ripley(60, random_state=0)
    again = assert_same_bits(machine(kernel, 0.5).fit(X, y), tmp_path / "model", X)
    assert again.kernel == kernel


@pytest.mark.parametrize("kernel", [lambda X, Z: X @ Z.T, np.dot, RBF() + FunctionKernel(np.dot)])
def test_kernel_function_is_refused(kernel, tmp_path):
    with pytest.raises(UntrustedModel, match=r"kernel is a function.*name of a kernel"):
        pauca.save(RVMClassifier(kernel=kernel), tmp_path / "model")
    with pytest.raises(UntrustedModel, match="rvmclassifier__kernel is a function"):
        pauca.save(make_pipeline(StandardScaler(), RVMClassifier(kernel=kernel)), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_other_functions_are_refused(tmp_path):
    with pytest.raises(UntrustedModel, match=r"test_persistence_roundtrip\.assert_same_bits"):
        pauca.save(make_pipeline(FunctionTransformer(assert_same_bits)), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_failed_write_leaves_the_old_file(classifier, tmp_path, monkeypatch):
    path = tmp_path / "model"
    pauca.save(RVMClassifier(gamma=7.0), path)

    def fail(source, destination):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        pauca.save(classifier, path)
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
    assert pauca.load(path).gamma == 7.0


def test_missing_skops_names_the_extra(classifier, tmp_path, monkeypatch):
    pauca.save(classifier, tmp_path / "model")
    monkeypatch.setitem(sys.modules, "skops.io", None)
    for call in (
        lambda: pauca.save(classifier, tmp_path / "new"),
        lambda: pauca.load(tmp_path / "model"),
    ):
        with pytest.raises(ImportError, match=r'pip install "pauca\[persist\]"'):
            call()
