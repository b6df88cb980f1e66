"""Files made to harm: each one is refused, and nothing it names is run or imported."""

import json
import sys
from copy import deepcopy
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
import sklearn
import skops.io
from scipy import sparse
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import pauca
from pauca import PrunedEnsembleClassifier, RVMClassifier, persistence
from pauca.datasets import make_ripley
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


def edited(model, path, edit):
    """File of a model after an ``edit`` of its parts, which `save` does not look at."""
    model = deepcopy(model)
    edit(model)
    pauca.save(model, path)
    return path


def set_node(tree, **values):
    """Write into the nodes of a tree, through its state."""
    state = tree.__getstate__()
    for name, value in values.items():
        if name in state["nodes"].dtype.names:
            state["nodes"][name][0] = value
        else:
            state[name] = value
    tree.__setstate__(state)


def last(members):
    return np.ravel(np.asarray(members, dtype=object))[-1]


RUN_STORE = "pauca.evaluation.runs.store.RunStore"
TREE_EDITS = {
    "a feature beyond all": lambda m: set_node(last(m.estimators_).tree_, feature=10**6),
    "a negative feature": lambda m: set_node(last(m.estimators_).tree_, feature=-7),
    "a child beyond all": lambda m: set_node(last(m.estimators_).tree_, left_child=10**7),
    "a circle": lambda m: set_node(last(m.estimators_).tree_, left_child=0),
    "no depth": lambda m: set_node(last(m.estimators_).tree_, max_depth=0),
    "a threshold that is no number": lambda m: set_node(last(m.estimators_).tree_, threshold=np.nan),
    "values that are no numbers": lambda m: last(m.estimators_).tree_.value.fill(np.nan),
}
KINDS = "forest", "boosting", "bagging", "extra trees", "AdaBoost", "boosted regressor", "votes"


@pytest.fixture(scope="module")
def forests():
    X, y = make_ripley(60, random_state=0)
    X = np.hstack([X, X**2])
    kinds = (
        RandomForestClassifier(4, random_state=0),
        GradientBoostingClassifier(n_estimators=4, random_state=0),
        BaggingClassifier(n_estimators=4, max_features=2, random_state=0),
        ExtraTreesRegressor(4, random_state=0),
        AdaBoostClassifier(n_estimators=4, random_state=0),
        GradientBoostingRegressor(n_estimators=4, random_state=0),
        VotingClassifier([("a", DecisionTreeClassifier(random_state=0)), ("b", ExtraTreeClassifier())]),
    )
    return [kind.fit(X, y) for kind in kinds]


@pytest.mark.parametrize("name", TREE_EDITS)
@pytest.mark.parametrize("which", range(len(KINDS)), ids=KINDS)
def test_trees_that_lead_nowhere_are_refused(forests, which, name, tmp_path):
    path = edited(forests[which], tmp_path / "model", TREE_EDITS[name])
    with pytest.raises(ValueError, match="is damaged"):
        pauca.load(path)


@pytest.mark.parametrize("features", [[0, 10**9], [-1, 0], [0], [0.5, 1.5]])
def test_features_that_the_ensemble_does_not_have_are_refused(forests, features, tmp_path):
    def edit(bagging):
        bagging.estimators_features_[-1] = np.array(features)

    with pytest.raises(ValueError, match=r"is damaged.*(features|nodes)"):
        pauca.load(edited(forests[2], tmp_path / "model", edit))


def test_members_of_pruned_ensembles_are_checked(forests, tmp_path):
    X, y = make_ripley(60, random_state=0)
    pruned = PrunedEnsembleClassifier(BaggingClassifier(n_estimators=5, max_features=1, random_state=0))
    pruned.fit(X, y)

    def edit(model):
        next(iter(model._members)).features[:] = 10**9

    with pytest.raises(ValueError, match=r"is damaged.*features"):
        pauca.load(edited(pruned, tmp_path / "model", edit))


def test_later_trees_of_boosting_have_the_features_of_the_first(forests, tmp_path):
    wide = GradientBoostingClassifier(n_estimators=4, random_state=0)
    wide.fit(np.random.default_rng(0).normal(size=(60, 9)), np.arange(60) % 2)

    def edit(boosting):
        boosting.estimators_[-1, 0] = wide.estimators_[-1, 0]

    with pytest.raises(ValueError, match=r"is damaged.*features"):
        pauca.load(edited(forests[1], tmp_path / "model", edit))


def test_sparse_vectors_are_kept(tmp_path):
    X, y = make_ripley(60, random_state=0)
    machine = RVMClassifier(gamma=1.0).fit(sparse.csr_matrix(X), y)
    pauca.save(machine, tmp_path / "model")
    np.testing.assert_array_equal(pauca.load(tmp_path / "model").predict(X), machine.predict(X))


