"""``pauca fit`` on tables of all kinds."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import pauca
from pauca.cli import contenders
from pauca.persistence import read_metadata


def test_classification_table(run, csv):
    result = run("fit", csv, "--target", "kind", "--drop", "price")
    assert result.exit_code == 0, result.stderr
    peers = ("calibrated SVC", "logistic", "hist. boosting", "Gaussian process")
    for part in ("sparse GP", *peers, "error", "AUC", "vectors", "evid."):
        assert part in result.stdout
    assert "column 'constant' left out: it is constant" in result.stdout
    assert "…" not in result.stdout
    assert result.stderr == ""


def test_classification_json(run_json, csv):
    document = run_json("fit", csv, "--target", "kind", "--drop", "price")
    assert document["task"] == "classification"
    assert document["columns"] == {"größe": "number", "farbe": "category", "flag": "category", "day": "date"}
    machine, svc, logistic, boosting, process = document["machines"]
    assert machine["machine"] == "sparse GP"
    assert 1 <= machine["vectors"] < svc["vectors"] <= 60
    assert machine["error"] <= 0.3
    assert isinstance(machine["log_evidence"], float)
    assert logistic["vectors"] is boosting["vectors"] is None
    assert process["vectors"] == 60
    for row in document["machines"]:
        assert 0 <= row["calibration_error"] <= 1
        assert row["fit_seconds"] > 0
    assert document["model"] is None


def test_regression_json(run_json, csv):
    document = run_json("fit", csv, "--target", "price", "--drop", "kind")
    assert document["task"] == "regression"
    process, svr, ridge, _, full_process = document["machines"]
    assert process["machine"] == "sparse GP"
    assert process["rmse"] < 0.6
    assert 0.7 <= process["coverage"] <= 1
    assert svr["nlpd"] is None
    assert np.isfinite([process["nlpd"], ridge["nlpd"], full_process["nlpd"], process["r2"]]).all()


def test_regression_table(run, csv):
    result = run("fit", csv, "--target", "price", "--no-compare")
    assert result.exit_code == 0, result.stderr
    assert all(part in result.stdout for part in ("RMSE", "R²", "dens.", "95 %"))
    assert "Bayesian ridge" not in result.stdout


def test_cross_validation_scores_every_row(run_json, csv):
    document = run_json("fit", csv, "--target", "kind", "--cv", "3", "--no-compare")
    assert document["protocol"] == "3-fold cross-validation on 80 rows"
    assert document["machines"][0]["error"] * 80 == pytest.approx(
        round(document["machines"][0]["error"] * 80)
    )


def test_same_seed_same_scores(run_json, csv):
    def scores(seed):
        row = run_json("fit", csv, "--target", "kind", "--no-compare", "--seed", seed)["machines"][0]
        return {name: value for name, value in row.items() if "seconds" not in name}

    assert scores(3) == scores(3)
    assert scores(3) != scores(4)


def test_saved_model_knows_its_table(run_json, csv, tmp_path):
    document = run_json(
        "fit", csv, "--target", "kind", "--no-compare", "--drop", "price", "-o", "model.skops"
    )
    metadata = read_metadata(tmp_path / "model.skops")
    assert metadata == {
        "task": "classification",
        "target": "kind",
        "columns": document["columns"],
        "machine": "sparsegp",
    }
    model = pauca.load(tmp_path / "model.skops")
    assert model.classes_.tolist() == ["ja", "nein"]
    assert document["model"]["vectors"] == len(model[-1].relevance_)
    assert document["model"]["rows"] == 80


def test_parquet(run_json, table, tmp_path):
    frame = table.assign(day=pd.to_datetime(table["day"]), farbe=table["farbe"].astype("category"))
    frame.to_parquet(tmp_path / "t.parquet")
    columns = run_json("fit", "t.parquet", "--target", "kind", "--no-compare")["columns"]
    assert columns["day"] == "date"
    assert columns["farbe"] == "category"


def test_three_classes(run_json, table, tmp_path):
    level = pd.cut(table["price"], 3, labels=["low", "middle", "high"])
    table.drop(columns=["kind", "price"]).assign(level=level).to_csv(tmp_path / "t.csv", index=False)
    document = run_json("fit", "t.csv", "--target", "level")
    assert len(document["machines"]) == 5
    assert all(row["error"] < 0.5 for row in document["machines"])


@pytest.mark.parametrize(
    ("values", "task"),
    [([0, 1], "classification"), ([0.5, 1.5], "classification"), ([True, False], "classification")]
    + [([1, 2, 3], "classification"), (np.linspace(0, 1, 40), "regression"), (range(40), "regression")],
)
def test_task_is_read_from_the_target(run_json, tmp_path, values, task):
    rng = np.random.default_rng(0)
    y = np.resize(np.asarray(values), 40)
    pd.DataFrame({"x": y + 0.1 * rng.normal(size=40), "y": y}).to_csv(tmp_path / "t.csv", index=False)
    assert run_json("fit", "t.csv", "--target", "y", "--no-compare")["task"] == task


def test_task_can_be_told(run_json, tmp_path):
    y = np.resize([1, 2, 3], 40)
    pd.DataFrame({"x": y + np.linspace(0, 0.5, 40), "y": y}).to_csv(tmp_path / "t.csv", index=False)
    document = run_json("fit", "t.csv", "--target", "y", "--no-compare", "--task", "regression")
    assert document["task"] == "regression"


def test_machines_come_from_one_table(run_json, run, csv, refused, monkeypatch):
    twin = contenders.MACHINES["rvm"]._replace(title="twin", regression=None)
    monkeypatch.setitem(contenders.MACHINES, "twin", twin)
    document = run_json("fit", csv, "--target", "kind", "--machine", "twin", "--no-compare")
    assert document["machines"][0]["machine"] == "twin"
    refused(run("fit", csv, "--target", "price", "--machine", "twin"), 2, "does not do regression")
    refused(run("fit", csv, "--target", "kind", "--machine", "steam"), 2, "'steam'", "rvm")


def test_machines_for_classes_name_those_for_numbers(run, csv, refused):
    result = run("fit", csv, "--target", "price", "--machine", "pcvm")
    refused(result, 2, "'pcvm' does not do regression: use sparsegp, rvm, spikeslab or forest.")


def test_as_a_process(csv):
    command = [sys.executable, "-m", "pauca", "fit", str(csv), "--target", "kind", "--no-compare", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0
    assert json.loads(result.stdout)["rows"] == 80
    assert result.stderr == ""


@pytest.mark.parametrize("name", ["m.pkl", "m.joblib", "m.onnx"])
def test_a_model_is_not_written_under_the_name_of_another_format(run, csv, refused, tmp_path, name):
    result = run("fit", csv, "--target", "kind", "-o", name)
    refused(result, 2, "name it m.skops")
    assert not (tmp_path / name).exists()
