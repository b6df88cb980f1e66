"""Three thousand hostile fits: finite numbers, or an error that names what is wrong."""

import fuzz_cases
import numpy as np
import pytest
from fuzz_cases import Case, _fit_and_predict, case_of, defect_of

from pauca import RVMClassifier
from pauca.datasets import make_ripley

N_FAST, N_SLOW, BLOCK = 400, 3000, 100


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """More CPU seconds than a run by hand allows: they pass faster where others share the cores."""
    monkeypatch.setattr(fuzz_cases, "MAX_SECONDS", 4 * fuzz_cases.MAX_SECONDS)


def defects(numbers):
    found = {number: defect_of(case_of(number)) for number in numbers}
    return [
        f"run.py {number}: {case_of(number).description}: {found[number]}"
        for number in found
        if found[number]
    ]


@pytest.mark.parametrize("first", range(0, N_FAST, BLOCK))
def test_hostile_fits(first):
    assert defects(range(first, first + BLOCK)) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(N_FAST, N_SLOW, BLOCK))
def test_more_hostile_fits(first):
    assert defects(range(first, first + BLOCK)) == []


def test_cases_are_drawn_from_their_number_alone():
    for number in range(20):
        a, b = case_of(number), case_of(number)
        assert a.description == b.description
        assert defect_of(a) == defect_of(b)


X, Y = make_ripley(30, random_state=0)


def fit_of(estimator):
    names = frozenset(estimator.get_params())
    return Case(0, "", lambda: _fit_and_predict(estimator, X, Y, None), names)


class Broken(RVMClassifier):
    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


class Loud(RVMClassifier):
    def fit(self, X, y):
        raise ValueError("the 7-th leading minor is not positive")


class Raising(RVMClassifier):
    def fit(self, X, y):
        raise ZeroDivisionError("by zero")


class Endless(RVMClassifier):
    def fit(self, X, y):
        while True:
            pass


@pytest.mark.parametrize(
    ("estimator", "complaint"),
    [
        (Broken(), "predict_proba is not finite"),
        (Raising(), "ZeroDivisionError"),
        (Endless(), "too many CPU seconds"),
    ],
)
def test_a_defect_is_found(monkeypatch, estimator, complaint):
    monkeypatch.setattr("fuzz_cases.MAX_SECONDS", 0.2)
    assert complaint in defect_of(fit_of(estimator))


def test_a_first_call_that_compiles_may_be_slow(monkeypatch):
    monkeypatch.setattr("fuzz_cases.MAX_SECONDS", 0.2)
    calls = []

    def run():
        calls.append("call")
        while len(calls) == 1:
            pass

    assert defect_of(Case(0, "", run, frozenset())) is None
    assert len(calls) == 2


def test_an_unclear_message_is_found(monkeypatch):
    monkeypatch.setattr("fuzz_cases.PACKAGE", __file__.rsplit("/", 1)[0])
    assert "unclear ValueError" in defect_of(fit_of(Loud()))