@pytest.mark.parametrize("index", [10**6, -1])
def test_sparse_matrices_with_entries_outside_are_refused(index, tmp_path):
    X, y = make_ripley(60, random_state=0)
    machine = RVMClassifier(gamma=1.0).fit(sparse.csr_matrix(X), y)

    def edit(model):
        for value in vars(model).values():
            if sparse.issparse(value):
                value.indices[0] = index

    with pytest.raises(ValueError, match="is damaged"):
        pauca.load(edited(machine, tmp_path / "model", edit))


def test_outputs_of_a_tree_are_those_that_it_says(forests, tmp_path):
    pauca.save(forests[0], tmp_path / "model")

    def claim(schema):
        for part in persistence.trust._nodes(schema):
            if part["__loader__"] == "TreeNode":
                part["__reduce__"]["args"]["content"][2] = {**text(10**8), "__id__": -1}

    rewrite(tmp_path / "model", claim)
    with pytest.raises(ValueError, match=r"is damaged.*outputs"):
        pauca.load(tmp_path / "model")


def test_two_parts_of_the_same_number_are_the_same(forests, tmp_path):
    pauca.save(forests[0], tmp_path / "model")

    def claim(schema):
        trees = [each for each in persistence.trust._nodes(schema) if each["__loader__"] == "TreeNode"]
        trees[-1]["__reduce__"]["args"]["content"][2]["content"] = "100000000"

    rewrite(tmp_path / "model", claim)
    with pytest.raises(ValueError, match=r"is damaged.*(number|outputs)"):
        pauca.load(tmp_path / "model")


def rewrite(path, edit):
    """Write a model file anew with its schema edited."""
    with ZipFile(path) as source:
        members = {name: source.read(name) for name in source.namelist()}
    schema = json.loads(members["schema.json"])
    edit(schema)
    members["schema.json"] = json.dumps(schema)
    with ZipFile(path, "w") as copy:
        for name, content in members.items():
            copy.writestr(name, content)


@pytest.mark.parametrize("loader", ["LossNode", "ConstructorFromReduceNode"])
@pytest.mark.parametrize(
    "name", ["pauca.evaluation.runs.store.RunStore", "pauca.basis.kernels.stationary.RBF"]
)
def test_no_constructor_of_the_package_is_called(loader, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree = reduced(loader, name, "target.sqlite") if loader == "LossNode" else call(name, "target.sqlite")
    with pytest.raises(UntrustedModel, match=name.replace(".", r"\.")):
        pauca.load(write_archive(tmp_path / "model", root(classifier_with(tree))))
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_a_class_that_holds_no_model_is_refused(tmp_path):
    tree = classifier_with(node("ObjectNode", RUN_STORE))
    with pytest.raises(UntrustedModel, match="RunStore"):
        pauca.load(write_archive(tmp_path / "model", root(tree)))


def test_a_file_that_unpacks_too_far_is_refused_before_it_is_unpacked(tmp_path, classifier):
    pauca.save(classifier, tmp_path / "model")
    with ZipFile(tmp_path / "model", "a", ZIP_DEFLATED) as file, file.open("zeros.npy", "w") as member:
        for _ in range(64):
            member.write(bytes(2**20))
    for reader in (pauca.load, read_metadata):
        with pytest.raises(ValueError, match="far more than a model"):
            reader(tmp_path / "model")


@pytest.mark.parametrize("name", ["matrix.npz", "matrix.npy", "matrix"])
def test_a_bomb_inside_a_sparse_matrix_is_refused(tmp_path, classifier, name):
    pauca.save(classifier, tmp_path / "model")
    inner = BytesIO()
    with ZipFile(inner, "w", ZIP_DEFLATED) as file:
        file.writestr("data.npy", bytes(64 * 2**20))
    with ZipFile(tmp_path / "model", "a") as file:
        file.writestr(name, inner.getvalue())
    with pytest.raises(ValueError, match="far more than a model"):
        pauca.load(tmp_path / "model")


def test_other_versions_are_named_where_a_file_cannot_be_read(tmp_path, classifier):
    pauca.save(classifier, tmp_path / "model")
    with ZipFile(tmp_path / "model") as source, ZipFile(tmp_path / "old", "w") as copy:
        for name in source.namelist():
            content = source.read(name)
            if name == "pauca.json":
                content = content.replace(sklearn.__version__.encode(), b"1.6.0")
            copy.writestr(name, content[:-20] if name.endswith(".npy") else content)
    here = sklearn.__version__.replace(".", r"\.")
    with pytest.raises(ValueError, match=rf"scikit-learn 1\.6\.0 \(here {here}\): load it with"):
        pauca.load(tmp_path / "old")
