"""Summaries say what the machine is, in text, HTML and Markdown, whatever the names."""

import html
import re

import numpy as np
import pytest
from exported_machines import NAMES, fitted

import pauca
from pauca.datasets import make_ripley
from pauca.export.summary.far import behaviour_far_away


@pytest.mark.parametrize("name", NAMES)
def test_every_machine_has_a_summary(name):
    machine, _ = fitted(name)
    summary = machine.summary()
    assert summary.title == type(machine).__name__
    assert set(summary.sections) == {"Machine", "Data", "Model", "Fit", "Predictions"}
    assert summary.sections["Data"]["Columns"].startswith(str(machine.n_features_in_))
    assert int(summary.sections["Data"]["Rows"]) > 0
    assert f"{machine.log_evidence_:.2f}" in summary.sections["Fit"]["Log evidence"]
    text, page = str(summary), summary._repr_html_()
    for facts in summary.sections.values():
        for fact in facts:
            assert fact in text
            assert html.escape(fact) in page
    if not machine.converged_:
        assert any("did not converge" in warning for warning in summary.warnings)


def test_leave_one_out_scores_are_those_of_the_path():
    machine, _ = fitted("rvm, ep")
    last = machine.path_[-1]
    found = machine.summary().sections["Fit"]["Leave-one-out"]
    assert found == f"error {last['loo_error']:.1%}, log-loss {-last['loo_log_density']:.3f} nats"


def test_scores_and_rows_follow_the_fit():
    """Rows that are added count, and end the leave-one-out scores, which a new fit brings back."""
    X, y = make_ripley(120, random_state=0)
    number = X[:, 0] + y
    for machine, target in ((pauca.SparseGPClassifier("rbf"), y), (pauca.SparseGPRegressor("rbf"), number)):
        machine.fit(X[:80], target[:80])
        assert "log-loss" in machine.summary().sections["Fit"]["Leave-one-out"]
        summary = machine.update(X[80:], target[80:]).summary()
        assert summary.sections["Data"]["Rows"] == "120"
        assert summary.sections["Fit"]["Leave-one-out"].startswith("not known, since rows")
        summary = machine.fit(X[:60], target[:60]).summary()
        assert summary.sections["Data"]["Rows"] == "60"
        assert "log-loss" in summary.sections["Fit"]["Leave-one-out"]
    machine = pauca.BayesMachineClassifier().fit(X[:60], y[:60])
    assert machine.summary().sections["Fit"]["Leave-one-out"] == "not known for this kind of machine"


def test_far_away_is_what_the_machine_predicts_far_away():
    machine, _ = fitted("rvm regressor alone")
    far = 1e9 * np.random.default_rng(3).normal(size=(20, 5))
    mean, std = machine.predict(far, return_std=True)
    text = behaviour_far_away(machine._portable()).text
    assert text == f"mean {mean.min():.4g}, deviation {np.median(std):.4g}"
    sure, _ = fitted("rvm, poly")
    assert behaviour_far_away(sure._portable()).text.startswith("probability of 1")


def test_hostile_names_are_escaped():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X, y = make_ripley(60, random_state=0)
    hostile = ["<script>alert(1)</script>", "a|b\n\x1b[31m# c"]
    labels = np.array(["<b>no</b>", "*yes*"])[y]
    machine = pauca.SparseGPClassifier(gamma=1.0).fit(pandas.DataFrame(X, columns=hostile), labels)
    summary = machine.summary()
    assert "<script>" not in summary._repr_html_()
    assert "<b>no" not in summary._repr_html_()
    assert "\x1b" not in str(summary)
    markdown = summary.to_markdown()
    assert "<script>" not in markdown
    assert not re.search(r"(?<!\\)\*yes", markdown)
    rows = [line for line in markdown.splitlines() if line.startswith("| ")]
    assert all(line.count("|") - line.count("\\|") == 3 for line in rows)


def test_kernel_functions_have_a_summary():
    X, y = make_ripley(60, random_state=0)
    summary = pauca.RVMClassifier(lambda a, b: a @ b.T).fit(X, y).summary()
    assert "cannot be exported" in summary.sections["Predictions"]["Export"]


def test_cards_are_written_beside_models(tmp_path):
    machine, _ = fitted("sparse gp regressor")
    pauca.save(machine, tmp_path / "model.skops", card=True)
    card = (tmp_path / "model.md").read_text(encoding="utf-8")
    assert card.lstrip().startswith("# SparseGPRegressor")
    assert "Log evidence" in card
    assert "load('model.skops')" in card
    with pytest.raises(ValueError, match="choose another ending"):
        pauca.save(machine, tmp_path / "model.md", card=True)


def test_what_was_done_to_each_column_of_a_table():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    rng = np.random.default_rng(0)
    size, name = rng.normal(size=80), "a name that is longer than its place"
    X = pandas.DataFrame({"price": np.exp(4 * size), name: rng.choice(["red", "blue"], 80)})
    X["id"], X["none"], y = [f"row {place}" for place in range(80)], np.nan, size + 2.0 * (X[name] == "red")
    X.loc[::4, "price"] = np.nan
    machine = pauca.SparseGPRegressor("rbf").fit(X, y)
    summary = machine.summary()
    found = summary.sections["Columns of the table"]
    assert found["price"].startswith("number by ranks, 25.0% missing, main effect ")
    assert found[name].startswith("category, 2 levels, main effect ")
    assert found["id"] == "identifier, 80 levels, left out"
    assert found["none"] == "constant, 100.0% missing, left out"
    assert f"\n{name}\n  " in str(summary)
    many = pandas.DataFrame(rng.normal(size=(40, 32))).rename(columns=lambda place: f"x{place}")
    machine = pauca.SparseGPRegressor("rbf", additive=True).fit(many, many["x3"])
    found = machine.summary().sections["Columns of the table"]
    assert next(iter(found)) == "x3"
    assert found["..."] == "2 more, in columns_"
