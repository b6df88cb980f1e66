"""The examples in the docstrings do what they say."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import laconic

MODULES = [
    module.name
    for module in walk_packages(laconic.__path__, "laconic.")
    if not module.name.startswith(("laconic.cli", "laconic.__main__"))
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(import_module(name)).failed == 0


def test_the_estimators_have_examples():
    assert sum(doctest.testmod(import_module(name)).attempted for name in MODULES) >= 8
