"""A model saved by ``pauca fit`` predicts in Python the frame that the command line reads."""

import numpy as np
import pandas as pd
import pytest

import pauca


@pytest.fixture
def raw(tmp_path):
    """Dates as text, codes with leading zeros, gaps and truth values."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "day": [f"2024-{1 + place % 12:02d}-{1 + place % 27:02d}" for place in range(60)],
            "code": rng.choice(["01", "02", "x"], 60),
            "size": np.where(rng.random(60) < 0.2, np.nan, rng.normal(size=60)),
            "new": rng.random(60) < 0.5,
        }
    )
    frame["y"] = frame["size"].fillna(2) + 2.0 * (frame["code"] == "x") + 0.1 * rng.normal(size=60)
    frame["kind"] = np.where(frame["y"] > frame["y"].median(), "high", "low")
    frame.to_csv(tmp_path / "t.csv", index=False)
    return frame


@pytest.mark.parametrize("machine", ["sparsegp", "rvm", "forest"])
@pytest.mark.parametrize(("target", "drop"), [("y", "kind"), ("kind", "y")])
def test_python_and_the_command_line_agree(raw, run, tmp_path, monkeypatch, machine, target, drop):
    monkeypatch.chdir(tmp_path)
    words = ["--target", target, "--drop", drop, "--machine", machine, "--no-compare"]
    assert run("fit", "t.csv", *words, "-o", "model").exit_code == 0
    assert run("predict", "model", "t.csv", "-o", "p.csv").exit_code == 0
    by_command = pd.read_csv("p.csv")["prediction"].to_numpy()
    model = pauca.load("model")
    in_python = model.predict(raw.drop(columns=["y", "kind"]))
    if target == "kind":
        np.testing.assert_array_equal(in_python, by_command)
    else:
        np.testing.assert_allclose(in_python, by_command)
    shown = run("show", "model").stdout
    assert ("category, 3 levels" in shown) == (machine == "sparsegp")
    with pytest.raises(ValueError, match="lacks the columns 'day', which the model needs"):
        model.predict(raw[["code", "size", "new"]])
