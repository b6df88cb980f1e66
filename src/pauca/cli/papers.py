"""Published tables, which are in `benchmarks/papers` of a checkout."""

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

import pauca
from pauca.evaluation import PaperTable

from .errors import BadInput, one_line

_FOLDER = Path("benchmarks") / "papers"
_STORE = Path("benchmarks") / "papers.sqlite"
_RESULTS = Path("docs") / "results"


def checkout() -> Path:
    """Root of the repository: around the current folder, or where an editable install comes from."""
    here = Path.cwd()
    for root in (here, *here.parents, Path(pauca.__file__).resolve().parents[2]):
        if (root / _FOLDER / "__init__.py").is_file():
            return root
    raise BadInput(
        f"the published tables are in {_FOLDER} of pauca's repository, which an installed package does not "
        "have; run this inside a checkout."
    )


def default_store() -> Path:
    """File of results of a checkout."""
    return checkout() / _STORE


def results_folder() -> Path:
    """Folder of a checkout with the CSV files of measured results."""
    return checkout() / _RESULTS


class Paper(NamedTuple):
    """A file of published tables: its title, what was found in plain words, its tables, and causes.

    ``causes[table, dataset, method]`` says why a cell is worse than printed; an empty method stands for all.
    """

    title: str
    findings: str
    tables: tuple[PaperTable, ...]
    causes: Mapping[tuple[str, str, str], str]


def papers() -> tuple[list[Paper], list[str]]:
    """All files of published tables, and a note on every one that cannot be imported."""
    root = checkout()
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    found, notes = [], []
    for module in iter_modules([str(root / _FOLDER)]):
        try:
            content = import_module(f"benchmarks.papers.{module.name}")
        except ImportError as error:
            notes.append(f"{module.name} left out: {one_line(error)}")
            continue
        if hasattr(content, "TABLES"):
            title = (content.__doc__ or module.name).strip().splitlines()[0].rstrip(".")
            findings, causes = _found()
            found.append(Paper(title, findings.get(module.name, ""), content.TABLES, causes))
    return found, notes


def _found() -> tuple[Mapping[str, str], Mapping[tuple[str, str, str], str]]:
    """What was found for each file of tables, and why cells are worse than printed; empty if not written."""
    try:
        module = import_module("benchmarks.harness.findings")
    except ImportError:
        return {}, {}
    return module.FINDINGS, module.CAUSES


def figures() -> dict[str, Any]:
    """Figures of the papers by name, each with a title, a size and a function that draws."""
    root = checkout()
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return import_module("benchmarks.figures").figures()


def published_tables() -> tuple[dict[str, PaperTable], list[str]]:
    """All tables by name, and a note on every file that cannot be imported."""
    found, notes = papers()
    return {table.name: table for paper in found for table in paper.tables}, notes


def chosen_tables(tables: dict[str, PaperTable], names: Iterable[str]) -> list[PaperTable]:
    """Tables by name; a name without its number (``vrvm``) means all of a paper, no name means all."""
    chosen: dict[str, PaperTable] = {}
    for name in names or tables:
        found = [table for key, table in tables.items() if key == name or key.startswith(f"{name}-")]
        if not found:
            raise BadInput(f"no table is called {name!r}; there are {', '.join(tables)}.")
        chosen |= {table.name: table for table in found}
    return list(chosen.values())
