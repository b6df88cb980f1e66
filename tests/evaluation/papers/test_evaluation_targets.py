"""Verdicts on bounds."""

import pytest

from pauca.evaluation import Target


@pytest.mark.parametrize(
    ("value", "at_least", "verdict"),
    [(10.0, True, "PASS"), (9.9, True, "MISS"), (10.0, False, "PASS"), (10.1, False, "MISS")],
)
def test_verdicts(value, at_least, verdict):
    assert Target("t", value, 10, at_least).verdict == verdict


def test_what_was_not_measured_has_no_verdict():
    target = Target("t", None, 10, True)
    assert target.verdict == "not measured"
    assert target.row() == {"target": "t", "measured": None, "wanted": "≥ 10", "verdict": "not measured"}
