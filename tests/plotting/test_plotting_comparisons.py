"""Plots of comparisons, as data."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from sklearn.datasets import load_iris
from sklearn.linear_model import BayesianRidge
from sklearn.naive_bayes import GaussianNB

matplotlib.use("Agg")
from matplotlib.figure import Figure

from pauca.evaluation import critical_difference, mean_ranks, nemenyi_matrix, rank_table
from pauca.plotting import (
    ReliabilityDisplay,
    RiskCoverageDisplay,
    plot_critical_difference,
    plot_rank_boxes,
    plot_reliability,
    plot_risk_coverage,
)
from pauca.plotting.ranks import groups


@pytest.fixture
def ax():
    return Figure(figsize=(7, 4), layout="constrained").subplots()


def scores(seed, n=12, k=6):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(n, k)) + 0.7 * np.arange(k), columns=list("abcdef"[:k]))


def bars(ax):
    """The thick lines below the axis."""
    return sorted(tuple(line.get_xdata()) for line in ax.lines if line.get_linewidth() == 4)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([1.0, 1.5, 2.0, 4.0], [(1.0, 2.0)]),
        ([1.0, 1.8, 2.6, 3.4], [(1.0, 1.8), (1.8, 2.6), (2.6, 3.4)]),
        ([1.0, 3.0], []),
    ],
)
def test_groups(ranks, expected):
    assert groups(ranks, 1.0) == expected


def test_ranks_may_be_a_frame_and_must_be_complete(ax):
    found = mean_ranks(scores(0))
    plot_critical_difference(found, 1.0, ax=ax)
    written = " ".join(text.get_text() for text in ax.texts)
    assert all(name in written for name in "abcdef")
    with pytest.raises(ValueError, match="has missing values"):
        plot_critical_difference({"a": 1.0, "b": float("nan")}, 1.0, ax=ax)
    with pytest.raises(ValueError, match="there are 1, 2"):
        plot_critical_difference({1: 1.0, 2: 2.0}, 1.0, ax=ax, control=3)


@pytest.mark.parametrize("seed", range(4))
def test_bars_join_the_groups_that_scikit_posthocs_finds(seed, ax):
    table = scores(seed)
    ranks = mean_ranks(table).set_index("method")["mean_rank"]
    plot_critical_difference(ranks, critical_difference(6, 12), ax=ax)
    reference = Figure().subplots()
    drawn = scikit_posthocs.critical_difference_diagram(ranks, nemenyi_matrix(table), ax=reference)
    expected = {tuple(np.round([min(x), max(x)], 9)) for x in _crossbars(drawn)}
    assert {tuple(np.round(bar, 9)) for bar in bars(ax)} == expected


def _crossbars(drawn):
    return [line.get_xdata() for bar in drawn["crossbars"] for line in np.ravel(bar)]


def test_labels_have_names_and_ranks_best_left(ax):
    plot_critical_difference({"a": 2.5, "b": 1.2, "c": 2.3}, 0.8, ax=ax, names={"b": "Bee"})
    texts = {text.get_text(): text for text in ax.texts}
    assert {"Bee (1.20)", "a (2.50)", "c (2.30)", "CD = 0.80"} <= set(texts)
    assert texts["Bee (1.20)"].get_ha() == "right"
    assert texts["a (2.50)"].get_ha() == "left"


def test_a_control_has_one_bar_as_far_as_the_critical_difference_reaches(ax):
    plot_critical_difference({"a": 1.4, "b": 2.1, "c": 2.5, "d": 4.0}, 0.9, ax=ax, control="b")
    assert bars(ax) == [pytest.approx((1.2, 3.0))]
    with pytest.raises(ValueError, match="'x' is not a method; there are a, b"):
        plot_critical_difference({"a": 1.0, "b": 2.0}, 1.0, ax=ax, control="x")


def test_boxes_are_in_the_order_of_the_means(ax):
    plot_rank_boxes(rank_table(scores(0)), ax=ax)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == list(rank_table(scores(0)).mean().sort_values(ascending=False).index)


def test_reliability_and_error_curves_show_what_they_are_given(ax):
    curves = {"rvm": (np.array([0.1, 0.9]), np.array([0.2, 0.8]), np.array([5, 50]))}
    plot_reliability(curves, ax=ax)
    diagonal, line = ax.lines
    assert diagonal.get_label() == "calibrated"
    np.testing.assert_array_equal(line.get_ydata(), [0.2, 0.8])
    assert ax.collections[0].get_sizes()[0] < ax.collections[0].get_sizes()[1]
    other = Figure().subplots()
    plot_risk_coverage([0.5, 1.0], {"rvm": [0.0, 0.1]}, ax=other, ylabel="error among them")
    assert other.get_ylabel() == "error among them"
    np.testing.assert_array_equal(other.lines[0].get_ydata(), [0.0, 0.1])


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_plots_are_written_as_svg_and_png(tmp_path, ax, suffix):
    plot_critical_difference({"a": 1.4, "b": 2.1, "c": 2.5}, 0.9, ax=ax)
    path = tmp_path / f"ranks.{suffix}"
    ax.figure.savefig(path)
    assert path.read_bytes()[:5] in (b"<?xml", b"\x89PNG\r")


def test_axes_are_made_where_none_are_given():
    from matplotlib import pyplot

    assert plot_critical_difference({"a": 1.0, "b": 2.0}, 0.5).lines
    pyplot.close("all")


def test_reliability_takes_plain_arrays(ax):
    y, p = [0, 1, 1, 0, 1, 0], [0.05, 0.95, 0.62, 0.68, 0.65, 0.01]
    plot_reliability(y, p, ax=ax, name="mine")
    line = ax.lines[1]
    np.testing.assert_allclose(line.get_xdata(), [0.03, 0.65, 0.95])
    np.testing.assert_allclose(line.get_ydata(), [0, 2 / 3, 1])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["calibrated", "mine"]
    both = ReliabilityDisplay.from_predictions(y, np.column_stack([np.subtract(1, p), p]), ax=ax)
    np.testing.assert_array_equal(both.curves["predictions"][1], line.get_ydata())
    with pytest.raises(ValueError, match="y_prob must be the predicted probabilities"):
        plot_reliability(y)
    with pytest.raises(ValueError, match="y_prob has 2 classes, but y_true has 1"):
        plot_reliability([1, 1], [0.4, 0.6])


def test_curves_of_an_estimator(ax):
    X, y = load_iris(return_X_y=True)
    machine = GaussianNB().fit(X, y)
    coverage = RiskCoverageDisplay.from_estimator(machine, X, y, ax=ax).curves["GaussianNB"]
    assert coverage[-1] == pytest.approx(np.mean(machine.predict(X) != y))
    direct = RiskCoverageDisplay.from_predictions(y, machine.predict_proba(X), ax=ax)
    assert direct.curves["predictions"] == coverage
    _, _, n_rows = ReliabilityDisplay.from_estimator(machine, X, y, ax=ax).curves["GaussianNB"]
    assert n_rows.sum() == 150
    with pytest.raises(ValueError, match="not fitted with"):
        RiskCoverageDisplay.from_estimator(machine, X, y + 1)


def test_intervals_of_a_regressor(ax):
    data = load_iris().data
    X, y = data[:, 1:], data[:, 0]
    display = ReliabilityDisplay.from_estimator(BayesianRidge().fit(X, y), X, y, ax=ax)
    assert ax.get_ylabel() == "observed coverage"
    nominal, observed, _ = display.curves["BayesianRidge"]
    assert abs(nominal - observed).max() < 0.1
