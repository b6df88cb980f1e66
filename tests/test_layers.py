"""Imports go down the list of the architecture only."""

import ast
from pathlib import Path

import pytest

import pauca

ROOT = Path(pauca.__file__).parent
# The five lists, which meet in fitting and nowhere else.
LISTS = ("basis", "likelihoods", "priors", "inference", "selection")
ABOVE = (
    "tables",
    "fitting",
    "export",
    "machines",
    "ensembles",
    "evaluation",
    "datasets",
    "plotting",
    "persistence",
    "distillation",
    "cli",
    "__main__",
)
# What everything may import; of one another only what stands before.
GROUND = ("atomic_file", "config", "numerics", "validation", "reporting", "atomic_fit")
ALLOWED = {name: set(GROUND[:place]) for place, name in enumerate(GROUND)} | {
    name: set(GROUND) for name in LISTS
}
for _place, _name in enumerate(ABOVE):
    ALLOWED[_name] = {*GROUND, *LISTS, *ABOVE[:_place]}
# The package itself gives access to everything, so only the top may import more of it than its version.
TOP = ("cli", "__main__")


def violations(root):
    """One line for each import under ``root`` that goes up or sideways."""
    found = []
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if parts == ("__init__",):
            found += _lines(path, "the package itself", set(), parts, root)
        elif parts[0] not in ALLOWED:
            found.append(f"{path.relative_to(root)}: {parts[0]!r} has no place in the list")
        else:
            found += _lines(path, parts[0], ALLOWED[parts[0]] | {parts[0]}, parts, root)
    return found


def _lines(path, unit, allowed, parts, root):
    for line, target, name in _imports(path, root.name, parts):
        if target == "" and (name == "__version__" or unit in TOP):
            continue
        if target not in allowed:
            yield f"{path.relative_to(root)}:{line}: {unit} imports {target or root.name} ({name})"


