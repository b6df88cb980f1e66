"""``pauca predict``: columns that are added, and input that is refused."""

import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import pauca
from pauca import RVMClassifier
from pauca.cli import app as cli_app
from pauca.datasets import make_ripley


def save_model(table, output, target, *options):
    """Fit a model to a table and save it."""
    from typer.testing import CliRunner

    words = ["fit", table, "--target", target, *options, "--no-compare", "-o", output]
    result = CliRunner().invoke(cli_app.app, [str(word) for word in words])
    assert result.exit_code == 0, result.output


@pytest.fixture(scope="session")
def models(table, tmp_path_factory):
    """One saved model of each task."""
    folder = tmp_path_factory.mktemp("models")
    table.to_csv(folder / "t.csv", index=False)
    for target, other in (("kind", "price"), ("price", "kind")):
        save_model(folder / "t.csv", folder / target, target, "--drop", other)
    return folder


def test_classes_on_stdout(run, models, csv, table):
    result = run("predict", models / "kind", csv)
    assert result.exit_code == 0, result.stderr
    predicted = pd.read_csv(io.StringIO(result.stdout))
    assert list(predicted) == [*table.columns, "prediction", "p_ja", "p_nein", "entropy"]
    np.testing.assert_allclose(predicted["p_ja"] + predicted["p_nein"], 1)
    assert (predicted["prediction"] == np.where(predicted["p_ja"] > 0.5, "ja", "nein")).all()
    assert (predicted["prediction"] == table["kind"]).mean() > 0.7
    assert predicted["entropy"].between(0, 1).all()
    assert result.stderr == ""


def test_numbers_into_parquet(run, models, csv, table, tmp_path):
    result = run("predict", models / "price", csv, "-o", "out.parquet")
    assert result.exit_code == 0, result.stderr
    assert "80 rows" in result.stdout
    predicted = pd.read_parquet(tmp_path / "out.parquet")
    assert list(predicted)[-4:] == ["prediction", "std", "lower_95", "upper_95"]
    assert (predicted["std"] > 0).all()
    assert table["price"].between(predicted["lower_95"], predicted["upper_95"]).mean() > 0.8


def test_predictions_are_those_of_the_loaded_model(run, models, csv, table, tmp_path):
    run("predict", models / "price", csv, "-o", "out.parquet")
    written = pd.read_parquet(tmp_path / "out.parquet")
    features = table[["größe"]].assign(
        farbe=table["farbe"].astype(object).where(table["farbe"].notna(), np.nan),
        flag=table["flag"].map(str).astype(object),
        day=(pd.to_datetime(table["day"]) - pd.Timestamp(0)) / pd.Timedelta(days=1),
    )
    np.testing.assert_array_equal(written["prediction"], pauca.load(models / "price").predict(features))


def test_json_holds_the_predictions(run_json, models, csv):
    document = run_json("predict", models / "kind", csv)
    assert document["rows"] == len(document["predictions"]) == 80
    assert set(document["predictions"][0]) == {"prediction", "p_ja", "p_nein", "entropy"}


def test_json_with_output_names_the_file(run_json, models, csv, tmp_path):
    assert run_json("predict", models / "kind", csv, "-o", "out.csv")["output"] == "out.csv"
    assert (tmp_path / "out.csv").exists()


def test_missing_columns_are_named(run, models, csv, table, refused):
    table.drop(columns=["farbe", "flag"]).to_csv(csv, index=False)
    refused(run("predict", models / "kind", csv), 2, "lacks the columns 'farbe', 'flag'")


def test_only_the_needed_columns_are_needed(run_json, models, csv, table):
    full = run_json("predict", models / "kind", csv)["predictions"]
    table[["day", "flag", "farbe", "größe"]].assign(extra=1).to_csv(csv, index=False)
    assert run_json("predict", models / "kind", csv)["predictions"] == full


def test_strange_values_are_predicted(run_json, models, csv, table):
    strange = table.assign(farbe="violett", flag=None)
    strange["größe"] = np.nan
    strange.to_csv(csv, index=False)
    probabilities = [row["p_ja"] for row in run_json("predict", models / "kind", csv)["predictions"]]
    assert np.isfinite(probabilities).all()


