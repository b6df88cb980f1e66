"""Figures as Markdown."""

from pauca.evaluation.runs.provenance import machine_line
from pauca.evaluation.tables import markdown_table


def test_cells_have_four_digits_and_no_bars_of_their_own():
    rows = [{"a|b": "x|y", "value": 1 / 3}, {"a|b": "z", "value": None}, {"a|b": "", "value": float("nan")}]
    header, rule, *lines = markdown_table(rows).splitlines()
    assert header == r"| a\|b | value |"
    assert rule == "| --- | --- |"
    assert lines == [r"| x\|y | 0.3333 |", "| z | – |", "|  | – |"]


def test_a_machine_in_one_line():
    machine = {"processor": "P", "cores": 2, "python": "3.12.0", "packages": {"numpy": "2.0", "rust": None}}
    assert machine_line(machine) == "P, 2 cores, Python 3.12.0, numpy 2.0"
