"""``pauca fit`` on Parquet files in blocks."""

import numpy as np
import pandas as pd
import pytest

from pauca.cli.commands import fit_blocks


@pytest.fixture
def files(tmp_path):
    """Three files with a column of text, of 700 rows in all."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 2))
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "name": "text"})
    table["y"] = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=700)
    table["empty"] = 0.0
    for k, (first, last) in enumerate([(0, 200), (200, 450), (450, 700)]):
        table[first:last].to_parquet(tmp_path / f"rows-{k}.parquet", index=False)
    return sorted(tmp_path.glob("*.parquet"))


def test_files_are_learned_and_scored(run, run_json, files):
    document = run_json("fit", *files, "--target", "y", "--drop", "empty")
    (scores,) = document["machines"]
    assert document["rows"] == 700
    assert document["columns"] == {"a": "number", "b": "number"}
    assert scores["rows"] + scores["test_rows"] == 700
    assert 120 < scores["test_rows"] < 230
    assert scores["rmse"] < 0.2
    assert any("no numbers: 'name'" in note for note in document["notes"])
    text = run("fit", files[0].parent, "--target", "y")
    assert "sparse GP" in text.stdout


def test_the_model_is_saved_and_predicts(run, files):
    result = run("fit", *files, "--target", "y", "--drop", "empty", "-o", "model.skops")
    assert result.exit_code == 0, result.stderr
    assert "trained on all 700 rows" in result.stdout
    result = run("predict", "model.skops", files[1], "-o", "out.parquet")
    assert result.exit_code == 0, result.stderr
    table = pd.read_parquet("out.parquet")
    assert np.sqrt(np.mean(np.square(table["prediction"] - table["y"]))) < 0.2


def test_a_large_file_is_read_in_blocks(files, monkeypatch):
    assert not fit_blocks.reads_in_blocks([files[0]], None)
    monkeypatch.setattr(fit_blocks, "_FROM_ROWS", 100)
    assert fit_blocks.reads_in_blocks([files[0]], None)
    assert fit_blocks.reads_in_blocks([files[0].parent / "*.parquet"], None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--target", "z"), "no column is called 'z'"),
        (("--target", "y", "--machine", "rvm"), "learned by sparsegp only"),
        (("--target", "y", "--cv", "3"), "leave --cv and --groups out"),
        (("--target", "y", "--drop", "a", "--drop", "b", "--drop", "empty"), "no column of numbers is left"),
    ],
)
def test_wrong_options_are_refused(run, files, words, message):
    result = run("fit", *files, *words)
    assert result.exit_code != 0
    assert message in result.stderr


def test_bad_files_are_one_line(run, files):
    files[1].write_bytes(files[1].read_bytes()[:300])
    result = run("fit", *files, "--target", "y")
    assert result.exit_code != 0
    assert "rows-1.parquet cannot be read as Parquet; it may be truncated" in result.stderr
    result = run("fit", files[0].parent / "none-*.parquet", "--target", "y")
    assert "names no Parquet file" in result.stderr


@pytest.mark.slow
def test_a_cluster_gives_the_same_scores(run_json, files):
    words = ("fit", *files, "--target", "y", "--drop", "empty")
    alone, cluster = (run_json(*words, *more)["machines"][0] for more in ((), ("--dask", "local")))
    for name in ("rmse", "nlpd", "log_evidence"):
        assert cluster[name] == pytest.approx(alone[name], abs=1e-6)
