"""Error curves and decompositions, as data."""

import sys

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.ensemble import BaggingRegressor

from pauca import PrunedEnsembleRegressor
from pauca.datasets import make_friedman1
from pauca.ensembles import bias_variance_covariance
from pauca.plotting import plot_decomposition, plot_error_curves


def lines(ax):
    return {line.get_label(): line for line in ax.lines}


def test_curves_levels_and_points():
    ax = Figure().subplots()
    curve = [3.0, 2.0, 1.5]
    drawn = plot_error_curves({"bagging": curve}, levels={"one net": 2.5}, points={"SDP": (2, 1.2)}, ax=ax)
    assert drawn is ax
    assert lines(ax)["bagging"].get_xydata().tolist() == [[1, 3], [2, 2], [3, 1.5]]
    assert set(lines(ax)["one net"].get_ydata()) == {2.5}
    assert lines(ax)["SDP"].get_xydata().tolist() == [[2, 1.2]]


def test_pruned_ensembles_show_what_they_keep():
    X, y = make_friedman1(60, random_state=0)
    pruned = PrunedEnsembleRegressor(BaggingRegressor(n_estimators=8, random_state=0), size=3).fit(X, y)
    ax = plot_error_curves({"ordered": pruned}, ax=Figure().subplots())
    np.testing.assert_array_equal(lines(ax)["ordered"].get_ydata(), pruned.error_curve_)
    assert lines(ax)["3 kept"].get_xydata().tolist() == [[3, pruned.error_curve_[2]]]


def test_decomposition_has_four_panels():
    outputs = np.random.default_rng(0).normal(size=(9, 5, 7))
    parts = bias_variance_covariance(outputs, np.zeros(7))
    axes = plot_decomposition({"bagging": parts}, axes=Figure().subplots(2, 2))
    assert [ax.get_title() for ax in axes.flat] == [
        "mean squared error",
        "squared bias",
        "variance",
        "covariance",
    ]
    np.testing.assert_array_equal(axes.flat[3].lines[0].get_ydata(), parts.covariance)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "pauca\[plot\]"'):
        plot_decomposition({})
