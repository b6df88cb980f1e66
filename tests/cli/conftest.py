"""Small tables, and a way to run the command line inside the test's process."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pauca.cli import contenders
from pauca.cli.app import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder; the result has exit_code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run_command(*words):
        return CliRunner().invoke(app, [str(word) for word in words])

    return run_command


@pytest.fixture
def run_json(run):
    """Run a command that must succeed, and parse its JSON."""

    def run_command(*words):
        result = run(*words, "--json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return run_command


@pytest.fixture(autouse=True)
def _small_grids(monkeypatch):
    """Tune the peers over small grids, to save time; the same peers whatever is installed."""
    monkeypatch.setattr(contenders, "_SVC_GRID", {"C": [1, 10], "gamma": [1]})
    monkeypatch.setattr(contenders, "_SVR_GRID", {"C": [1, 10], "gamma": [1]})
    monkeypatch.setattr(contenders, "_N_TREES", 10)
    monkeypatch.setattr(contenders, "lightgbm_is_installed", lambda: False)


@pytest.fixture(scope="session")
def table():
    """Numbers, categories, booleans, dates, and columns that cannot be used; targets of both tasks."""
    rng = np.random.default_rng(0)
    n = 80
    x, colour, flag = rng.normal(size=n), rng.choice(["rot", "grün", "blau"], n), rng.random(n) < 0.5
    frame = pd.DataFrame({"id": range(n), "größe": x, "farbe": colour, "flag": flag})
    frame["day"] = pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d")
    frame["comment"] = [f"text {i}" for i in range(n)]
    frame["constant"], frame["empty"] = 1, np.nan
    frame.loc[[3, 8], "größe"] = np.nan
    frame.loc[[5], "farbe"] = None
    frame["kind"] = np.where(x + 0.3 * rng.normal(size=n) + (colour == "rot") > 0.3, "ja", "nein")
    frame["price"] = 2 * x + flag + 0.2 * rng.normal(size=n)
    return frame


@pytest.fixture(scope="session")
def label_tables(tmp_path_factory):
    """Files of three small tables with the same target."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("tables")
    paths = [folder / f"table{k}.csv" for k in range(3)]
    for k, path in enumerate(paths):
        X = rng.normal(size=(60, 3))
        label = np.where(X[:, k] + 0.5 * rng.normal(size=60) > 0, "yes", "no")
        pd.DataFrame(X, columns=list("abc")).assign(label=label).to_csv(path, index=False)
    return paths


@pytest.fixture
def csv(table, tmp_path):
    path = tmp_path / "tabelle.csv"
    table.to_csv(path, index=False)
    return path


def assert_one_line(result, exit_code, *parts):
    """The command failed with one line on stderr, which holds all parts, and printed nothing else."""
    assert result.exit_code == exit_code, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("pauca: ")
    for part in parts:
        assert part in result.stderr


@pytest.fixture
def refused():
    return assert_one_line