def _imports(path, package, parts):
    """(line, first folder below the package, name) of every import of the package, however deep."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if parts == ("__init__",):
        # The package itself names for type checkers what it loads on first use.
        tree.body = [node for node in tree.body if not _is_for_type_checkers(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [(alias.name.split("."), alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = [package, *parts[: len(parts) - node.level]] if node.level else []
            base += node.module.split(".") if node.module else []
            names = [([*base, alias.name], alias.name) for alias in node.names]
        else:
            continue
        for full, name in names:
            if full[0] == package:
                first = full[1] if len(full) > 1 else ""
                yield node.lineno, first if first in ALLOWED else "", name


def _is_for_type_checkers(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_every_import_goes_down():
    assert violations(ROOT) == []


# What puts a recipe together from names of the lists: the machines, and the one pruning method that is one.
RECIPES = ("machines", "ensembles/pruning/evidence.py")


def meetings(root):
    """One line for each module outside fitting that imports two or more of the lists, recipes aside."""
    found = []
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root).as_posix()
        lists = {first for _, first, _ in _imports(path, root.name, Path(place).with_suffix("").parts)}
        lists &= set(LISTS)
        if len(lists) > 1 and not place.startswith(("fitting/", "__init__", *RECIPES)):
            found.append(f"{place} imports {', '.join(sorted(lists))}")
    return found


def test_the_lists_meet_in_fitting_only():
    assert meetings(ROOT) == []


@pytest.mark.parametrize(
    ("file", "n_found"), [("plotting/a.py", 1), ("fitting/a.py", 0), ("machines/a.py", 0)]
)
def test_a_meeting_elsewhere_is_named(tmp_path, file, n_found):
    path = tmp_path / "pkg" / file
    path.parent.mkdir(parents=True)
    path.write_text("from ..basis import x\nfrom ..priors import y\n")
    assert len(meetings(tmp_path / "pkg")) == n_found


def test_every_folder_has_its_place():
    units = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert units <= set(ALLOWED)
    assert {"numerics", *LISTS, "machines"} <= units


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("numerics/a.py", "from ..basis import Kernel", "numerics/a.py:1: numerics imports basis (Kernel)"),
        ("basis/a.py", "from ..likelihoods import x", "basis/a.py:1: basis imports likelihoods (x)"),
        (
            "likelihoods/a.py",
            "from ..priors.ard import ARD",
            "likelihoods/a.py:1: likelihoods imports priors (ARD)",
        ),
        ("priors/deep/a.py", "from ...basis import x", "priors/deep/a.py:1: priors imports basis (x)"),
        ("inference/a.py", "from .. import likelihoods", "inference/a.py:1: inference imports likelihoods"),
        ("selection/a.py", "\nimport pkg.inference", "selection/a.py:2: selection imports inference"),
        ("fitting/a.py", "from ..machines import rvm", "fitting/a.py:1: fitting imports machines (rvm)"),
        (
            "machines/a.py",
            "def f():\n    from ..persistence import save",
            "machines/a.py:2: machines imports persistence",
        ),
        (
            "machines/a.py",
            "from pkg import RVMClassifier",
            "machines/a.py:1: machines imports pkg (RVMClassifier)",
        ),
        ("datasets/a.py", "import pkg", "datasets/a.py:1: datasets imports pkg (pkg)"),
        ("__init__.py", "from .machines import x", "__init__.py:1: the package itself imports machines (x)"),
        (
            "machines/__init__.py",
            "if TYPE_CHECKING:\n    from ..persistence import save",
            "machines/__init__.py:2: machines imports persistence (save)",
        ),
        ("extra/a.py", "", "extra/a.py: 'extra' has no place in the list"),
    ],
)
def test_a_wrong_import_is_named(tmp_path, file, text, complaint):
    path = tmp_path / "pkg" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert [line.startswith(complaint) for line in violations(tmp_path / "pkg")] == [True]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("inference/a.py", "from ..numerics import linalg\nfrom .posterior import Posterior\nimport numpy"),
        ("fitting/a.py", "from ..basis import x\nfrom ..selection import y\nfrom ..numerics.linalg import z"),
        ("machines/a.py", "from ..fitting import Recipe\nfrom pkg.basis import Kernel\nfrom . import base"),
        ("persistence.py", "from . import __version__\nfrom .machines import RVMClassifier"),
        ("cli/a.py", "import pkg\nfrom pkg import RVMClassifier\nfrom pkg.persistence import load"),
        ("__main__.py", "from .cli import main"),
        ("__init__.py", "if TYPE_CHECKING:\n    from .machines import RVMClassifier"),
    ],
)
def test_a_right_import_passes(tmp_path, file, text):
    path = tmp_path / "pkg" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert violations(tmp_path / "pkg") == []


def import_cycle(root):
    """Chain of module names that import one another in a circle, or None; imports inside functions count."""
    graph = _module_graph(root)
    finished: set[str] = set()
    for module in sorted(graph):
        if chain := _cycle_from(module, graph, finished, []):
            return " -> ".join(chain)
    return None


def _cycle_from(module, graph, finished, path):
    """First cycle of a depth-first search, as a list that begins and ends with one name."""
    if module in path:
        return [*path[path.index(module) :], module]
    if module in finished:
        return None
    for target in sorted(graph[module]):
        if chain := _cycle_from(target, graph, finished, [*path, module]):
            return chain
    finished.add(module)
    return None


def _module_graph(root):
    """Modules that every module of a package names in its imports; a folder is its ``__init__``."""
    parts = {path: path.relative_to(root.parent).with_suffix("").parts for path in root.rglob("*.py")}
    names = {path: ".".join(p[:-1] if p[-1] == "__init__" else p) for path, p in parts.items()}
    modules = set(names.values())
    graph = {}
    for path, name in names.items():
        package = parts[path][:-1]
        graph[name] = {target for target in _targets(path, package, modules) if target != name}
    return graph


def _targets(path, package, modules):
    """Modules behind the import statements of a file: a submodule where one is named, else the module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not _is_for_type_checkers(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) + 1 - node.level]) if node.level else []
            base = ".".join(base + ([node.module] if node.module else []))
            for alias in node.names:
                deeper = f"{base}.{alias.name}"
                yield from (name for name in (deeper if deeper in modules else base,) if name in modules)


def test_no_modules_import_one_another_in_a_circle():
    assert import_cycle(ROOT) is None


@pytest.mark.parametrize(
    ("files", "chain"),
    [
        ({"a.py": "from .b import x", "b.py": "from .a import y"}, "pkg.a -> pkg.b -> pkg.a"),
        ({"a.py": "from . import b", "b.py": "def f():\n    import pkg.a"}, "pkg.a -> pkg.b -> pkg.a"),
        (
            {"deep/a.py": "from ..b import x", "b.py": "from .c import y", "c.py": "from .deep.a import z"},
            "pkg.b -> pkg.c -> pkg.deep.a -> pkg.b",
        ),
        (
            {"deep/__init__.py": "from .a import x", "deep/a.py": "from . import x"},
            "pkg.deep -> pkg.deep.a -> pkg.deep",
        ),
        ({"a.py": "from .b import x", "b.py": "if TYPE_CHECKING:\n    from .a import y"}, None),
        ({"a.py": "from .b import x", "b.py": "from .c import y", "c.py": "import numpy"}, None),
        ({"deep/__init__.py": "from .a import x", "deep/a.py": "from . import b", "deep/b.py": ""}, None),
    ],
)
def test_a_circle_of_imports_is_named(tmp_path, files, chain):
    for file, text in {"__init__.py": "", "deep/__init__.py": "", **files}.items():
        path = tmp_path / "pkg" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert import_cycle(tmp_path / "pkg") == chain
