"""``pauca prune``: a small model from a saved ensemble, and input that is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import BaggingRegressor, RandomForestClassifier
from sklearn.linear_model import Ridge
from typer.testing import CliRunner

import pauca
from pauca.cli.app import app


@pytest.fixture(scope="session")
def forests(table, tmp_path_factory):
    """A saved forest of each task."""
    folder = tmp_path_factory.mktemp("forests")
    table.to_csv(folder / "t.csv", index=False)
    for target, other in (("kind", "price"), ("price", "kind")):
        words = ["fit", folder / "t.csv", "--target", target, "--drop", other, "--machine", "forest"]
        result = CliRunner().invoke(app, [*map(str, words), "--no-compare", "-o", str(folder / target)])
        assert result.exit_code == 0, result.output
    return folder


def test_forest_becomes_small(run, run_json, forests, csv):
    result = run("prune", forests / "kind", csv, "--size", "0.1", "-o", "small")
    assert result.exit_code == 0, result.stderr
    assert "kept 10 of 100 members (ordered)" in result.stdout
    assert "out-of-bag error on the 80 rows" in result.stdout
    assert "kB instead of" in result.stdout
    predictions = run_json("predict", "small", csv)["predictions"]
    assert len(predictions) == 80


@pytest.mark.parametrize("target", ["kind", "price"])
def test_json_says_what_was_done(run_json, forests, csv, table, tmp_path, target):
    words = ["prune", forests / target, csv, "--target", target, "--method", "sdp", "--size", "7"]
    document = run_json(*words, "-o", "small")
    assert (document["members"], document["kept"], document["target"]) == (100, 7, target)
    assert document["bytes_after"] < 0.3 * document["bytes_before"]
    small, whole = pauca.load(tmp_path / "small"), pauca.load(forests / target)
    assert document["selected"] == small[-1].selected_.tolist()
    kept = [whole[-1].estimators_[i].tree_.node_count for i in document["selected"]]
    assert [member.tree_.node_count for member in small[-1].estimators_] == kept
    assert 0 <= document["error_all"] < table["price"].std()
    assert 0 <= document["error_kept"] < table["price"].std()


def test_out_of_bag_rows_and_automatic_size(run_json, forests, csv):
    by_default = run_json("prune", forests / "price", csv, "--size", "auto")
    asked_for = run_json("prune", forests / "price", csv, "--size", "auto", "--out-of-bag")
    assert by_default["selected"] == asked_for["selected"]
    assert by_default["errors_from"] == "out-of-bag"
    assert "output" not in by_default


def test_errors_on_other_rows_are_held_out(run_json, forests, csv, table, tmp_path):
    table.sample(60, random_state=1).to_csv("other.csv", index=False)
    document = run_json("prune", forests / "kind", "other.csv", "--size", "9")
    assert document["errors_from"] == "held-out"
    assert document["kept"] == 9


def test_models_saved_without_metadata(run, run_json, csv, table, tmp_path):
    frame = table[["größe"]].fillna(0.0).assign(flag=table["flag"].astype(float))
    frame.assign(price=table["price"]).to_csv("t.csv", index=False)
    pauca.save(BaggingRegressor(n_estimators=12, random_state=0).fit(frame, table["price"]), "bagging")
    document = run_json("prune", "bagging", "t.csv", "--target", "price", "--size", "0.5", "-o", "small")
    assert document["kept"] == 6
    predicted = [row["prediction"] for row in run_json("predict", "small", "t.csv")["predictions"]]
    np.testing.assert_allclose(predicted, pauca.load(tmp_path / "small").predict(frame))


def test_unusable_input_is_refused(run, refused, forests, csv):
    refused(run("prune", "nowhere", csv), 2, "nowhere does not exist")
    refused(run("prune", forests / "kind", csv, "--target", "colour"), 2, "'colour'")
    refused(run("prune", forests / "kind", csv, "--method", "luck"), 2, "method must be one of")
    refused(run("prune", forests / "kind", csv, "--size", "many"), 2, "--size", "'many'")
    refused(run("prune", forests / "kind", csv, "--size", "200"), 2, "100 members")
    refused(run("prune", forests / "kind", csv, "--method", "exhaustive"), 2, "not feasible")
    refused(run("prune", forests / "kind", csv, "-o", "no/where"), 2, "folder")


def test_unusable_models_are_refused(run, refused, csv):
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    pauca.save(Ridge().fit(X, y), "ridge")
    pd.DataFrame({"x": X[:, 0], "y": y}).to_csv("t.csv", index=False)
    refused(run("prune", "ridge", "t.csv", "--target", "y"), 2, "ensemble must be a bagging")
    refused(run("prune", "ridge", "t.csv"), 2, "--target")
    pauca.save(RandomForestClassifier(5).fit(X, ["a", "b"] * 10), "forest")
    pd.DataFrame({"x": X[:, 0], "y": ["a", "c"] * 10}).to_csv("t.csv", index=False)
    refused(run("prune", "forest", "t.csv", "--target", "y"), 2, "y has classes other than 'a', 'b'")
