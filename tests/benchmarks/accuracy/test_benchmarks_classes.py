"""Many classes: means, ranks and targets."""

import pytest
from benchmarks.__main__ import parse
from benchmarks.accuracy import classes
from benchmarks.harness.contenders import RVM_EVIDENCE, SPARSE_GP_EVIDENCE, SPARSE_GP_ONE_VS_REST, SVC_GRID

from pauca.evaluation import RunStore


def row(problem, machine, loss, error, vectors, seconds):
    names = ("problem", "machine", "log_loss", "error_%", "vectors", "fit_cpu_s")
    return dict(zip(names, (problem, machine, loss, error, vectors, seconds), strict=True))


ROWS = [
    row("a", SPARSE_GP_EVIDENCE, 0.1, 2.0, 10, 1.0),
    row("a", SPARSE_GP_ONE_VS_REST, 0.2, 2.0, 20, 2.0),
    row("a", RVM_EVIDENCE, 0.3, 3.0, 5, 4.0),
    row("a", SVC_GRID, 0.4, 1.0, 50, 8.0),
    row("b", SPARSE_GP_EVIDENCE, 0.3, 2.0, 10, 1.0),
    row("b", SPARSE_GP_ONE_VS_REST, 0.1, 4.0, 20, 0.5),
    row("b", RVM_EVIDENCE, 0.2, 4.0, 5, 1.0),
    row("b", SVC_GRID, 0.5, 4.0, 50, 2.0),
    row("c", SPARSE_GP_EVIDENCE, 9.0, 90.0, 90, 90.0),
]


def test_means_and_ranks_of_what_all_machines_have_solved():
    ours, one_vs_rest, _, svc = classes.summary_rows(ROWS)
    assert ours["problems"] == 2
    assert ours["log_loss"] == pytest.approx(0.2)
    assert ours["rank by log-loss"] == 2
    assert ours["rank by error in %"] == pytest.approx((2.5 + 1) / 2)
    assert one_vs_rest["rank by error in %"] == pytest.approx((2.5 + 3) / 2)
    assert one_vs_rest["fit / SparseGP"] == pytest.approx(1)
    assert svc["fit / SparseGP"] == pytest.approx(4)


def test_targets_compare_joint_inference_with_the_others():
    verdicts = {target.name: target.verdict for target in classes.targets(classes.summary_rows(ROWS))}
    assert verdicts["log-loss: SparseGP − one-vs-rest"] == "MISS"
    assert verdicts["vectors: SparseGP / one-vs-rest"] == "PASS"
    assert classes.targets([]) == []


def test_a_set_that_is_missing_is_left_out_by_name(monkeypatch):
    def absent(name, split):
        raise FileNotFoundError("no such set")

    monkeypatch.setattr(classes, "half", absent)
    report = classes.run(parse(["classes", "--quick"]), RunStore(None))
    assert report.notes == ["iris left out: no such set"]
    assert report.targets == []
