"""Regret of choosing gamma: records, tables, targets, a quick run."""

import json

import pytest
from benchmarks.__main__ import main
from benchmarks.accuracy import regret
from benchmarks.accuracy.regret_report import report, rule_rows


def _record(name, grid, evidence, loo):
    point = {"seconds": 1.0, "vectors": 2, "converged": True}
    rules = {"evidence": evidence, "loo": loo}
    return {
        "task": "classification",
        "set": name,
        "grid": [{**point, "loss": loss} for loss in grid],
        "rules": {rule: {**point, "loss": loss} for rule, loss in rules.items()},
    }


def test_regret_is_the_loss_above_the_best_on_the_grid():
    records = [_record("a", [0.5, 0.3], 0.4, 0.3), _record("b", [0.2, 0.6], 0.1, 0.6)]
    evidence, loo = rule_rows(records)
    assert evidence["mean"] == pytest.approx(0.0)
    assert evidence["max"] == pytest.approx(0.1)
    assert loo["mean"] == pytest.approx(0.2)
    assert [target.verdict for target in report(records).targets] == ["PASS", "PASS"]


def test_sets_that_could_not_be_loaded_are_noted():
    records = [_record("a", [0.5], 0.6, 0.5), {"task": "classification", "set": "b", "failed": "b: gone"}]
    assert report(records).notes == ["b: gone"]


def test_quick_regret_writes_json_and_continues_from_its_store(tmp_path, monkeypatch, capsys):
    store, result = tmp_path / "store.sqlite", tmp_path / "result.json"
    arguments = ["regret", "--quick", "--store", str(store), "--json", str(result)]
    main(arguments)
    first = json.loads(result.read_text())
    monkeypatch.setattr(regret, "measure", None)
    main(arguments)
    assert json.loads(result.read_text()) == first
    by_rule = first["sections"]["regret"]["tables"][0]["rows"]
    assert {row["rule"] for row in by_rule} == {*regret.RULES, "evidence, one scale", "unpenalised evidence"}
    assert "Targets" not in capsys.readouterr().out


@pytest.mark.parametrize("machine", regret.MACHINES)
def test_regret_of_each_machine_has_a_target(machine):
    point = {"loss": 0.5, "seconds": 1.0, "vectors": 2, "converged": True}
    record = {
        "task": "classification",
        "set": "a",
        "grid": [point],
        "rules": dict.fromkeys(regret.RULES, point),
    }
    assert report([record], machine).targets[0].verdict == "PASS"


def test_sparse_gp_is_measured_with_the_rules_it_has():
    record = regret.measure("sparsegp", "classification", "wdbc", 0)
    assert set(record["rules"]) == {"evidence", "scale", "evidence, one scale", "unpenalised evidence"}
    assert all(0 < point["loss"] < 0.5 for point in record["rules"].values())
