"""Sizes and words: what a reader of the source may rely on."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import pauca

ROOT = Path(pauca.__file__).parent
REPOSITORY = Path(__file__).parent.parent

LONGEST_FUNCTION = 40  # lines of the body, without docstring
LONGEST_FILE = 300  # lines
LARGEST_FOLDER = 12  # Python files, without __init__.py
OLD_NAME = "lacon" + "ic"
# Beginnings that lean on a sentence elsewhere.
LEANING = re.compile(r"(The same|That of|Those|Of)\b|What\b[^.]*\bof it\b")
# Words that only their author understands, and what the field says.
PRIVATE_WORDS = {
    "carrier": "vectors, kernel_expansion",
    "contest": "class, benchmark task",
    "gift": "self-influence",
    "price": "penalty",
    "electorate": "voters",
    "poll": "tally, votes",
    "polling": "compiled votes",
    "urn": "polya_urn",
    "pilot": "growth, warm start",
    "judge": "score, criterion",
    "caution": "shrinkage",
    "worth": "gain",
    "entrant": "contender",
    "surest": "most certain",
    "slope": "gradient, derivative",
}
PRIVATE_PHRASES = {
    "speak for": "have the sign of",
    "speaks for": "has the sign of",
    "how surely": "how probably",
}
DOCUMENTS = ("README.md", "CONTRIBUTING.md", *(f"docs/{name}.md" for name in ("guide", "development")))
# Where a private word is the field's word.
FIELD_WORDS = re.compile(r"p[oó]lya('s)?[ _]urn", re.IGNORECASE)
# Subpackages whose classes and functions are documented parameter by parameter.
PUBLIC = tuple(name for name in pauca._SUBPACKAGES if name != "numerics")


def sources(root):
    """Source files under ``root``."""
    return sorted(root.rglob("*.py"))


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def with_docstring(path):
    """Functions, classes and the module itself, each with its docstring, "" where there is none."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = (node for node in ast.walk(parsed(path)) if isinstance(node, kinds))
    return [(node, ast.get_docstring(node) or "") for node in nodes]


def long_functions(root):
    found = []
    for path in sources(root):
        for node, docstring in with_docstring(path):
            body = [] if isinstance(node, ast.Module | ast.ClassDef) else node.body[bool(docstring) :]
            n_lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            if n_lines > LONGEST_FUNCTION:
                found.append(f"{path.relative_to(root)}:{node.lineno}: {node.name} has {n_lines} lines")
    return found


def long_files(root):
    n_lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sources(root)}
    return [f"{path.relative_to(root)}: {n} lines" for path, n in n_lines.items() if n > LONGEST_FILE]


def crowded_folders(root):
    folders = [path.parent for path in sources(root) if path.name != "__init__.py"]
    counts = {folder: folders.count(folder) for folder in sorted(set(folders))}
    return [f"{folder.name}: {n} files" for folder, n in counts.items() if n > LARGEST_FOLDER]


def leaning_docstrings(root):
    return [
        f"{path.relative_to(root)}:{getattr(node, 'lineno', 1)}: {docstring.splitlines()[0]}"
        for path in sources(root)
        for node, docstring in with_docstring(path)
        if LEANING.match(docstring)
    ]


def private_words(root):
    found = []
    for path in sources(root):
        for line, text in _names_and_docstrings(path, root):
            found += [f"{path.relative_to(root)}:{line}: {word}" for word in _private_words(text)]
    return found


def _names_and_docstrings(path, root):
    """(line, text) of the file's name, of every name that it defines and of every docstring."""
    yield 1, path.relative_to(root).as_posix()
    for node, docstring in with_docstring(path):
        yield getattr(node, "lineno", 1), docstring
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def _private_words(text):
    """Private words and phrases in a text or in a name such as ``own_gift`` or ``OwnGift``."""
    text = FIELD_WORDS.sub(" ", text)
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).replace("_", " ").lower()
    singular = {word: re.compile(rf"\b{word}(s|d|ed)?\b") for word in PRIVATE_WORDS}
    words = [word for word, pattern in singular.items() if pattern.search(text)]
    return words + [phrase for phrase in PRIVATE_PHRASES if phrase in text]


