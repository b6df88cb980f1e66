"""``pauca reproduce``: tables found in the checkout, run, compared, and written as a page."""

import linecache
import sys
from importlib import import_module
from pathlib import Path

import pytest

from pauca.cli import papers
from pauca.evaluation import RunStore
from pauca.evaluation.runs.provenance import fingerprint

ROOT = Path(__file__).resolve().parents[3]
TOY = """
from pauca.evaluation import Bound, Measure, PaperTable

def measure(dataset, split, method):
    if dataset == "broken":
        raise OSError("no such set")
    offset = {"iris": 4.0, "wine": 2.0}[dataset] + {"svm": 0.0, "rvm": 1.0}[method]
    return {"error": offset + 0.1 * split}

def table(number, datasets):
    return PaperTable(
        name=f"toy-{number}", title=f"A toy, table {number}", datasets=datasets, methods=("svm", "rvm"),
        n_splits=3, measure=measure, measures={"error": Measure()},
        published={(d, m): {"error": 4.0} for d in datasets for m in ("svm", "rvm")},
        bounds=(Bound(datasets[0], "svm", "error", 4.5),),
    )

TABLES = table(1, ("iris", "wine")), table(2, ("broken",))
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository with one paper that works and one that cannot be imported."""
    for folder in ("benchmarks", "benchmarks/papers"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "benchmarks" / "papers" / "toy.py").write_text(TOY)
    (tmp_path / "benchmarks" / "papers" / "heavy.py").write_text("import no_such_package")
    monkeypatch.syspath_prepend(str(tmp_path))
    hidden = [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]
    for name in hidden:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(papers, "checkout", lambda: tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]


def test_list(run, run_json, checkout):
    shown = run("reproduce", "--list").stdout
    assert "toy-1" in shown
    assert "heavy left out: No module named 'no_such_package'" in shown
    assert [row["table"] for row in run_json("reproduce", "--list")["tables"]] == ["toy-1", "toy-2"]


def test_measured_beside_published_with_verdicts(run_json, checkout):
    (table,) = run_json("reproduce", "toy-1")["tables"]
    cells = {(cell["dataset"], cell["method"]): cell for cell in table["cells"]}
    assert cells["iris", "svm"]["measured"] == pytest.approx(4.1)
    assert [cell["verdict"] for cell in table["cells"]] == ["agrees", "worse", "better", "better"]
    assert table["targets"][0]["verdict"] == "PASS"
    assert [row["measured"] for row in table["ranks"]] == [1.0, 2.0]
    assert [row["published"] for row in table["ranks"]] == [1.5, 1.5]


def test_splits_and_resumption(run_json, checkout, monkeypatch):
    first = run_json("reproduce", "toy-1", "--splits", "2")["tables"][0]["cells"][0]
    assert first["splits"] == 2
    assert (checkout / "benchmarks" / "papers.sqlite").is_file()
    toy = import_module("benchmarks.papers.toy")
    calls = []
    counted = toy.measure

    def counting(*unit):
        calls.append(unit)
        return counted(*unit)

    counting.__module__ = toy.__name__
    object.__setattr__(toy.TABLES[0], "measure", counting)
    assert run_json("reproduce", "toy-1")["tables"][0]["cells"][0]["splits"] == 3
    assert {split for _, split, _ in calls} == {2}


def test_some_rows_and_columns(run, run_json, checkout, refused):
    (table,) = run_json("reproduce", "toy-1", "--dataset", "wine", "--method", "rvm")["tables"]
    assert [(cell["dataset"], cell["method"]) for cell in table["cells"]] == [("wine", "rvm")]
    refused(run("reproduce", "toy-1", "--dataset", "boston"), 2, "no 'boston'; there are iris, wine")


