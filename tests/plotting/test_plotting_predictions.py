"""Curves, surfaces and suspicious labels, as data."""

import sys

import numpy as np
import pandas as pd
import pytest

from pauca import ARDClassifier, BayesMachineClassifier, RVMClassifier, RVMRegressor
from pauca.datasets import make_circle, make_ripley, make_sinc, ripley_posterior, sinc_function
from pauca.plotting import plot_fit, plot_surface, plot_suspects, plot_weights


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


def test_without_matplotlib(sinc, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    machine, X, y = sinc
    with pytest.raises(ImportError, match=r'pip install "pauca\[plot\]"'):
        plot_fit(machine, X, y)


def test_suspects(ax):
    X, y = make_circle(120, label_noise=0.1, random_state=0)
    machine = BayesMachineClassifier(gamma=1.0).fit(X, y)
    assert plot_suspects(machine, X, y, threshold=0.6, ax=ax) is ax
    np.testing.assert_array_equal(points(ax, "suspects"), X[machine.flip_probability_ >= 0.6])
    np.testing.assert_array_equal(points(ax, "class 1"), X[y == 1])
    assert len(points(ax, "suspects")) > 5
    assert f"{100 * machine.noise_:.1f} %" in ax.get_title()
