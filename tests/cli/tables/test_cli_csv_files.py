"""CSV files as people have them: decimal commas, encodings, compression, delimiters."""

import gzip

import numpy as np
import pandas as pd
import pytest

from pauca.cli.tables.csv_format import CsvFormat
from pauca.cli.tables.files import read_table


def german(n=40):
    """Two numbers and a label, as a spreadsheet in Europe writes them."""
    x = np.linspace(-1, 1, n)
    labels = np.where(x + 0.1 * np.sin(40 * x) > 0, "grün", "weiß")
    return pd.DataFrame({"größe": x.round(2), "gewicht": 1000 * x, "farbe": labels})


@pytest.fixture
def fit(run_json):
    def fit_table(name, *options):
        return run_json("fit", name, "--target", "farbe", "--no-compare", *options)

    return fit_table


@pytest.mark.parametrize("sep", [";", ",", "\t"])
def test_decimal_commas_are_read_with_a_note(fit, tmp_path, sep):
    german().to_csv(tmp_path / "t.csv", index=False, sep=sep, decimal=",")
    document = fit("t.csv")
    assert document["columns"] == {"größe": "number", "gewicht": "number"}
    note = "2 columns, 'größe' first, are read with decimal commas (to override: --decimal .)"
    assert note in document["notes"]


def test_decimal_commas_are_the_numbers_that_they_were(tmp_path):
    frame = pd.DataFrame({"a": [0.5, -1234.25, np.nan, 3.0], "b": [1.5, 2.5, 3.5, 4.5]})
    (tmp_path / "t.csv").write_text('a;b;c\n0,5;1.5;"x, y"\n-1.234,25;2.5;1,5\n;3.5;\n3;4.5;z\n')
    notes = []
    table = read_table(tmp_path / "t.csv", notes=notes)
    pd.testing.assert_frame_equal(table[["a", "b"]], frame)
    assert table["c"].tolist()[:2] == ["x, y", "1,5"]
    assert notes == ["column 'a' is read with decimal commas (to override: --decimal .)"]


def test_commas_that_may_group_thousands_are_refused(run, refused, tmp_path):
    (tmp_path / "t.csv").write_text("x;y\n" + "".join(f"{k},250;{k % 2}\n" for k in range(1, 30)))
    words = ["fit", "t.csv", "--target", "y", "--no-compare"]
    refused(run(*words), 2, "commas in column 'x' may be decimal or group thousands", "--decimal ,")
    assert run(*words, "--decimal", ",").exit_code == 0
    assert read_table(tmp_path / "t.csv", form=CsvFormat(decimal=",")).x.iloc[0] == 1.25
    assert read_table(tmp_path / "t.csv", form=CsvFormat(decimal=".")).x.iloc[0] == "1,250"


def test_predictions_read_decimal_commas_as_training_did(run_json, run, tmp_path):
    german().to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    german().to_csv(tmp_path / "points.csv", index=False)
    run("fit", "t.csv", "--target", "farbe", "--no-compare", "-o", "m.skops")
    first, second = (run_json("predict", "m.skops", name)["predictions"] for name in ("t.csv", "points.csv"))
    assert first == second


def test_western_windows_is_recognised(fit, tmp_path):
    german().to_csv(tmp_path / "t.csv", index=False, encoding="cp1252")
    document = fit("t.csv")
    assert list(document["columns"]) == ["größe", "gewicht"]
    assert document["notes"][0] == "t.csv is not UTF-8: read as cp1252 (to override: --encoding)"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_needs_no_note(fit, tmp_path, encoding):
    german().to_csv(tmp_path / "t.csv", index=False, encoding=encoding)
    document = fit("t.csv")
    assert list(document["columns"]) == ["größe", "gewicht"]
    assert not any("read as" in note for note in document["notes"])


def test_any_encoding_can_be_named(fit, run, refused, tmp_path):
    german().to_csv(tmp_path / "t.csv", index=False, encoding="cp437")
    assert list(fit("t.csv", "--encoding", "cp437")["columns"]) == ["größe", "gewicht"]
    words = ["fit", "t.csv", "--target", "farbe"]
    refused(run(*words, "--encoding", "utf-8"), 2, "is not encoded as utf-8")
    refused(run(*words, "--encoding", "klingon"), 2, "klingon")


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz"])
def test_compressed_tables(fit, tmp_path, suffix):
    german().to_csv(tmp_path / f"t.csv.{suffix}", index=False, sep=";", encoding="cp1252")
    assert list(fit(f"t.csv.{suffix}")["columns"]) == ["größe", "gewicht"]


def test_a_file_that_is_not_compressed_says_so(run, refused, tmp_path):
    german().to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "t.csv").rename(tmp_path / "t.csv.gz")
    refused(run("fit", "t.csv.gz", "--target", "farbe"), 2, "cannot be read as a table")


def test_predictions_can_be_compressed(run, tmp_path):
    german().to_csv(tmp_path / "t.csv", index=False)
    run("fit", "t.csv", "--target", "farbe", "--no-compare", "-o", "m.skops")
    assert run("predict", "m.skops", "t.csv", "-o", "p.csv.gz").exit_code == 0
    with gzip.open(tmp_path / "p.csv.gz", "rt") as file:
        assert "prediction" in file.readline()


@pytest.mark.parametrize(("given", "sep"), [("~", "~"), ("tab", "\t"), ("space", " ")])
def test_any_delimiter_can_be_named(fit, tmp_path, given, sep):
    german().to_csv(tmp_path / "t.csv", index=False, sep=sep)
    assert list(fit("t.csv", "--sep", given)["columns"]) == ["größe", "gewicht"]


@pytest.mark.parametrize(("option", "value"), [("--sep", "ab"), ("--decimal", "x")])
def test_wrong_formats_are_refused(run, refused, tmp_path, option, value):
    german().to_csv(tmp_path / "t.csv", index=False)
    for command in (["fit", "t.csv"], ["rank", "t.csv"], ["compare", "t.csv"]):
        refused(run(*command, "--target", "farbe", option, value), 2, option, value)


def test_infinite_cells_leave_a_note(fit, run, run_json, tmp_path):
    frame = german()
    frame.loc[[1, 30], "gewicht"] = [np.inf, -np.inf]
    frame.to_csv(tmp_path / "t.csv", index=False)
    note = "column 'gewicht': 2 infinite cells taken as missing"
    assert note in fit("t.csv", "-o", "m.skops")["notes"]
    assert note in run_json("predict", "m.skops", "t.csv")["notes"]
