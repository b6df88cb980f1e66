"""Every way through the library once, on small data.

Continuous integration runs this file with the oldest version of every dependency that pyproject.toml allows,
where the whole suite would take too long.
"""

import json
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from every_estimator import CONSTRUCTORS
from sklearn.base import is_classifier
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import pauca
from pauca import datasets

pytestmark = pytest.mark.slow

CLASSIFIERS = [
    pauca.SparseGPClassifier(),
    pauca.SparseGPClassifier(inference="ep"),
    pauca.RVMClassifier(),
    pauca.RVMClassifier(inference="ep"),
    pauca.RVMClassifier(inference="variational"),
    pauca.EPCVMClassifier(),
    pauca.EPCVMClassifier(inference="ep"),
    pauca.EPCVMClassifier(inference="hmc"),
    pauca.PCVMClassifier(n_init=1),
    pauca.ARDClassifier(),
    pauca.SpikeSlabClassifier(),
    pauca.BayesMachineClassifier(gamma=1.0),
    pauca.SparseBayesMachineClassifier(gamma=1.0, n_active=10),
]
REGRESSORS = [
    pauca.RVMRegressor(),
    pauca.RVMRegressor(inference="variational"),
    pauca.SpikeSlabRegressor(),
]


@pytest.fixture(scope="module")
def two_classes():
    return datasets.make_ripley(60, random_state=0)


@pytest.fixture
def table(tmp_path, two_classes):
    """A Parquet and a CSV file of numbers, a category and a label."""
    import pandas as pd

    X, y = two_classes
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(colour=["red", "blue"] * 30)
    frame = frame.assign(label=np.where(y == 1, "yes", "no"))
    frame.to_parquet(tmp_path / "table.parquet")
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path


def command(folder, *words):
    """Run the command line in a folder; its JSON document."""
    full = [sys.executable, "-m", "pauca", *words, "--json"]
    result = subprocess.run(full, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("machine", CLASSIFIERS, ids=repr)
def test_classifiers(machine, two_classes):
    X, y = two_classes
    probabilities = machine.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert machine.score(X, y) > 0.7


def test_many_classes_and_data_frames():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 15)
    X = pandas.DataFrame(
        rng.normal(size=(45, 2)) + 3 * np.eye(3)[np.repeat(range(3), 15), :2], columns=["u", "v"]
    )
    machine = pauca.SparseGPClassifier().fit(X, y)
    assert list(machine.feature_names_in_) == ["u", "v"]
    assert machine.predict_proba(X).shape == (45, 3)


@pytest.mark.parametrize("machine", REGRESSORS, ids=repr)
def test_regressors(machine):
    X, y = datasets.make_sinc(60, random_state=0)
    mean, std = machine.fit(X, y).predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert (std > 0).all()


@pytest.mark.parametrize("make", CONSTRUCTORS)
def test_every_estimator_and_its_compiled_form(make, two_classes):
    X, y = two_classes
    estimator = make()
    estimator.fit(X, y if is_classifier(estimator) else X[:, 0] + X[:, 1])
    expected = estimator.predict(X)
    np.testing.assert_allclose(estimator.predict(X[:1]), expected[:1], atol=1e-8)
    if hasattr(estimator, "compiled"):
        np.testing.assert_allclose(estimator.compiled().predict(X), expected, atol=1e-8)


@pytest.mark.parametrize("method", ["ordered", "sdp", "evidence"])
def test_pruned_ensembles(method):
    X, y = datasets.make_friedman1(80, random_state=0)
    forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    pruned = pauca.PrunedEnsembleRegressor(forest, method=method, size=5).fit(X, y)
    assert np.isfinite(pruned.predict(X)).all()


