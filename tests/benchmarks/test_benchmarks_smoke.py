"""Quick runs of the command line."""

import json

import pytest
from benchmarks.__main__ import SECTIONS, main, parse
from benchmarks.accuracy import regret
from benchmarks.accuracy.regret_report import report


def test_quick_regret_writes_json_and_continues_from_its_store(tmp_path, monkeypatch, capsys):
    store, result = tmp_path / "store.sqlite", tmp_path / "result.json"
    arguments = ["regret", "--quick", "--store", str(store), "--json", str(result)]
    main(arguments)
    first = json.loads(result.read_text())
    monkeypatch.setattr(regret, "measure", None)
    main(arguments)
    assert json.loads(result.read_text()) == first
    by_rule = first["sections"]["regret"]["tables"][0]["rows"]
    assert {row["rule"] for row in by_rule} == {*regret.RULES, "evidence, one scale", "bare evidence"}
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


def test_unknown_sections_are_refused(capsys):
    with pytest.raises(SystemExit):
        parse(["sped"])
    assert "choose from speed" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--splits", "0"], ["--repeats", "-1"], ["--jobs", "x"]])
def test_wrong_numbers_are_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        parse(arguments)
    assert arguments[0] in capsys.readouterr().err


@pytest.mark.slow
def test_quick_run_of_every_section(tmp_path):
    result, picture = tmp_path / "result.json", tmp_path / "growth.png"
    main(["--quick", "--json", str(result), "--plot", str(picture)])
    sections = json.loads(result.read_text())["sections"]
    assert set(sections) == set(SECTIONS)
    assert all(table["rows"] for section in sections.values() for table in section["tables"])
    assert picture.read_bytes().startswith(b"\x89PNG")
