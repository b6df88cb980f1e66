"""The table of the README: means, wins and losses, and where it is written."""

import pytest
from benchmarks.accuracy import overview


def row(machine, name, split, log_loss, kB=1.0, us=2.0):
    return {
        "set": name,
        "split": split,
        "machine": machine,
        "log_loss": log_loss,
        "kB": kB,
        "us": us,
        "fit_cpu_s": 0.1,
    }


ROWS = [
    *(row(overview.OURS, name, split, 0.2 + 0.1 * split) for name in "abc" for split in (0, 1)),
    *(row("CatBoost", "a", split, 0.1 + 0.1 * split, kB=300.0) for split in (0, 1)),
    *(row("CatBoost", "b", split, 0.25, kB=100.0) for split in (0, 1)),
    *(row("CatBoost", "c", split, 0.4, kB=100.0) for split in (0, 1)),
    *(row("GaussianProcessClassifier", "b", split, 0.4) for split in (0, 1)),
]


def test_losses_are_counted_as_well_as_wins():
    ours, catboost, process = overview.summary_rows(ROWS)
    assert ours["log-loss"] == "0.250"
    assert catboost["better / worse than ours"] == "1 / 1 of 3 sets"
    assert catboost["log-loss"] == "0.267"
    assert catboost["kB"] == "100"
    assert process["ours on these sets"] == "0.250"
    assert process["better / worse than ours"] == "0 / 1 of 1 sets"


def test_every_set_has_a_row():
    rows = overview.log_loss_rows(ROWS)
    assert [found["set"] for found in rows] == ["a", "b", "c"]
    assert rows[0] == {
        "set": "a",
        overview.OURS: "0.250",
        "CatBoost": "0.150",
        "GaussianProcessClassifier": "–",
    }


@pytest.mark.parametrize(("name", "has_sets"), [("README.md", False), ("limits.md", True)])
def test_the_table_is_written_between_its_marks(tmp_path, name, has_sets):
    page = tmp_path / name
    page.write_text("before\n<!-- overview -->\nold\n<!-- /overview -->\nafter\n")
    for _ in range(2):
        overview.write_table(page, ROWS)
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert text.count("\n| CatBoost |") == 1
    assert ("Log-loss on every set" in text) == has_sets