def test_early_voting_and_ensemble_size(two_classes):
    X, y = two_classes
    forest = RandomForestClassifier(51, random_state=0).fit(X, y)
    fast = pauca.InstancePrunedClassifier(forest, confidence=1.0, random_state=0)
    assert (fast.predict(X) == forest.predict(X)).all()
    estimate = pauca.ensemble_size(
        RandomForestClassifier(random_state=0), X, y, confidence=0.9, random_state=0
    )
    assert estimate.size > 0


@pytest.mark.parametrize("machine", [CLASSIFIERS[0], CLASSIFIERS[7], CLASSIFIERS[10]], ids=repr)
def test_saved_machines_predict_the_same(machine, two_classes, tmp_path):
    pytest.importorskip("skops")
    X, y = two_classes
    pauca.save(machine.fit(X, y), tmp_path / "machine.skops")
    loaded = pauca.load(tmp_path / "machine.skops")
    np.testing.assert_array_equal(loaded.predict_proba(X), machine.predict_proba(X))


def test_pictures(two_classes, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    X, y = two_classes
    machine = pauca.SparseGPClassifier().fit(X, y)
    axes = pauca.plotting.plot_surface(machine, X, y)
    axes.figure.savefig(tmp_path / "surface.png")
    axes = pauca.plotting.plot_critical_difference({"a": 1.2, "b": 1.9, "c": 2.9}, 0.8)
    axes.figure.savefig(tmp_path / "ranks.png")
    assert (tmp_path / "ranks.png").stat().st_size > 1000


def test_draws_go_to_arviz(two_classes):
    pytest.importorskip("arviz")
    machine = pauca.EPCVMClassifier(inference="hmc").fit(*two_classes)
    assert machine.to_arviz().posterior is not None


def test_rank_tests():
    pandas = pytest.importorskip("pandas")
    errors = np.random.default_rng(0).random((10, 3)) + [0.0, 0.1, 1.0]
    scores = pandas.DataFrame(errors, columns=["a", "b", "c"])
    assert (pauca.evaluation.friedman(scores)["p_value"] < 0.01).all()
    for test in ("nemenyi", "bonferroni_dunn", "wilcoxon_holm", "bayesian_signed_rank"):
        assert len(getattr(pauca.evaluation, test)(scores)) >= 2
    assert pauca.evaluation.nemenyi_matrix(scores).shape == (3, 3)


def _draw(job):
    return {method: {"value": float(job.split)} for method in job.methods}


@pytest.mark.parametrize("workers", [None, "local"])
@pytest.mark.filterwarnings("ignore")
def test_runs_are_stored(workers, tmp_path):
    from pauca.evaluation import Job, RunStore, Workers, run

    if workers:
        pytest.importorskip("distributed")
    store, jobs = RunStore(tmp_path / "store.sqlite"), [Job("iris", k, ("a",)) for k in range(2)]
    run("study", jobs, partial(_draw), store, Workers(2, workers))
    assert sorted(row["record"]["value"] for row in store.rows("study")) == [0.0, 1.0]
    store.close()


def test_fit_and_predict_on_the_command_line(table):
    document = command(
        table, "fit", "table.parquet", "--target", "label", "--no-compare", "-o", "model.skops"
    )
    assert document["task"] == "classification"
    command(table, "predict", "model.skops", "table.csv", "-o", "predicted.parquet")
    assert (table / "predicted.parquet").is_file()


def test_compare_and_rank_on_the_command_line(table):
    tables = ("table.csv", "table.parquet")
    command(table, "compare", *tables, "--target", "label", "--machines", "rvm,logreg", "--splits", "2")
    assert (table / "pauca-report.html").is_file()
    command(table, "rank", "table.csv", "--target", "label", "--plot", "heat.png")
    assert (table / "heat.png").is_file()


def test_prune_on_the_command_line(table):
    command(
        table, "fit", "table.csv", "--target", "label", "--machine", "forest", "--no-compare", "-o", "f.skops"
    )
    command(table, "prune", "f.skops", "table.csv", "-o", "small.skops")
    assert (table / "small.skops").stat().st_size < (table / "f.skops").stat().st_size
