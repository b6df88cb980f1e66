"""What a user may import is the same for the interpreter, for type checkers and for editors."""

import ast
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import pauca

ROOT = Path(pauca.__file__).parent
TYPED = Path(__file__).parent / "typed" / "every_public_name.py"
# Folders and modules of the package that are no part of the public interface.
INTERNAL = {
    "reporting",
    "__init__",
    "__main__",
    "atomic_file",
    "atomic_fit",
    "cli",
    "config",
    "tables",
    "validation",
}


def names_for_type_checkers():
    """From name to the part of the package that it is imported from; "" for the parts themselves."""
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    [block] = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    ]
    return {
        alias.asname or alias.name: (node.module or "").split(".")[0]
        for node in block.body
        for alias in node.names
    }


def test_the_same_names_for_type_checkers_and_on_first_use():
    subpackages = dict.fromkeys(pauca._SUBPACKAGES, "")
    assert names_for_type_checkers() == {**pauca._HOME, **subpackages}


def test_all_has_the_names_that_load_on_first_use():
    assert set(pauca.__all__) == {*pauca._HOME, "__version__", "datasets"}
    assert len(pauca.__all__) == len(set(pauca.__all__))


@pytest.mark.parametrize("name", [*pauca.__all__, *pauca._SUBPACKAGES])
def test_every_name_loads(name):
    assert getattr(pauca, name) is not None
    assert name in dir(pauca)


def test_unknown_names_raise():
    with pytest.raises(AttributeError, match="no attribute 'SparseGPClasifier'"):
        _ = pauca.SparseGPClasifier


@pytest.mark.parametrize("name", pauca._SUBPACKAGES)
def test_all_of_a_subpackage_exists(name):
    module = import_module(f"pauca.{name}")
    assert [public for public in getattr(module, "__all__", []) if not hasattr(module, public)] == []


def test_every_subpackage_can_be_reached():
    folders = {
        path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert folders - INTERNAL == set(pauca._SUBPACKAGES)


def _used(path):
    """Dotted names that start with ``pauca.`` in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize("subpackage", ["", *pauca._SUBPACKAGES])
def test_pyright_sees_every_public_name(subpackage):
    module = f"pauca.{subpackage}".rstrip(".")
    missing = {f"{module}.{name}" for name in import_module(module).__all__} - _used(TYPED)
    assert not missing, f"add to {TYPED.name}: {sorted(missing)}"


def test_pyright_sees_no_name_that_is_gone():
    gone = []
    for dotted in _used(TYPED):
        path = dotted.removeprefix("pauca.").split(".")
        if dotted.startswith("pauca.") and not hasattr(
            import_module(".".join(["pauca", *path[:-1]])), path[-1]
        ):
            gone.append(dotted)
    assert not gone, f"remove from {TYPED.name}: {sorted(gone)}"


@pytest.fixture(scope="module")
def completed(tmp_path_factory):
    """What jedi makes of some code, with a cache of its own: parallel processes must not share one."""
    jedi = pytest.importorskip("jedi")
    jedi.settings.cache_directory = tmp_path_factory.mktemp("jedi")
    return lambda code: jedi.Script(code, environment=jedi.InterpreterEnvironment())


@pytest.mark.parametrize(
    "name", [name for name in pauca.__all__ if pauca._HOME.get(name) in {"machines", "ensembles"}]
)
def test_an_editor_shows_parameters_and_docstring(name, completed):
    [signature] = completed(f"import pauca\npauca.{name}(").get_signatures()
    expected = inspect.signature(getattr(pauca, name)).parameters
    assert [parameter.name for parameter in signature.params if parameter.name != "*"] == list(expected)
    assert "Parameters\n----------" in signature.docstring()


def test_an_editor_completes_names_and_subpackages(completed):
    completions = {completion.name for completion in completed("import pauca\npauca.").complete()}
    assert completions >= {*pauca.__all__, *pauca._SUBPACKAGES}
