"""Every file of published tables keeps to the common interface."""

from importlib import import_module
from pkgutil import iter_modules

import pytest
from benchmarks import papers
from benchmarks.papers import variational_rvm

from pauca.cli.papers import published_tables
from pauca.evaluation import PaperTable, RunStore, compare_with_published, reproduce, targets

MODULES = [module.name for module in iter_modules(papers.__path__)]
TABLES, _ = published_tables()


@pytest.mark.parametrize("name", MODULES)
def test_every_file_has_tables(name):
    tables = import_module(f"benchmarks.papers.{name}").TABLES
    assert tables
    assert all(isinstance(table, PaperTable) for table in tables)
    assert {table.name for table in tables} <= set(TABLES)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_every_table_expects_something(table):
    # The numbers of the first PCVM paper are lost; those of EPCVM stand beside the published machines; the
    # thesis prunes no ensembles of classifiers.
    without = table.name.startswith("pcvm") or table.name in ("epcvm-evidence", "pruning-classification")
    assert without or any(values for values in table.published.values())
    assert "\n" not in table.title
    assert len(set(table.datasets)) == len(table.datasets)
    assert len(set(table.methods)) == len(table.methods)


def test_published_values_and_targets_of_the_variational_machines():
    first, _, _, last = variational_rvm.TABLES
    assert first.published["sinc", "VRVM"] == {"error": 0.0494, "kernels": 7.4, "noise": 0.0950}
    assert first.published["sinc", "SVM"] == {"error": 0.0519, "kernels": 28.0}
    assert [bound.bound for bound in first.bounds] == [0.055, 9, 0.10, 0.09]
    assert last.published["pima_ripley", "RVM"] == {"error": 65, "kernels": 4}


def test_one_draw_of_sinc(monkeypatch):
    """The relevance vector machines come within reach of the published error on the first draw."""
    draw, error, machines = variational_rvm._STUDIES["sinc"]
    quick = {name: search.set_params(param_grid={"gamma": [1 / 9]}) for name, search in machines.items()}
    monkeypatch.setitem(variational_rvm._STUDIES, "sinc", (draw, error, quick))
    table, store = variational_rvm.TABLES[0], RunStore()
    reproduce(table, store, n_splits=1)
    cells = compare_with_published(table, store, n_splits=1).set_index(["method", "measure"])
    assert cells.loc[("VRVM", "error"), "measured"] < 0.1
    assert 2 < cells.loc[("VRVM", "kernels"), "measured"] < 12
    assert ("SVM", "noise") not in cells.index
    assert [target.value is None for target in targets(table, cells.reset_index())] == [False] * 4