def sections(docstring):
    """From the heading of a numpydoc section to its text."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def undescribed(thing):
    """Arguments of a class or function that its docstring does not describe one by one."""
    text = sections(thing.__doc__ or "")
    described = (
        text.get("Parameters", "") + "\n" + (text.get("Attributes", "") if inspect.isclass(thing) else "")
    )
    entries = re.findall(r"^(\*{0,2}\w[^\n:]*?) ?:.*\n((?:    .*\n?|\n)*)", described + "\n", re.MULTILINE)
    texts = {name.strip().lstrip("*"): body.strip() for names, body in entries for name in names.split(",")}
    # The constructor of a protocol is written by typing.
    is_protocol = getattr(thing, "_is_protocol", False)
    arguments = [] if is_protocol else [n for n in inspect.signature(thing).parameters if n != "self"]
    return [
        *(f"{name} is not described" for name in arguments if name not in texts),
        *(f"{name} only refers elsewhere" for name in arguments if re.match(r"See\b", texts.get(name, ""))),
    ]


def untyped(thing):
    """Arguments and returns without a type, of a function or of the methods of a class."""
    found = []
    for name, function in _functions(thing):
        arguments = list(inspect.signature(function).parameters.values())
        if inspect.isclass(thing) and arguments and arguments[0].name in {"self", "cls"}:
            arguments = arguments[1:]
        found += [f"{name}: {each.name}" for each in arguments if each.annotation is each.empty]
        if function.__name__ != "__init__" and "return" not in function.__annotations__:
            found.append(f"{name}: return")
    return found


def _functions(thing):
    """The function itself, or constructor, public methods and properties of a class that pauca defines."""
    if not inspect.isclass(thing):
        return [(thing.__name__, inspect.unwrap(thing))]
    found = {}
    for kind in reversed([base for base in thing.__mro__ if base.__module__.startswith("pauca.")]):
        for name, member in vars(kind).items():
            member = getattr(member, "fget", None) or getattr(member, "__func__", member)
            # The constructor of a protocol is written by typing.
            is_written = inspect.isfunction(member) and member.__module__ != "typing"
            if is_written and (name == "__init__" or not name.startswith("_")):
                found[name] = inspect.unwrap(member)
    return list(found.items())


def public_things():
    """Every public class and function, by its dotted name."""
    found = {}
    for subpackage in PUBLIC:
        module = import_module(f"pauca.{subpackage}")
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            is_error = inspect.isclass(thing) and issubclass(thing, BaseException)
            is_ours = getattr(thing, "__module__", "").startswith("pauca.")
            if callable(thing) and is_ours and not is_error:
                found[f"{subpackage}.{name}"] = thing
    return found


def with_old_name(root):
    """Files whose name or text has the old name of the package."""
    skipped = {".git", ".venv", ".nox", "build", "dist", "__pycache__"}
    found = []
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and not skipped.intersection(parts) and not any("_cache" in part for part in parts):
            text = path.read_bytes().decode("utf-8", errors="ignore")
            if OLD_NAME in f"{'/'.join(parts)}\n{text}".lower():
                found.append("/".join(parts))
    return found


@pytest.mark.parametrize(
    "rule",
    [long_functions, long_files, crowded_folders, leaning_docstrings, private_words],
    ids=lambda f: f.__name__,
)
def test_the_package_keeps_the_rule(rule):
    assert rule(ROOT) == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_use_the_words_of_the_field(name):
    lines = (REPOSITORY / name).read_text(encoding="utf-8").splitlines()
    found = [(number, word) for number, line in enumerate(lines, 1) for word in _private_words(line)]
    assert found == []


@pytest.mark.parametrize("name", public_things())
def test_every_argument_is_described(name):
    assert undescribed(public_things()[name]) == []


@pytest.mark.parametrize("name", public_things())
def test_every_public_function_is_typed(name):
    assert untyped(public_things()[name]) == []


def test_the_old_name_is_gone():
    assert with_old_name(REPOSITORY) == []


LONG_BODY = "def f(x):\n    '''One line.'''\n" + "    x += 1\n" * 41


@pytest.mark.parametrize(
    ("rule", "text", "complaint"),
    [
        (long_functions, LONG_BODY, "a/b.py:1: f has 41 lines"),
        (
            long_functions,
            "class A:\n    async def f(x):\n" + "        x += 1\n" * 41,
            "a/b.py:2: f has 41 lines",
        ),
        (long_files, "x = 1\n" * 301, "a/b.py: 301 lines"),
        (leaning_docstrings, "'''The same for rows.'''", "a/b.py:1: The same for rows."),
        (leaning_docstrings, "def f():\n    '''That of a class.'''", "a/b.py:1: That of a class."),
        (leaning_docstrings, "class A:\n    '''Those that stay.'''", "a/b.py:1: Those that stay."),
        (leaning_docstrings, "def f():\n    '''Of each row.'''", "a/b.py:1: Of each row."),
        (leaning_docstrings, "def f():\n    '''What is left of it.'''", "a/b.py:1: What is left of it."),
        (private_words, "def own_gift(x): pass", "a/b.py:1: gift"),
        (private_words, "class Contests: pass", "a/b.py:1: contest"),
        (private_words, "x = 1\nlastPrice = 2", "a/b.py:2: price"),
        (private_words, "def f(carriers): pass", "a/b.py:1: carrier"),
        (private_words, "'''Thresholds of the urn.'''", "a/b.py:1: urn"),
        (private_words, "'''Vectors that speak for their class.'''", "a/b.py:1: speak for"),
    ],
)
def test_an_offender_is_found(tmp_path, rule, text, complaint):
    path = tmp_path / "a" / "b.py"
    path.parent.mkdir()
    path.write_text(text)
    assert rule(tmp_path) == [complaint]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (long_functions, "def f(x):\n    '''One line." + "\n    More." * 60 + "\n    '''\n    return x"),
        (long_files, "x = 1\n" * 300),
        (leaning_docstrings, "'''Offset of the rows. The same for all of it.'''"),
        (private_words, "def polya_urn(): return 1"),
        (private_words, "'''Thresholds of a Pólya urn and of Pólya's urn.'''"),
        (private_words, "x.judge = y.judge\n# a comment on caution"),
    ],
)
def test_the_innocent_pass(tmp_path, rule, text):
    (tmp_path / "a.py").write_text(text)
    assert rule(tmp_path) == []


@pytest.mark.parametrize(("n_files", "found"), [(12, []), (13, ["a: 13 files"])])
def test_a_crowded_folder_is_found(tmp_path, n_files, found):
    (tmp_path / "a").mkdir()
    for name in ["__init__", *(f"m{k}" for k in range(n_files))]:
        (tmp_path / "a" / f"{name}.py").touch()
    assert crowded_folders(tmp_path) == found


class Described:
    """A class.

    Parameters
    ----------
    a, b : float
        Two numbers.
    *rest : int
        More.
    c : str
        See `Other`.
    d : str
    """

    def __init__(self, a, b, *rest, c, d, e):
        pass


def test_an_undescribed_argument_is_found():
    assert undescribed(Described) == ["e is not described", "c only refers elsewhere"]


class Typed:
    def __init__(self, a: int, b):
        pass

    def method(self, c) -> int:
        return c

    @property
    def value(self):
        return 1

    def _private(self, d):
        pass


Typed.__module__ = "pauca.typed"


def test_an_untyped_argument_is_found():
    def function(a, *, b: int): ...

    assert untyped(function) == ["function: a", "function: return"]
    assert untyped(Typed) == ["__init__: b", "method: c", "value: return"]


def test_the_old_name_is_found(tmp_path):
    (tmp_path / "a.txt").write_text(f"import {OLD_NAME.upper()}")
    (tmp_path / f"{OLD_NAME}.txt").touch()
    (tmp_path / "b.txt").write_text("brief")
    assert with_old_name(tmp_path) == ["a.txt", f"{OLD_NAME}.txt"]
