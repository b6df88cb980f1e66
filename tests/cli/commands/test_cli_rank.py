"""``pauca rank``: the ranking printed, saved and drawn, and input that is refused."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def genes(tmp_path):
    """40 rows, 60 numeric columns, two of which matter, and a target."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, 60)), columns=[f"g{j}" for j in range(60)])
    table["state"] = np.where(table["g3"] - table["g30"] > 0, "ill", "healthy")
    table["level"] = 3 * table["g3"] + 0.1 * rng.normal(size=40)
    table.to_csv(tmp_path / "genes.csv", index=False)
    return tmp_path / "genes.csv"


def test_ranking_is_printed_saved_and_drawn(run, genes, tmp_path):
    words = ["rank", genes, "--target", "state", "--drop", "level", "--top", "4"]
    result = run(*words, "-o", "ranking.csv", "--plot", "heat.png")
    assert result.exit_code == 0, result.stderr
    assert "40 rows, 60 features" in result.stdout
    assert "saved ranking.csv" in result.stdout
    ranking = pd.read_csv(tmp_path / "ranking.csv")
    assert ranking.columns.tolist() == ["rank", "feature", "probability", "weight", "std"]
    assert set(ranking["feature"][:2]) == {"g3", "g30"}
    assert len(ranking) == 60
    assert ranking["probability"].is_monotonic_decreasing
    assert ranking["feature"][3] in result.stdout
    assert ranking["feature"][4] not in result.stdout.split()
    assert (tmp_path / "heat.png").read_bytes().startswith(b"\x89PNG")


def test_json(run_json, genes):
    document = run_json("rank", genes, "--target", "state", "--drop", "level", "--top", "2")
    assert {row["feature"] for row in document["ranking"]} == {"g3", "g30"}
    assert document["features"] == 60
    assert document["converged"] is True
    assert document["prior_probability"] == pytest.approx(0.5)


def test_evidence_and_categories(run_json, genes, tmp_path):
    table = pd.read_csv(genes).assign(colour=np.where(np.arange(40) % 2, "red", "blue"))
    table.to_csv(genes, index=False)
    words = ["rank", genes, "--target", "state", "--drop", "level", "--expected-features", "evidence"]
    document = run_json(*words)
    assert document["expected_features"] < 30
    assert document["features"] == 62
    assert document["ranking"][0]["feature"] in ("numbers__g3", "numbers__g30")


def test_regression_draws_the_probabilities(run_json, genes, tmp_path):
    words = ["rank", genes, "--target", "level", "--drop", "state", "--top", "1", "--plot", "p.png"]
    document = run_json(*words)
    assert document["task"] == "regression"
    assert document["ranking"][0]["feature"] == "g3"
    assert (tmp_path / "p.png").stat().st_size > 1000


@pytest.mark.parametrize(("target", "other"), [("state", "level"), ("level", "state")])
def test_the_machine_can_be_fitted_and_saved(target, other, run_json, genes):
    words = ["fit", genes, "--target", target, "--drop", other, "--machine", "spikeslab", "--no-compare"]
    document = run_json(*words, "-o", "model")
    assert document["machines"][0]["machine"] == "spike and slab"
    score = document["machines"][0]
    assert score["error"] < 0.5 if target == "state" else score["r2"] > 0.2
    assert len(run_json("predict", "model", genes)["predictions"]) == 40


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "nothing"], "no column is called 'nothing'"),
        (
            ["--target", "state", "--expected-features", "some"],
            "--expected-features must be a number or evidence",
        ),
        (["--target", "state", "--expected-features", "0"], "--expected-features must be above 0"),
        (["--target", "state", "-o", "no/such/folder.csv"], "folder of no/such/folder.csv does not exist"),
        (["--target", "state", "--top", "0"], "--top"),
    ],
)
def test_what_is_refused(run, genes, words, message):
    result = run("rank", genes, *words)
    assert result.exit_code == 2
    assert message in result.stderr
