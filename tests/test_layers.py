"""Imports go down the list of the architecture only."""

import ast
from pathlib import Path

import pytest

import pauca

ROOT = Path(pauca.__file__).parent
# The five lists, which meet in learn and nowhere else.
LISTS = ("basis", "likelihoods", "priors", "inference", "selection")
ABOVE = (
    "learn",
    "machines",
    "ensembles",
    "evaluation",
    "datasets",
    "plotting",
    "persistence",
    "cli",
    "__main__",
)
ALLOWED = {"numerics": set(), "validation": set(), **{name: {"numerics", "validation"} for name in LISTS}}
for _place, _name in enumerate(ABOVE):
    ALLOWED[_name] = {"numerics", "validation", *LISTS, *ABOVE[:_place]}
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
        ("learn.py", "from .machines import rvm", "learn.py:1: learn imports machines (rvm)"),
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
        ("learn.py", "from .basis import x\nfrom .selection import y\nfrom .numerics.linalg import z"),
        ("machines/a.py", "from ..learn import learn\nfrom pkg.basis import Kernel\nfrom . import gamma"),
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
