"""The examples in the docstrings do what they say."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import pauca

MODULES = [
    module.name
    for module in walk_packages(pauca.__path__, "pauca.")
    if not module.name.startswith(("pauca.cli", "pauca.__main__"))
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(import_module(name)).failed == 0


def test_the_estimators_have_examples():
    assert sum(doctest.testmod(import_module(name)).attempted for name in MODULES) >= 8
