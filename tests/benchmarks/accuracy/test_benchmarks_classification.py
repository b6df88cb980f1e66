"""Classification beside peers: ranks over sets, machines that lack sets, targets and a quick run."""

import pytest
from benchmarks.__main__ import parse
from benchmarks.accuracy import classification
from benchmarks.harness import trees
from benchmarks.harness.contenders import GP_CLASSIFIER, RVM_EVIDENCE, SPARSE_GP_EVIDENCE

from pauca.evaluation import RunStore


def row(dataset, split, machine, log_loss, auc, error, calibration=None, seconds=1.0):
    scores = {"log_loss": log_loss, "auc": auc, "error_%": error, "calibration": calibration}
    sizes = {"vectors": 10, "fit_cpu_s": seconds}
    return {"problem": f"{dataset}/{split}", "set": dataset, "machine": machine, "runs": 1, **scores, **sizes}


ROWS = [
    row("image", 10, SPARSE_GP_EVIDENCE, 0.06, 0.99, 2.0, 0.01),
    row("image", 10, RVM_EVIDENCE, 0.1, 0.98, 1.0, 0.03, 2.0),
    row("b", 10, SPARSE_GP_EVIDENCE, 0.3, 0.9, 10.0),
    row("b", 11, SPARSE_GP_EVIDENCE, 0.5, 0.9, 10.0),
    row("b", 10, RVM_EVIDENCE, 0.35, 0.8, 9.0, None, 8.0),
    row("b", 11, RVM_EVIDENCE, 0.6, 0.8, 9.0, None, 8.0),
    row("b", 10, GP_CLASSIFIER, 0.1, 0.99, 1.0),
    row("c", 10, SPARSE_GP_EVIDENCE, 9.0, 0.1, 90.0),
]


def test_ranks_are_over_sets_that_all_machines_have_but_the_optional_ones():
    by_set = classification.set_means(ROWS, (GP_CLASSIFIER,))
    ours, other = classification.summary_rows(by_set)
    assert (ours["machine"], other["machine"], ours["sets"]) == (SPARSE_GP_EVIDENCE, RVM_EVIDENCE, 2)
    assert (ours["rank by log-loss"], ours["rank by AUC"], ours["rank by error"]) == (1, 1, 2)
    assert other["fit / SparseGP"] == pytest.approx(4)
    assert ours["calibration"] == pytest.approx(0.01)
    verdicts = [target.verdict for target in classification.targets([ours, other], by_set)]
    assert verdicts == ["PASS", "PASS", "PASS", "PASS", "PASS"]
    worse = [{**ours, "rank by log-loss": 3.0}, other]
    assert classification.targets(worse, by_set)[0].verdict == "MISS"
    assert classification.summary_rows(by_set.iloc[:0]) == classification.targets([], by_set) == []


def test_a_quick_run_leaves_out_peers_that_are_not_installed(monkeypatch):
    def absent(name):
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr(trees, "import_module", absent)
    report = classification.run(parse(["classification", "--quick"]), RunStore())
    missing = [note.split(":")[0] for note in report.notes]
    assert missing == ["CatBoost left out", "LightGBM left out", "XGBoost left out"]
    assert {each["machine"] for each in report.tables[0].rows} >= {SPARSE_GP_EVIDENCE, RVM_EVIDENCE}