@pytest.mark.parametrize(("column", "what"), [("größe", "a number"), ("day", "a date")])
def test_text_where_a_number_was_is_refused(run, models, csv, table, refused, column, what):
    changed = table.astype({column: object})
    changed.loc[7, column] = "viel"
    changed.to_csv(csv, index=False)
    refused(run("predict", models / "kind", csv), 2, f"column '{column}' holds 'viel', which is not {what}")


def test_predicting_twice_replaces_the_columns(run, models, csv, tmp_path):
    run("predict", models / "kind", csv, "-o", "once.csv")
    result = run("predict", models / "kind", "once.csv", "-o", "twice.csv")
    assert "'prediction' of the table was replaced" in result.stderr
    assert (tmp_path / "once.csv").read_text() == (tmp_path / "twice.csv").read_text()


def test_bad_models(run, models, csv, refused, tmp_path):
    refused(run("predict", "nothing", csv), 2, "nothing does not exist")
    refused(run("predict", csv, csv), 2, "is not a pauca model")
    refused(run("predict", tmp_path, csv), 2, "cannot be read")
    pauca.save(RVMClassifier(gamma=1.0).fit(*make_ripley(40, random_state=0)), tmp_path / "plain")
    refused(run("predict", "plain", csv), 2, "was not saved by `pauca fit`")


def test_bad_tables(run, models, csv, refused, tmp_path):
    refused(run("predict", models / "kind", "nothing.csv"), 2, "nothing.csv does not exist")
    csv.write_text("größe,farbe,flag,day\n", encoding="utf-8")
    refused(run("predict", models / "kind", csv), 2, "no rows")
    refused(run("predict", models / "kind", csv, "-o", "nowhere/out.csv"), 2, "does not exist")


def test_hostile_model_is_refused(run, models, csv, refused, tmp_path):
    from zipfile import ZipFile

    with ZipFile(models / "kind") as source, ZipFile(tmp_path / "hostile", "w") as copy:
        for name in source.namelist():
            content = source.read(name)
            copy.writestr(name, content.replace(b'"SparseGPClassifier"', b'"import_module"'))
    refused(run("predict", "hostile", csv), 2, "import_module", "does not trust")


def test_as_a_process(models, csv):
    command = [sys.executable, "-m", "pauca", "predict", str(models / "price"), str(csv), "--json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0
    assert result.stderr == ""
    assert len(json.loads(result.stdout)["predictions"]) == 80


@pytest.fixture(scope="session")
def coded(tmp_path_factory):
    """A model of categories that look like numbers, flags in capitals and text."""
    folder = tmp_path_factory.mktemp("coded")
    codes = pd.Series(["01", "02", "B7"] * 20)
    frame = pd.DataFrame({"code": codes, "flag": ["TRUE", "FALSE"] * 30})
    frame["y"] = np.where((codes == "01") | (codes == "B7"), "1", "A")
    frame.to_csv(folder / "t.csv", index=False)
    save_model(folder / "t.csv", folder / "model", "y", "--machine", "forest")
    return folder


@pytest.mark.parametrize(
    "table",
    ["code,flag\n01,TRUE\n02,FALSE\n", "code,flag\n01,true\n02,false\n,\n", "code,flag\n01,True\n02,\n"],
)
def test_other_rows_do_not_change_how_a_category_is_read(run_json, coded, tmp_path, table):
    (tmp_path / "new.csv").write_text(table)
    document = run_json("predict", coded / "model", "new.csv")
    assert [row["prediction"] for row in document["predictions"][:2]] == ["1", "A"]
    assert not document["notes"]
    run_json("predict", coded / "model", "new.csv", "-o", "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[1].startswith("01,")


def test_categories_that_are_new_are_named(run_json, coded, tmp_path):
    (tmp_path / "new.csv").write_text("code,flag\n03,TRUE\nC9,TRUE\n01,FALSE\n")
    notes = run_json("predict", coded / "model", "new.csv")["notes"]
    assert notes == ["column 'code' has categories that the training table did not have: '03', 'C9'"]


def test_labels_that_look_like_numbers_prune_a_forest(run_json, coded, tmp_path):
    (tmp_path / "selection.csv").write_text("code,flag,y\n" + "01,TRUE,1\nB7,FALSE,1\n02,TRUE,A\n" * 4)
    assert run_json("prune", coded / "model", "selection.csv", "--size", "5")["kept"] == 5
