"""The files around the package agree with it."""

import re
import tomllib
from pathlib import Path

import pytest

import pauca

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FRAGMENTS = sorted(path for path in (ROOT / "changelog.d").glob("*") if path.name != "README.md")


def test_one_version():
    citation = re.search(
        r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert citation is not None
    assert {PROJECT["project"]["version"], citation[1]} == {pauca.__version__}


def test_oldest_python_is_declared_alike():
    classifiers = PROJECT["project"]["classifiers"]
    versions = [line.split(" :: ")[-1] for line in classifiers if re.search(r":: 3\.\d+$", line)]
    assert PROJECT["project"]["requires-python"] == f">={versions[0]}"
    assert PROJECT["tool"]["pyright"]["pythonVersion"] == versions[0]


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_news_fragments_have_a_known_type(path):
    types = {kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]}
    assert re.fullmatch(rf"\+[a-z0-9-]+\.({'|'.join(types)})\.md", path.name)
    assert path.read_text(encoding="utf-8").strip()


def test_the_source_archive_has_what_it_needs():
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert [name for name in included if not (ROOT / name).exists()] == []
    assert {"src", "tests", "noxfile.py", "changelog.d", "CITATION.cff"} <= set(included)
    assert (ROOT / "src" / "pauca" / "py.typed").is_file()
