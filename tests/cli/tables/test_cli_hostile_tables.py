"""Tables that cannot be learned from get one line; odd ones that can are learned from."""

import csv
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier


def write(text, name="t.csv"):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def rows(n=40):
    """A plain table: x decides y."""
    x = np.linspace(-1, 1, n)
    return pd.DataFrame({"x": x, "y": np.where(x + 0.1 * np.sin(40 * x) > 0, "b", "a")})


@pytest.fixture
def fit(run):
    return lambda name, *options: run("fit", name, "--target", "y", "--no-compare", *options)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("x,y\n", "no rows"),
        ("x,z\n1,2\n", "no column is called 'y'; there are 'x', 'z'"),
        ("x,x,y\n1,2,a\n", "more than one column named 'x'"),
        ("x,y\n1,a\n2,a\n3,a\n", "one class only, 'a'"),
        ("x,y\n1,a\n2,a\n3,b\n", "single row of class 'b'"),
        ("x,y\n1,\n2,\n", "empty in every row"),
        ("y\na\nb\na\nb\n", "no column is left to learn from"),
        ("x,c,y\n,1,a\n,1,b\n,1,a\n,1,b\n", "'x' left out: it is empty; column 'c' left out: it is constant"),
        ("x,y\n1,a\n2,b\n3,a\n4,b\n5,c,6,7\n", "cannot be read as a table"),
        ("x,y\n1,a\n2,a\n3,b\n4,b\n", "cannot hold out"),
        ("x,y\n1,a,9\n2,b,9\n", "cannot be read as a table"),
        ('x,y\n"1,a\n', "cannot be read as a table"),
        ("a\0b,y\n", "not a text table"),
    ],
)
def test_refused_tables(fit, refused, text, part):
    refused(fit(write(text)), 2, part)


def test_missing_file_and_folder(fit, refused, tmp_path):
    refused(fit("nothing.csv"), 2, "nothing.csv does not exist")
    refused(fit(tmp_path), 2, "names no Parquet file")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_binary_garbage(fit, refused, tmp_path, name):
    (tmp_path / name).write_bytes(np.random.default_rng(0).bytes(4000))
    refused(fit(name), 2, "cannot be read as a table")


def test_numbers_for_a_text_target(fit, refused, tmp_path):
    rows().to_csv(tmp_path / "t.csv", index=False)
    refused(fit("t.csv", "--task", "regression"), 2, "'y' is not numeric", "--task classification")


def test_constant_number(fit, refused, tmp_path):
    rows().assign(y=2.5).to_csv(tmp_path / "t.csv", index=False)
    refused(fit("t.csv", "--task", "regression"), 2, "'y' is constant")


def test_options_that_contradict(fit, refused, tmp_path):
    rows().to_csv(tmp_path / "t.csv", index=False)
    refused(fit("t.csv", "--cv", "3", "--test-size", "0.5"), 2, "exclude each other")
    refused(fit("t.csv", "--cv", "1"), 2, "--cv")
    refused(fit("t.csv", "--cv", "30"), 2, "the smallest has")
    refused(fit("t.csv", "--drop", "colour"), 2, "no column is called 'colour'")
    refused(fit("t.csv", "-o", "nowhere/model"), 2, "folder of nowhere/model does not exist")
    refused(fit("t.csv", "-o", tmp_path), 2, "is a folder")


def test_missing_targets_are_left_out_with_a_note(run_json, tmp_path):
    frame = rows()
    frame.loc[[1, 30], "y"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    document = run_json("fit", "t.csv", "--target", "y", "--no-compare")
    assert document["rows"] == 38
    assert "2 of 40 rows left out: target 'y' is missing" in document["notes"]


def test_infinities_and_blanks_are_missing_values(run_json, tmp_path):
    frame = rows()
    frame.loc[[1, 30], "x"] = [np.inf, np.nan]
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert run_json("fit", "t.csv", "--target", "y", "--no-compare")["rows"] == 40


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_delimiters_and_byte_order_mark(run_json, tmp_path, delimiter):
    rows().to_csv(tmp_path / "t.csv", index=False, sep=delimiter, encoding="utf-8-sig")
    assert run_json("fit", "t.csv", "--target", "y", "--no-compare")["columns"] == {"x": "number"}


def test_delimiters_in_quotes_and_blanks_after_them(run_json, tmp_path):
    frame = rows().rename(columns={"x": "a, b, c"})
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";", quoting=csv.QUOTE_NONNUMERIC)
    assert run_json("fit", "t.csv", "--target", "y", "--no-compare")["columns"] == {"a, b, c": "number"}
    (tmp_path / "t.csv").write_text(
        "x, y\n" + "".join(f"{x}, {y}\n" for x, y in rows()[["x", "y"]].to_numpy())
    )
    assert run_json("fit", "t.csv", "--target", "y", "--no-compare")["columns"] == {"x": "number"}


