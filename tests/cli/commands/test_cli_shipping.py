"""``pauca export``, ``pauca show`` and ``pauca distil``: models that leave."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import pauca
from pauca.cli.app import app


@pytest.fixture(scope="session")
def models(table, tmp_path_factory):
    """A saved forest, the student that it taught, and their table."""
    folder = tmp_path_factory.mktemp("shipped")
    table.drop(columns="price").to_csv(folder / "t.csv", index=False)
    steps = [
        ["fit", "t.csv", "--target", "kind", "--machine", "forest", "--no-compare", "-o", "forest"],
        ["fit", "t.csv", "--target", "kind", "--machine", "rvm", "--no-compare", "-o", "rvm"],
        ["distil", "forest", "t.csv", "--extra-rows", "0", "--max-bytes", "5000", "-o", "student"],
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for words in steps:
            result = CliRunner().invoke(app, words)
            assert result.exit_code == 0, result.output
    return folder


def test_students_predict_tables(models, run_json):
    predictions = run_json("predict", models / "student", models / "t.csv")["predictions"]
    kinds = pd.read_csv(models / "t.csv")["kind"]
    assert np.mean([row["prediction"] for row in predictions] == kinds) > 0.7


def test_distil_says_how_the_student_agrees(models, run_json):
    words = ["distil", models / "forest", models / "t.csv", "--extra-rows", "0", "--max-vectors", "4"]
    document = run_json(*words)
    assert 0 < document["agreement_interval"][0] <= document["agreement"] <= 1
    assert document["n_bytes"]["student"] < document["n_bytes"]["teacher"]
    assert document["scores"]["student"].keys() == {"error", "log_loss", "auc"}
    assert "output" not in document


def test_show_prints_the_summary(models, run, run_json, tmp_path):
    result = run("show", models / "rvm", "--html", "page.html")
    assert result.exit_code == 0, result.stderr
    assert "predicts kind" in result.stdout
    assert "Log evidence" in result.stdout
    assert "<table>" in (tmp_path / "page.html").read_text(encoding="utf-8")
    document = run_json("show", models / "rvm")
    assert document["machine"] == "RVMClassifier"
    assert document["target"] == "kind"


def test_export_writes_c_with_codes_of_texts(models, run, run_json, tmp_path):
    document = run_json("export", models / "rvm", "--to", "c", "-o", "m.c", "--name", "rvm")
    text = (tmp_path / "m.c").read_text(encoding="ascii")
    assert document["bytes"] == len(text)
    assert "void rvm_predict_proba(const rvm_real *x, rvm_real *probabilities);" in text
    assert document["categories"]["farbe"] == ["blau", "grün", "rot"]
    assert "codes in C: 0 = blau" in run("export", models / "rvm", "--to", "c", "-o", "n.c").stdout


def test_export_writes_onnx_with_the_columns_as_inputs(models, run_json, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    run_json("export", models / "rvm", "--to", "onnx", "-o", "m.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    names = pauca.load(models / "rvm").feature_names_in_
    assert [each.name for each in session.get_inputs()] == list(names)


def test_what_cannot_be_done_is_said_in_one_line(models, run):
    for words, reason in [
        (["export", models / "forest", "--to", "c", "-o", "f.c"], "pauca.distil"),
        (["export", models / "rvm", "--to", "c", "-o", "m.c", "--name", "1x"], "C identifier"),
        (["show", models / "forest"], "no summary"),
        (["distil", models / "forest", models / "t.csv", "--extra-rows", "some"], "--extra-rows"),
        (["distil", models / "forest", models / "t.csv", "--max-bytes", "10"], "max_bytes"),
    ]:
        result = run(*words)
        assert result.exit_code != 0
        assert reason in result.stderr
        assert len(result.stderr.strip().splitlines()) == 1
