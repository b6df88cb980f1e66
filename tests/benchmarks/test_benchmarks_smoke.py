"""Command line: arguments and quick runs."""

import json

import pytest
from benchmarks.__main__ import SECTIONS, main, parse


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
    # Sections whose sets or peers may be missing have empty tables then, and say why.
    empty = {name for name, section in sections.items() if not all(t["rows"] for t in section["tables"])}
    need_data = {"classification", "regression", "no-signal"}
    assert empty <= {"tables", "scaling", "boosting", "ship", "networks"} | need_data
    assert [name for name in empty if not sections[name]["notes"]] == []
    assert picture.read_bytes().startswith(b"\x89PNG")
