"""Trees evaluated and required sizes, as data."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from pauca import InstancePrunedClassifier
from pauca.datasets import make_circle
from pauca.ensembles import EnsembleSize
from pauca.plotting import plot_queries, plot_query_map, plot_required_sizes, plot_vote_shares
from pauca.plotting.summaries import exceedance


@pytest.fixture(scope="module")
def circle():
    X, y = make_circle(100, label_noise=0.05, random_state=0)
    forest = RandomForestClassifier(101, random_state=0).fit(X, y)
    return InstancePrunedClassifier(forest, random_state=0), X


def test_map_of_queries(circle, ax):
    model, X = circle
    assert plot_query_map(model, X, n_points=30, ax=ax) is ax
    shares = next(drawn for drawn in ax.collections if drawn.get_array() is not None and drawn.colorbar)
    assert shares.get_clim() == (0.0, 1.0)
    corners = np.stack(np.meshgrid(*np.linspace(X.min(axis=0), X.max(axis=0), 30).T), axis=-1).reshape(-1, 2)
    queries = model.predict(corners, return_queries=True)[1]
    assert ax.get_title() == f"{queries.mean() / 101:.0%} of 101 trees evaluated"


def test_histogram_of_queries(circle, ax):
    model, X = circle
    plot_queries(model, X, bins=10, ax=ax)
    queries = model.predict(X, return_queries=True)[1]
    expected = np.histogram(queries, 10, (0, 101))[0] / len(X)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], expected)
    assert ax.lines[0].get_xdata()[0] == queries.mean()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_vote_shares(n_classes, ax):
    votes = np.random.default_rng(0).integers(1, 50, (200, n_classes))
    size = EnsembleSize(101, 0.99, votes, "oob")
    plot_vote_shares(size, bins=20, ax=ax)
    drawn = size.shares[:, 1] if n_classes == 2 else size.shares.max(axis=1)
    expected = np.histogram(drawn, 20, (0, 1), density=True)[0]
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches[:20]], expected)
    assert ("second class" in ax.get_xlabel()) == (n_classes == 2)


def test_required_sizes_beside_the_law(ax):
    votes = np.column_stack([np.arange(102), 101 - np.arange(102)])
    size = EnsembleSize(1591, 0.99, votes, "oob")
    plot_required_sizes(size, ax=ax)
    rows, law, enough = ax.lines
    members, shares = exceedance(size.required_sizes)
    np.testing.assert_array_equal(rows.get_data(), (members, shares))
    np.testing.assert_allclose(law.get_ydata(), size.tail(members))
    assert set(enough.get_xdata()) == {1591}
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_exceedance():
    members, larger = exceedance(np.array([8.0, 0.5, np.inf, 2.0]))
    assert members.tolist() == [2.0, 8.0]
    assert larger.tolist() == [0.5, 0.25]
