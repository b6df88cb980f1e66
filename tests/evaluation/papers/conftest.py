"""Table of a made-up paper."""

import pytest

from pauca.evaluation import Measure, PaperTable

PUBLISHED = {("iris", "svm"): {"error": 4.0, "size": 50}, ("iris", "rvm"): {"error": 4.5}}


def measure(dataset, split, method):
    return {"error": 4.0 + 0.1 * split, "size": {"svm": 10.0, "rvm": None}[method]}


def make_table(**changes):
    """Table with some settings changed."""
    settings = {
        "name": "toy-1",
        "title": "A toy",
        "datasets": ("iris",),
        "methods": ("svm", "rvm"),
        "n_splits": 3,
        "measure": measure,
        "measures": {"error": Measure(), "size": Measure(None)},
        "published": PUBLISHED,
    }
    return PaperTable(**{**settings, **changes})


@pytest.fixture
def table():
    """Function that makes the table."""
    return make_table
