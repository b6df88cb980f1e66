"""Commands never write over what they read, and leave old files whole when they fail."""

import os

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import pauca
from pauca.atomic_file import replacing
from pauca.cli.tables.files import write_table

FIT = ("fit", "t.csv", "--target", "label", "--no-compare")


@pytest.fixture
def here(tmp_path, label_tables):
    """A table, a link to it, and a model, in the folder where commands run."""
    (tmp_path / "t.csv").write_bytes(label_tables[0].read_bytes())
    (tmp_path / "link.csv").symlink_to("t.csv")
    os.link(tmp_path / "t.csv", tmp_path / "hard.csv")
    table = pd.read_csv(tmp_path / "t.csv")
    forest = RandomForestClassifier(5, random_state=0).fit(table[["a", "b", "c"]], table["label"])
    pauca.save(forest, tmp_path / "forest.skops")
    return tmp_path


CASES = [
    ("fit", "t.csv", "--target", "label", "-o", "t.csv"),
    ("fit", "t.csv", "--target", "label", "-o", "./x/../t.csv"),
    ("fit", "t.csv", "--target", "label", "-o", "link.csv"),
    ("fit", "link.csv", "--target", "label", "-o", "t.csv"),
    ("fit", "t.csv", "--target", "label", "-o", "hard.csv"),
    ("rank", "t.csv", "--target", "label", "-o", "t.csv"),
    ("rank", "t.csv", "--target", "label", "--plot", "t.csv"),
    ("compare", "t.csv", "--target", "label", "-o", "t.csv"),
    ("compare", "t.csv", "--target", "label", "--store", "t.csv"),
    ("predict", "forest.skops", "t.csv", "-o", "forest.skops"),
    ("predict", "forest.skops", "t.csv", "-o", "t.csv"),
    ("prune", "forest.skops", "t.csv", "--target", "label", "-o", "forest.skops"),
]


@pytest.mark.parametrize("words", CASES, ids=" ".join)
def test_an_input_is_not_destroyed(here, run, refused, words):
    (here / "x").mkdir()
    before = {path.name: path.read_bytes() for path in here.iterdir() if path.is_file()}
    refused(run(*words), 2, "which is read: writing there would destroy it")
    assert {path.name: path.read_bytes() for path in here.iterdir() if path.is_file()} == before


def test_two_outputs_are_two_files(here, run, refused):
    result = run("compare", "t.csv", "--target", "label", "-o", "x", "--store", "x")
    refused(result, 2, "--output and --store name the same file")
    result = run("rank", "t.csv", "--target", "label", "-o", "x", "--plot", "./x")
    refused(result, 2, "--output and --plot name the same file")


def test_an_old_output_may_be_replaced(here, run):
    (here / "m.skops").write_text("old")
    assert run(*FIT, "-o", "m.skops").exit_code == 0
    assert hasattr(pauca.load(here / "m.skops"), "predict")


def test_a_failed_write_leaves_the_old_file(tmp_path, table):
    path = tmp_path / "old.csv"
    path.write_text("old")

    class Full:
        columns = ()

        def to_csv(self, target, index):
            target.write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_table(Full(), path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["old.csv"]


def test_a_link_is_followed_and_the_mode_is_kept(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    with replacing(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_to_and_not_replaced():
    with replacing("/dev/null") as temporary:
        assert str(temporary) == "/dev/null"
    assert not os.path.isfile("/dev/null")


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_formulas_are_escaped_on_request(tmp_path, name):
    cells = ["=1+1", "+1", "-x", "@x", "\t=1", "plain", "1=1", None]
    table = pd.DataFrame({"=cmd()": cells, "number": np.arange(8.0) - 4})
    write_table(table, tmp_path / name, escape_formulas=True)
    found = pd.read_csv(tmp_path / name) if name.endswith("csv") else pd.read_parquet(tmp_path / name)
    assert list(found.columns) == ["'=cmd()", "number"]
    escaped = ["'=1+1", "'+1", "'-x", "'@x", "'\t=1", "plain", "1=1"]
    assert found["'=cmd()"].tolist()[:7] == escaped
    assert found["number"].tolist() == table["number"].tolist()
    write_table(table, tmp_path / "as_it_is.csv")
    assert pd.read_csv(tmp_path / "as_it_is.csv")["=cmd()"][0] == "=1+1"


def test_predictions_without_formulas(here, run):
    assert run(*FIT, "-o", "m.skops").exit_code == 0
    table = pd.read_csv(here / "t.csv").assign(note="=1+1")
    table.to_csv(here / "notes.csv", index=False)
    assert run("predict", "m.skops", "notes.csv", "-o", "p.csv", "--escape-formulas").exit_code == 0
    assert (pd.read_csv(here / "p.csv")["note"] == "'=1+1").all()