def test_unicode_everywhere(run, tmp_path):
    frame = rows().rename(columns={"x": "Größe [m²]", "y": "种类"})
    frame["种类"] = frame["种类"].map({"a": "🐱", "b": "犬"})
    frame.to_csv(tmp_path / "表.csv", index=False)
    result = run("fit", "表.csv", "--target", "种类", "--no-compare", "-o", "модель")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "модель").exists()


def test_peer_that_cannot_be_fitted_leaves_a_note(run_json, tmp_path, monkeypatch):
    peers = {"stubborn": DummyClassifier(strategy="constant", constant="no such class")}
    monkeypatch.setattr("pauca.cli.commands.fit.make_peers", lambda task, y, seed: peers)
    rows().to_csv(tmp_path / "t.csv", index=False)
    document = run_json("fit", "t.csv", "--target", "y")
    assert document["notes"][-1].startswith("stubborn left out: ")
    assert [row["machine"] for row in document["machines"]] == ["sparse GP"]


def test_rare_class(run_json, tmp_path):
    rows().assign(y=["rare"] * 2 + ["a"] * 19 + ["b"] * 19).to_csv(tmp_path / "t.csv", index=False)
    document = run_json("fit", "t.csv", "--target", "y")
    assert len(document["machines"]) == 5


def test_duplicate_columns_in_parquet(fit, refused, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table([[1, 2], [3, 4], ["a", "b"]], names=["x", "x", "y"]), tmp_path / "t.parquet")
    refused(fit("t.parquet"), 2, "more than one column named 'x'")


def test_types_of_parquet(run_json, tmp_path):
    frame = rows()
    frame["count"] = pd.array([1, None] * 20, dtype="Int64") + pd.array(range(40), dtype="Int64")
    frame["maybe"] = pd.array([True, False, None, True] * 10, dtype="boolean")
    frame["price"] = [Decimal(i) / 7 for i in range(40)]
    frame["day"] = pd.date_range("2024-01-01", periods=40, tz="Europe/Berlin").to_list()
    frame.rename(columns={"x": "0"}).to_parquet(tmp_path / "t.parquet")
    columns = run_json("fit", "t.parquet", "--target", "y", "--no-compare", "-o", "model")["columns"]
    assert columns == {
        "0": "number",
        "count": "number",
        "maybe": "category",
        "price": "number",
        "day": "date",
    }
    assert len(run_json("predict", "model", "t.parquet")["predictions"]) == 40


def test_enormous_labels(run_json, tmp_path):
    frame = rows()
    frame.assign(y=np.where(frame["x"] > 0, 1e300, -1e300)).to_csv(tmp_path / "t.csv", index=False)
    document = run_json("fit", "t.csv", "--target", "y", "--no-compare")
    assert document["task"] == "classification"


def test_cells_that_are_not_understood(run_json, tmp_path):
    frame = rows()
    frame["list"] = [[1, 2]] * 40
    frame["span"] = pd.to_timedelta(np.arange(40), unit="s")
    frame.to_parquet(tmp_path / "t.parquet")
    document = run_json("fit", "t.parquet", "--target", "y", "--no-compare")
    assert document["columns"] == {"x": "number"}
    assert sum("not understood" in note for note in document["notes"]) == 2


@pytest.mark.parametrize("command", ["fit", "rank", "compare"])
def test_numbers_of_impossible_size_are_refused_by_their_column(run, refused, tmp_path, table, command):
    table.assign(huge=np.where(table.index % 2, 1e200, 3.0)).to_csv(tmp_path / "huge.csv", index=False)
    result = run(command, tmp_path / "huge.csv", "--target", "kind")
    refused(result, 2, "column 'huge' holds numbers beyond 1e+100", "--drop")


def test_dates_far_from_today(run, tmp_path, table):
    days = [f"{year:04d}-12-01" for year in np.resize([1, 1582, 2024, 9999], len(table))]
    table.assign(day=days).to_csv(tmp_path / "days.csv", index=False)
    result = run("fit", tmp_path / "days.csv", "--target", "kind", "--no-compare", "-o", "m.skops")
    assert result.exit_code == 0, result.stderr
    assert run("predict", "m.skops", tmp_path / "days.csv", "-o", "p.csv").exit_code == 0
