"""Weights, precisions, feature scales and paths, as data."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from pauca import ARDClassifier, RVMClassifier, RVMRegressor
from pauca.datasets import make_ripley
from pauca.plotting import plot_feature_scales, plot_path, plot_precisions, plot_weights, summaries


def test_precisions(sinc, ax):
    machine, _, _ = sinc
    plot_precisions(machine, bins=7, ax=ax)
    assert len(ax.patches) == 7
    assert sum(bar.get_height() for bar in ax.patches) == len(machine.relevance_)
    expected = np.log10(machine.alpha_posterior_.mean[0])
    np.testing.assert_allclose(summaries.log_precisions(machine), expected)


def test_weights(sinc, ax):
    machine, _, _ = sinc
    plot_weights(machine, ax=ax)
    (stems,) = ax.containers
    rows, coef = stems.markerline.get_data()
    order = np.argsort(machine.relevance_)
    np.testing.assert_array_equal(rows, machine.relevance_[order])
    np.testing.assert_array_equal(coef, machine.dual_coef_[0, order])


def test_weights_of_one_of_several_machines(ax):
    X, _ = make_ripley(90, random_state=0)
    machine = RVMClassifier(gamma=1.0).fit(X, np.digitize(X[:, 0], [-0.5, 0.3]))
    rows, coef = summaries.weights(machine, 2)
    assert set(rows) <= set(machine.relevance_)
    assert set(coef) == set(machine.dual_coef_[2][machine.dual_coef_[2] != 0])
    plot_weights(machine, which=2, ax=ax)


def test_feature_scales(ax):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    machine = RVMRegressor().fit(X, np.sin(2 * X[:, 2]) + 0.1 * rng.normal(size=150))
    plot_feature_scales(machine, top=3, ax=ax)
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_array_equal(widths, np.sort(machine.feature_scales_)[::-1][:3])
    assert ax.get_yticklabels()[0].get_text() == "2"
    assert ax.get_title() == "3 of 4 features"


def test_precisions_need_variational_inference(ripley, ax):
    with pytest.raises(ValueError, match='fitted with inference="variational"'):
        plot_precisions(ripley[0], ax=ax)


def test_path_has_four_panels_and_marks_the_chosen_round():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 100))
    machine = ARDClassifier().fit(X, X[:, 0] > 0)
    axes = Figure().subplots(4)
    plot_path(machine, ax=axes, test_error=np.zeros(len(machine.path_)))
    assert len(axes) == 4
    for ax, name in zip(axes, ("log_evidence", "loo_probability", "loo_error", "n_terms"), strict=True):
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), machine.path_[name])
        assert ax.lines[1].get_xdata()[0] == machine.chosen_rounds_[0]
    assert len(axes[2].lines) == 3


def test_path_without_leave_one_out_is_refused():
    X, y = make_ripley(60, random_state=0)
    with pytest.raises(ValueError, match="ARDClassifier"):
        plot_path(RVMClassifier(gamma=1.0).fit(X, y))
