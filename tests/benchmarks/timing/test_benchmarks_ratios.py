"""Ratios of seconds, their targets, and the growth exponent."""

import pytest
from benchmarks.harness.contenders import (
    BAYES_EVIDENCE,
    FASTRVM,
    GP_CLASSIFIER,
    RVM_GIVEN,
    SPARSE_GP_EP_GIVEN,
    SPARSE_GP_EVIDENCE,
    SPARSE_GP_GIVEN,
    SVC_GRID,
)
from benchmarks.harness.report import ratio_rows
from benchmarks.timing import bayes, engines, machines, scaling
from benchmarks.timing.speed import targets


def test_ratio_of_engines():
    rows = [
        {"problem": "a", "machine": SPARSE_GP_EP_GIVEN, "fit_cpu_s": 3.0},
        {"problem": "a", "machine": SPARSE_GP_GIVEN, "fit_cpu_s": 1.5},
        {"problem": "b", "machine": SPARSE_GP_GIVEN, "fit_cpu_s": 1.5},
    ]
    by_set = ratio_rows(rows, engines.RATIOS)
    assert [row["EP / Laplace"] for row in by_set] == [2.0, None]
    assert [(target.value, target.verdict) for target in engines.targets(by_set)] == [(2.0, "PASS")]


def test_ratios_are_averaged_geometrically():
    def row(problem, machine, seconds):
        return {"problem": problem, "machine": machine, "fit_cpu_s": seconds, "predict_s": seconds}

    rows = [
        *(row("a", machine, 1.0) for machine in (SPARSE_GP_GIVEN, SPARSE_GP_EVIDENCE)),
        *(row("b", machine, 2.0) for machine in (SPARSE_GP_GIVEN, SPARSE_GP_EVIDENCE)),
        row("a", SVC_GRID, 2.0),
        row("b", SVC_GRID, 16.0),
        row("a", RVM_GIVEN, 1.5),
    ]
    given, whole, predict = machines.targets(ratio_rows(rows, machines.RATIOS))
    assert given.value == pytest.approx(1.5)
    assert whole.value == pytest.approx(4.0)
    assert (given.verdict, whole.verdict, predict.verdict) == ("PASS", "MISS", "MISS")


def test_growth_exponent_is_a_slope_of_logarithms():
    rows = [{"rows": n, "fit_cpu_s": 1e-4 * n**1.1} for n in (1000, 4000, 8000, 16_000)]
    rows[0]["fit_cpu_s"] = 50.0
    assert scaling.exponent(rows) == pytest.approx(1.1)
    assert scaling.exponent(rows[:2]) is None


def test_fit_targets_take_the_less_favourable_clock():
    rows = [
        {"problem": "twonorm N=2000", "machine": RVM_GIVEN, "fit_s": 1.0, "fit_cpu_s": 1.0},
        {"problem": "twonorm N=2000", "machine": FASTRVM, "fit_s": 30.0, "fit_cpu_s": 8.0},
    ]
    fastrvm, grid, process = targets(rows)
    assert fastrvm.value == 8.0
    assert fastrvm.verdict == "MISS"
    assert grid.verdict == process.verdict == "not measured"


def test_targets_are_ratios_of_seconds():
    compared = [
        {"problem": "p", "machine": BAYES_EVIDENCE, "fit_cpu_s": 0.5},
        {"problem": "p", "machine": GP_CLASSIFIER, "fit_cpu_s": 2.0},
    ]
    growth = [{"rows": n, "fit_cpu_s": n / 1000} for n in (4000, 8000)]
    first, slope, *_ = bayes.targets(compared, growth, [{"fit_cpu_s": 50, "peak_GB": 0.5}])
    assert first.value == pytest.approx(4)
    assert first.verdict == "PASS"
    assert slope.value == pytest.approx(1)
