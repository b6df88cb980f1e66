"""Curves, surfaces and suspicious labels, as data."""

import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from sklearn.datasets import load_iris

from pauca import ARDClassifier, BayesMachineClassifier, RVMClassifier, RVMRegressor, SparseGPClassifier
from pauca.datasets import make_circle, make_ripley, make_sinc, ripley_posterior, sinc_function
from pauca.plotting import FitDisplay, SurfaceDisplay, plot_fit, plot_surface, plot_suspects, plot_weights
from pauca.plotting.canvas import PALETTE


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
    ("n_features", "labels", "message"),
    [(4, [0, 1], "exactly two features"), (2, [0, 7], r"not fitted with: \[7\]")],
)
def test_surface_needs_a_plane_and_known_labels(n_features, labels, message):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, n_features)), np.arange(30) % 2
    machine = RVMClassifier(gamma=1.0).fit(X, y)
    with pytest.raises(ValueError, match=message):
        plot_surface(machine, X, np.asarray(labels)[y])


def test_surface_of_many_classes_in_a_frame(ax):
    iris = load_iris(as_frame=True)
    X, y = iris.data.iloc[::3, 2:], iris.target_names[iris.target.iloc[::3]]
    machine = SparseGPClassifier(gamma=0.3).fit(X, y)
    display = SurfaceDisplay.from_estimator(machine, X, y, ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(X.columns)
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"class setosa", "class versicolor", "class virginica"} <= set(legend)
    np.testing.assert_allclose(display.surface.sum(axis=2), 1)
    # The colours at the corner are those of the most probable class there.
    (image,) = ax.images
    corner = image.get_array()[0, 0]
    first = machine.classes_[display.surface[0, 0].argmax()]
    expected = [int(PALETTE[list(machine.classes_).index(first)][k : k + 2], 16) for k in (1, 3, 5)]
    assert np.argmin(corner) == np.argmin(expected)
    with pytest.raises(ValueError, match="two classes only"):
        plot_surface(machine, X, y, truth=lambda rows: rows[:, 0])


def test_a_machine_without_flip_probabilities_is_refused(ripley):
    with pytest.raises(TypeError, match="BayesMachineClassifier"):
        plot_suspects(*ripley)


def test_a_curve_names_its_axes(ax):
    X, y = make_sinc(30, random_state=0)
    frame, target = pd.DataFrame(X, columns=["time"]), pd.Series(y, name="height")
    display = FitDisplay.from_estimator(RVMRegressor(gamma=0.1).fit(frame, target), frame, target, ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time", "height")
    again = display.plot()
    assert again is display
    assert display.ax_ is not ax
    pyplot.close("all")


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
    np.testing.assert_array_equal(points(ax, "suspicious labels"), X[machine.flip_probability_ >= 0.6])
    np.testing.assert_array_equal(points(ax, "class 1"), X[y == 1])
    assert len(points(ax, "suspicious labels")) > 5
    assert f"{100 * machine.noise_:.1f} %" in ax.get_title()
