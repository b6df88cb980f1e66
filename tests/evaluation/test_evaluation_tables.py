"""Tables of results in Markdown."""

from pauca.evaluation.tables import markdown_table


def test_cells_have_four_digits_and_no_bars_of_their_own():
    rows = [{"a|b": "x|y", "value": 1 / 3}, {"a|b": "z", "value": None}, {"a|b": "", "value": float("nan")}]
    header, rule, *lines = markdown_table(rows).splitlines()
    assert header == r"| a\|b | value |"
    assert rule == "| --- | --- |"
    assert lines == [r"| x\|y | 0.3333 |", "| z | – |", "|  | – |"]
