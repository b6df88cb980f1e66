"""Pages of benchmarks keep the sections that a run leaves out."""

from benchmarks.harness.report import Report, Table, write_page

from pauca.evaluation import environment

ENVIRONMENT = environment(("numpy",))


def test_a_page_keeps_the_sections_that_were_not_run(tmp_path):
    page = tmp_path / "page.md"
    write_page(page, {name: Report([Table(name, [{"a": 1}])]) for name in ("one", "two")}, ENVIRONMENT)
    write_page(
        page, {"two": Report([Table("new", [{"a": 2}])]), "three": Report([], [], ["note"])}, ENVIRONMENT
    )
    text = page.read_text()
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## one", "## two", "## three"]
    assert "one:" in text
    assert "new:" in text
    assert "two:" not in text
    assert text.count("Written ") == 1
    assert text.count("# Benchmarks") == 1
