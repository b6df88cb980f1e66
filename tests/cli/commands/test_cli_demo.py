"""``pauca demo``: numbers, sentence and plot."""

import sys

import pytest

from pauca.cli.commands.demo import state
from pauca.cli.real_tables import verdicts


def test_table_and_sentence(run, tmp_path):
    text = run("demo")
    assert text.exit_code == 0, text.output
    assert text.stderr == ""
    for name in ("sparse GP", "RVM", "calibrated SVC", "logistic", "Gaussian process", "true posterior"):
        assert name in text.stdout
    assert "sinc function" in text.stdout
    assert "…" not in text.stdout
    assert text.stdout.splitlines()[-1].startswith("On the breast cancer data sparse GP keeps ")
    for name in ("breast cancer", "wine", "diabetes"):
        assert f"{name}: trained on one half" in text.stdout
        assert f"{name}: sparse GP has " in text.stdout
    assert (tmp_path / "pauca-demo.png").read_bytes().startswith(b"\x89PNG")


def test_json_and_plot(run_json, tmp_path):
    document = run_json("demo", "--plot", "surface.png")
    rows = {row["machine"]: row for row in document["ripley"]}
    assert rows["RVM"]["vectors"] < 20 < rows["calibrated SVC"]["vectors"]
    assert rows["sparse GP"]["vectors"] < 20
    for name in ("RVM", "sparse GP"):
        assert rows[name]["error"] < rows["true posterior"]["error"] + 0.03
    assert document["sinc"]["rms_error"] < 0.1
    assert document["sinc"]["noise_std"] == pytest.approx(0.1, abs=0.03)
    cancer = document["tables"]["breast cancer"][0]
    assert cancer["error"] < 0.06
    start = f"On the breast cancer data sparse GP keeps {cancer['vectors']:.0f} vectors"
    assert document["statement"].startswith(start)
    assert len(document["verdicts"]) == len(document["tables"]) == 3
    assert (tmp_path / "surface.png").read_bytes().startswith(b"\x89PNG")


def test_sentence_follows_the_numbers():
    machine = {"machine": "A", "vectors": 5.0, "predict_seconds": 0.001, "error": 0.1, "log_loss": 0.25}
    peer = {"machine": "B", "vectors": 50.0, "predict_seconds": 0.004, "error": 0.12, "log_loss": 0.3}
    forward, backward = state(machine, peer), state(peer, machine)
    assert "A keeps 5 vectors, B keeps 50: 10 times fewer, 4 times faster" in forward
    assert "10.0% against 12.0%" in forward
    assert "B keeps 50 vectors, A keeps 5: 10 times more, 4 times slower" in backward


def test_losses_are_said():
    rows = [{"machine": name, "log_loss": loss} for name, loss in (("A", 0.2), ("B", 0.1), ("C", 0.3))]
    assert verdicts({"t": ("classification", rows)}) == ["t: A has log-loss 0.2, not won: better is B (0.1)."]
    assert verdicts({"t": ("classification", rows[::2])}) == [
        "t: A has log-loss 0.2, the best or within 1 % of it."
    ]


def test_plot_without_matplotlib(run, refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.delitem(sys.modules, "pauca.cli.reports.demo_plots", raising=False)
    refused(run("demo", "--plot", "surface.png"), 1, 'pip install "pauca[plot]"')


def test_plot_into_a_missing_folder(run, refused):
    refused(run("demo", "--plot", "nowhere/surface.png"), 2, "does not exist")
