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
    assert ranking.columns.tolist() == ["rank", "feature", "probability", "weight", "std", "towards"]
    assert set(ranking["feature"][:2]) == {"g3", "g30"}
    towards = dict(zip(ranking["feature"], ranking["towards"], strict=True))
    assert (towards["g3"], towards["g30"]) == ("ill", "healthy")
    assert "prior probability of each feature 0.5, so 30 expected" in result.stdout
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
    assert document["ranking"][0]["feature"] in ("g3", "g30")
    everything = run_json(*words, "--top", "62")["ranking"]
    assert {"colour = red", "colour = blue"} < {row["feature"] for row in everything}


def test_credible_sets(run, run_json, genes, tmp_path):
    table = pd.read_csv(genes)
    table["copy"] = table["g3"] + 0.02 * np.random.default_rng(1).normal(size=40)
    table.to_csv(genes, index=False)
    words = ["rank", genes, "--target", "level", "--drop", "state", "--expected-features", "2"]
    document = run_json(*words, "--credible-sets", "--plot", "sets.png")
    (found,) = document["credible_sets"]
    assert set(found["features"]) <= {"g3", "copy"}
    assert found["probability"] >= 0.95
    assert (tmp_path / "sets.png").stat().st_size > 1000
    result = run(*words, "--credible-sets", "--top", "3")
    assert "credible sets: with a probability of 0.95 one of the features matters" in result.stdout
    labelled = ["rank", genes, "--target", "state", "--drop", "level", "--credible-sets"]
    assert (
        "class" in run_json(*labelled)["credible_sets"][0] if run_json(*labelled)["credible_sets"] else True
    )


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
            "--expected-features must be a number, evidence or posterior",
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