def test_what_the_results_have_is_not_measured_again(run, run_json, checkout):
    folder = checkout / "docs" / "results"
    run("reproduce", "toy-1", "--method", "svm")
    run("reproduce", "--page", str(folder))
    (checkout / "benchmarks" / "papers.sqlite").unlink()
    (table,) = run_json("reproduce", "toy-1", "--missing")["tables"]
    assert [cell["splits"] for cell in table["cells"]] == [3, 3, 3, 3]
    with RunStore(checkout / "benchmarks" / "papers.sqlite") as store:
        assert len(store) == 6


def test_what_could_not_be_measured_is_said(run, checkout):
    shown = run("reproduce", "toy")
    assert shown.exit_code == 0
    assert "not measured" in shown.stdout
    assert "svm on broken: OSError: no such set" in shown.stdout


def test_unknown_tables_are_refused(run, checkout, refused):
    refused(run("reproduce", "nope"), 2, "no table is called 'nope'; there are toy-1, toy-2")


def test_the_pages_say_what_the_store_has(run, checkout):
    run("reproduce", "toy-1", "--splits", "2")
    result = run("reproduce", "--page", "results")
    assert result.exit_code == 0, result.output
    folder = checkout / "results"
    names = ["index.md", "toy-1.csv", "toy-1.md", "verdicts.svg"]
    assert sorted(file.name for file in folder.iterdir()) == names
    summary, page = ((folder / name).read_text(encoding="utf-8") for name in ("index.md", "toy-1.md"))
    assert "| [toy-1](toy-1.md) | 1 | 2 | 1 | 0 | 0 | 0 | A toy, table 1 |" in summary
    assert "| toy-2 | 0 | 0 | 0 | 0 | 0 | 2 | A toy, table 2 |" in summary
    assert (
        "3 of 4 cells with a verdict (75.0%; target 85%) agree or are better; worse: 1, different: 0, "
        "one split: 0, printed but not measured: 2." in summary
    )
    assert "| iris | svm | error | 4 | 4.05 | 0.05 | 2 of 3 | agrees |" in page
    assert "earlier" not in page
    assert "cores, Python" in page
    assert str(checkout) not in page


def test_a_changed_protocol_does_not_take_old_results(run, run_json, checkout):
    run("reproduce", "toy-1")
    run("reproduce", "--page", "results")
    source = checkout / "benchmarks" / "papers" / "toy.py"
    source.write_text(source.read_text() + "# other code\n")
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]
    linecache.clearcache()
    fingerprint.cache_clear()
    run("reproduce", "--page", "results")
    assert "earlier" in (checkout / "results" / "toy-1.md").read_text(encoding="utf-8")
    with RunStore(checkout / "benchmarks" / "papers.sqlite") as store:
        before = len(store)
        run_json("reproduce", "toy-1", "--splits", "1")
        assert len(store) == before + 4


def test_a_file_is_no_folder_for_pages(run, checkout, refused):
    (checkout / "page.md").touch()
    refused(run("reproduce", "--page", "page.md"), 2, "is a file; name a folder")


def test_outside_a_checkout_the_remedy_is_named(run, tmp_path, monkeypatch, refused):
    monkeypatch.setattr(papers.pauca, "__file__", str(tmp_path / "site-packages" / "pauca" / "__init__.py"))
    refused(run("reproduce", "--list"), 2, "run this inside a checkout")


def test_this_checkout_is_found():
    assert papers.checkout() == ROOT


def test_a_figure_as_a_file(run, checkout, tmp_path):
    folder = checkout / "benchmarks" / "figures"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from typing import NamedTuple\n\n"
        "class Toy(NamedTuple):\n    title: str\n    size: tuple\n    draw: object\n\n"
        "def line(figure):\n    figure.subplots().plot([0, 1])\n\n"
        "def figures():\n    return {'toy-figure-1': Toy('A toy', (3, 2), line)}\n"
    )
    path = tmp_path / "toy.png"
    assert f"wrote {path}" in run("reproduce", "--figure", "toy-figure-1", "-o", str(path)).stdout
    assert path.read_bytes().startswith(b"\x89PNG")
    refused = run("reproduce", "--figure", "figure-2")
    assert refused.exit_code != 0
    assert "there are all, toy-figure-1" in refused.stderr
