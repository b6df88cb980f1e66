"""What is drawn, as data."""

import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from pauca import ARDClassifier, BayesMachineClassifier, EPCVMClassifier, RVMClassifier, RVMRegressor
from pauca.datasets import make_circle, make_ripley, make_sinc, ripley_posterior, sinc_function
from pauca.plotting import (
    plot_feature_scales,
    plot_fit,
    plot_path,
    plot_precisions,
    plot_surface,
    plot_suspects,
    plot_weights,
    summaries,
)


@pytest.fixture(scope="module")
def sinc():
    X, y = make_sinc(50, random_state=0)
    return RVMRegressor(gamma=0.1, inference="variational").fit(X, y), X, y


@pytest.fixture(scope="module")
def ripley():
    X, y = make_ripley(100, random_state=0)
    return RVMClassifier(gamma=1.0).fit(X, y), X, y


@pytest.fixture
def ax():
    return Figure().subplots()


def lines(ax):
    return {line.get_label(): line for line in ax.lines}


def points(ax, label):
    (found,) = (drawn for drawn in ax.collections if drawn.get_label() == label)
    return np.asarray(found.get_offsets())


def test_fit(sinc, ax):
    machine, X, y = sinc
    assert plot_fit(machine, X, y, truth=sinc_function, ax=ax) is ax
    x, mean = lines(ax)["mean"].get_data()
    np.testing.assert_array_equal(mean, machine.predict(np.asarray(x)[:, None]))
    np.testing.assert_array_equal(lines(ax)["truth"].get_ydata(), sinc_function(np.asarray(x)))
    np.testing.assert_array_equal(points(ax, "rows"), np.column_stack([X, y]))
    kept = machine.relevance_
    np.testing.assert_array_equal(points(ax, "relevance vectors"), np.column_stack([X[kept], y[kept]]))
    (band,) = (drawn for drawn in ax.collections if drawn.get_label() == "±2 std")
    _, std = machine.predict(np.asarray(x)[:, None], return_std=True)
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx((mean + 2 * std).max())
    assert heights.min() == pytest.approx((mean - 2 * std).min())


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


def test_surface(ripley, ax):
    machine, X, y = ripley
    plot_surface(machine, X, y, truth=lambda rows: ripley_posterior(rows), ax=ax)
    np.testing.assert_array_equal(points(ax, "class 0"), X[y == 0])
    np.testing.assert_array_equal(points(ax, "relevance vectors"), machine.relevance_vectors_)


def test_surface_of_frames_and_of_machines_without_vectors(ax):
    X, y = make_ripley(80, random_state=0)
    frame, labels = pd.DataFrame(X, columns=["a", "b"]), pd.Series(y, index=np.arange(80)[::-1])
    machine = ARDClassifier().fit(X, y)
    plot_surface(machine, frame, labels, ax=ax)
    np.testing.assert_array_equal(points(ax, "class 1"), X[y == 1])


@pytest.mark.parametrize(
    ("n_features", "n_classes", "message"), [(4, 2, "exactly two features"), (2, 3, "two")]
)
def test_surface_needs_a_plane_and_two_classes(n_features, n_classes, message):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, n_features)), np.arange(30) % n_classes
    machine = RVMClassifier(gamma=1.0).fit(X, y)
    with pytest.raises(ValueError, match=message):
        plot_surface(machine, X, y)


def test_machine_without_terms(ax):
    X, y = make_sinc(20, random_state=0)
    machine = RVMRegressor(gamma=0.1, threshold=1e9, inference="variational").fit(X, y)
    plot_weights(machine, ax=ax)
    plot_fit(machine, X, y, ax=ax)
    assert len(points(ax, "relevance vectors")) == 0


def test_only_one_feature_makes_a_curve(ripley, ax):
    _, X, y = ripley
    with pytest.raises(ValueError, match="one feature"):
        plot_fit(RVMRegressor(gamma=1.0).fit(X, y), X, y, ax=ax)


def test_precisions_need_variational_inference(ripley, ax):
    with pytest.raises(AttributeError, match="variational"):
        plot_precisions(ripley[0], ax=ax)


def test_without_matplotlib(sinc, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    machine, X, y = sinc
    with pytest.raises(ImportError, match=r'pip install "pauca\[plot\]"'):
        plot_fit(machine, X, y)


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


def test_classes_learned_together_have_one_path():
    X, y = load_iris(return_X_y=True)
    machine = EPCVMClassifier(gamma=0.3, inference="ep").fit(X, y)
    axes = Figure().subplots(4)
    plot_path(machine, ax=axes)
    np.testing.assert_array_equal(axes[3].lines[0].get_ydata(), machine.path_["n_terms"])
    with pytest.raises(ValueError, match="which must be at most 0; got 1"):
        plot_path(machine, which=1)


def test_suspects(ax):
    X, y = make_circle(120, label_noise=0.1, random_state=0)
    machine = BayesMachineClassifier(gamma=1.0).fit(X, y)
    assert plot_suspects(machine, X, y, threshold=0.6, ax=ax) is ax
    np.testing.assert_array_equal(points(ax, "suspects"), X[machine.flip_probability_ >= 0.6])
    np.testing.assert_array_equal(points(ax, "class 1"), X[y == 1])
    assert len(points(ax, "suspects")) > 5
    assert f"{100 * machine.noise_:.1f} %" in ax.get_title()
