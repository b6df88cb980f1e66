"""Files made to harm: each one is refused, and nothing it names is run or imported."""

import json
import sys
from io import BytesIO
from zipfile import ZipFile

import pytest
import skops.io

import pauca
from pauca import RVMClassifier, persistence
from pauca.persistence import UntrustedModel, read_metadata

with ZipFile(BytesIO(skops.io.dumps("any"))) as honest:
    PROTOCOL = json.loads(honest.read("schema.json"))["protocol"]
PROMISE = {"format": persistence.FORMAT, "pauca": pauca.__version__, "metadata": {}}


def write_archive(path, schema, header=PROMISE):
    with ZipFile(path, "w") as file:
        file.writestr("schema.json", schema if isinstance(schema, str) else json.dumps(schema))
        if header is not None:
            file.writestr("pauca.json", header if isinstance(header, str) else json.dumps(header))
    return path


def node(loader, name, **fields):
    module, _, attribute = name.rpartition(".")
    return {"__loader__": loader, "__module__": module, "__class__": attribute, **fields}


def text(value):
    return node("JsonNode", "builtins.str", content=json.dumps(value), is_json=True)


def arguments(*values):
    return node("TupleNode", "builtins.tuple", content=[text(value) for value in values])


def dictionary(**items):
    keys = node("ListNode", "builtins.list", content=[node("TypeNode", "builtins.str") for _ in items])
    return node("DictNode", "builtins.dict", content=items, key_types=keys)


def root(tree):
    return {**tree, "protocol": PROTOCOL, "_skops_version": skops.__version__}


def classifier_with(attribute):
    """The tree of a classifier one of whose attributes is hostile."""
    name = f"{RVMClassifier.__module__}.RVMClassifier"
    return node("ObjectNode", name, content=dictionary(kernel=attribute))


def call(name, *values):
    """A tree that would call what is named."""
    return node("ConstructorFromReduceNode", name, content=arguments(*values))


def partial(name, *values):
    parts = {"func": node("FunctionNode", name), "args": arguments(*values), "kwds": dictionary()}
    return node("PartialNode", "functools.partial", content={**parts, "namespace": dictionary()})


def method(owner, name):
    return node("MethodNode", owner, content={"func": name, "obj": node("ObjectNode", owner)})


def reduced(loader, name, *values):
    return node(loader, name, __reduce__={"args": arguments(*values)}, content=dictionary())


def trees(command):
    """Trees that run a command if they are believed, with the name the refusal must give."""
    code = f"__import__('os').system({command!r})"
    yield "os.system", call("os.system", command)
    yield "posix.system", call("posix.system", command)
    yield "subprocess.getoutput", call("subprocess.getoutput", command)
    yield "builtins.eval", call("builtins.eval", code)
    yield "builtins.exec", call("builtins.exec", code)
    yield "os.system", reduced("LossNode", "os.system", command)
    yield "builtins.eval", node("FunctionNode", "builtins.eval")
    yield "builtins.eval", node("TypeNode", "builtins.eval")
    yield "functools.partial", partial("os.system", command)
    yield (
        "operator.methodcaller",
        node("OperatorFuncNode", "operator.methodcaller", attrs=arguments("system")),
    )
    yield "RVMClassifier.get_params", method(f"{RVMClassifier.__module__}.RVMClassifier", "get_params")
    yield "pauca.import_module", call("pauca.import_module", "antigravity")
    yield "pauca.persistence.import_module", call("pauca.persistence.import_module", "antigravity")
    yield "pauca.persistence.os", node("TypeNode", "pauca.persistence.os")
    yield "pauca.persistence.load", call("pauca.persistence.load", "another.file")
    yield "pauca.__main__.main", call("pauca.__main__.main")
    yield "pauca.nowhere.Thing", node("ObjectNode", "pauca.nowhere.Thing")
    yield "pauca_plugin.Thing", node("ObjectNode", "pauca_plugin.Thing")


CASES = list(trees("touch marker"))


@pytest.mark.parametrize(("name", "tree"), CASES, ids=[f"{i}-{name}" for i, (name, _) in enumerate(CASES)])
@pytest.mark.parametrize("wrap", [lambda tree: tree, classifier_with], ids=["bare", "inside a classifier"])
def test_foreign_code_is_refused_and_not_run(name, tree, wrap, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_archive(tmp_path / "model", root(wrap(tree)))
    before = set(sys.modules)
    with pytest.raises(UntrustedModel, match=name.replace(".", r"\.")):
        pauca.load(path)
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
    assert "antigravity" not in set(sys.modules) - before


def test_foreign_module_is_not_imported(tmp_path, monkeypatch):
    (tmp_path / "evil_module.py").write_text(
        "import pathlib; pathlib.Path('marker').touch()\nclass Evil: pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    path = write_archive(tmp_path / "model", root(classifier_with(node("ObjectNode", "evil_module.Evil"))))
    with pytest.raises(UntrustedModel, match=r"evil_module\.Evil"):
        pauca.load(path)
    assert not (tmp_path / "marker").exists()
    assert "evil_module" not in sys.modules


def test_pickled_arrays_are_refused(tmp_path, classifier):
    pauca.save(classifier, tmp_path / "model")
    with ZipFile(tmp_path / "model") as source, ZipFile(tmp_path / "hostile", "w") as copy:
        for name in source.namelist():
            content = source.read(name)
            copy.writestr(name, b"\x80\x04cos\nsystem\n." if name.endswith(".npy") else content)
    with pytest.raises(ValueError, match="is damaged"):
        pauca.load(tmp_path / "hostile")


def test_newer_format_asks_for_an_upgrade(tmp_path):
    header = {"format": persistence.FORMAT + 1, "pauca": "9.9", "metadata": {}}
    path = write_archive(tmp_path / "model", root(text("x")), header)
    for reader in (pauca.load, read_metadata):
        with pytest.raises(ValueError, match=r"pauca 9\.9 in format 2.*pip install --upgrade pauca"):
            reader(path)


@pytest.mark.parametrize(
    "header", [None, "no json", "[1]", "{}", '{"format": "x", "pauca": "1", "metadata": {}}', "[" * 100_000]
)
def test_strange_headers(header, tmp_path):
    path = write_archive(tmp_path / "model", root(text("x")), header)
    with pytest.raises(ValueError, match=r"is not a pauca model\.$"):
        pauca.load(path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"\x80\x04\x95pickle", b"a,b\n1,2\n"])
def test_other_files(content, tmp_path):
    (tmp_path / "model").write_bytes(content)
    with pytest.raises(ValueError, match=r"is not a pauca model\.$"):
        pauca.load(tmp_path / "model")


@pytest.mark.parametrize("schema", ["", "{}", "[]", '{"protocol": 1e9}', "[" * 100_000])
def test_damaged_schema(schema, tmp_path):
    with pytest.raises(ValueError, match="is damaged"):
        pauca.load(write_archive(tmp_path / "model", schema))


def test_truncated_file(tmp_path, classifier):
    pauca.save(classifier, tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    (tmp_path / "model").write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="not a pauca model"):
        pauca.load(tmp_path / "model")


def test_missing_file(tmp_path):
    for reader in (pauca.load, read_metadata):
        with pytest.raises(FileNotFoundError):
            reader(tmp_path / "nothing")
