"""Values as JSON and as cells of a table."""

import json

import numpy as np
import pytest

from pauca.cli.reports.terminal import SCORES, plain, print_json, print_rows, print_scores, written


def test_plain_values_are_those_that_json_has():
    value = {1: (np.float64(0.5), np.nan), "n": np.int64(3), "deep": [{"inf": np.inf}], "text": "ü"}
    assert plain(value) == {"1": [0.5, None], "n": 3, "deep": [{"inf": None}], "text": "ü"}


def test_json_is_one_document(capsys):
    print_json({"a": np.nan, "b": [np.float32(0.25)]})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [0.25]}


@pytest.mark.parametrize(("value", "text"), [(0.1234, "12.3%"), (None, "–"), (np.nan, "–")])
def test_missing_scores_are_dashes(value, text):
    error = SCORES["classification"][0]
    assert written(error, value) == text


def test_columns_that_no_machine_fills_are_left_out(capsys):
    print_scores("title", [{"machine": "A", "rmse": 1.5, "nlpd": None}], "regression")
    shown = capsys.readouterr().out
    assert "RMSE" in shown
    assert "dens." not in shown


def test_text_of_the_user_is_not_markup(capsys):
    print_rows("weight [/kg]", [{"name": "[bold]x[/bold]", "value": 0.123456}])
    print_scores("height [/m]", [{"machine": "A", "rmse": 1.5}], "regression")
    shown = capsys.readouterr().out
    for part in ("weight [/kg]", "[bold]x[/bold]", "0.1235", "height [/m]"):
        assert part in shown
