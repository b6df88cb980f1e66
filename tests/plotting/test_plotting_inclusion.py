"""Plots of features, as data."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pauca import SpikeSlabClassifier
from pauca.evaluation import Stability
from pauca.plotting import InclusionDisplay, plot_expression, plot_inclusion, plot_stability
from pauca.plotting.summaries import expression, feature_names


@pytest.fixture(scope="module")
def genes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 30)), columns=[f"g{j}" for j in range(30)])
    y = np.where(2 * X["g4"] - 2 * X["g20"] + rng.normal(size=40) > 0.5, "yes", "no")
    return SpikeSlabClassifier(4).fit(X, y), X, y


def test_probabilities_and_the_prior_level(genes, ax):
    machine, _, _ = genes
    assert plot_inclusion(machine, n_named=2, ax=ax) is ax
    tops = np.array([line[1, 1] for line in ax.collections[0].get_segments()])
    np.testing.assert_allclose(tops, machine.inclusion_probabilities_)
    assert ax.lines[0].get_ydata()[0] == machine.prior_inclusion_
    assert {text.get_text() for text in ax.texts} == {"g4", "g20"}
    assert ax.get_title().startswith("2 of 30 features")


def test_heat_map_is_sorted_by_class_and_probability(genes, ax):
    machine, X, y = genes
    shown = expression(machine, X, y, 5)
    assert shown.features.tolist() == machine.ranking_[:5].tolist()
    assert shown.labels.tolist() == sorted(y)
    np.testing.assert_allclose(shown.values.mean(axis=1), 0, atol=1e-12)
    plot_expression(machine, X, y, top=5, ax=ax)
    np.testing.assert_array_equal(ax.images[0].get_array(), shown.values)
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        f"no ({np.sum(y == 'no')})",
        f"yes ({np.sum(y == 'yes')})",
    ]


def test_credible_sets_have_colours(ax):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 30))
    X[:, 5] = X[:, 4] + 0.05 * rng.normal(size=80)
    machine = SpikeSlabClassifier(4, inference="single-effects").fit(X, X[:, 4] - X[:, 20] > 0)
    display = InclusionDisplay.from_estimator(machine, ax=ax)
    assert len(display.sets) == len(machine.credible_sets_) > 0
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert sum(text.startswith(("one of", "one feature")) for text in texts) == len(display.sets)


@pytest.mark.parametrize("feature", [0, 3, 29])
def test_names_stand_beside_their_points(feature, ax):
    chances = np.full(30, 0.01)
    chances[feature] = 0.9
    InclusionDisplay(chances, 0.1, {feature: "name"}).plot(ax=ax)
    (name,) = ax.texts
    across = ax.transAxes.inverted().transform(ax.transData.transform((feature, 0)))[0]
    assert abs(name.xyann[0] - across) == pytest.approx(0.015)
    assert name.get_ha() == ("left" if name.xyann[0] > across else "right")


def test_features_without_names_have_numbers(genes):
    machine = SpikeSlabClassifier(4).fit(genes[1].to_numpy(), genes[2])
    assert feature_names(machine, [3, 7]) == ["3", "7"]


def test_wrong_table_is_refused(genes):
    with pytest.raises(ValueError, match="X must have the 30 features"):
        plot_expression(genes[0], genes[1].iloc[:, :7], genes[2])


def test_stability_of_several_methods(ax):
    results = {
        name: Stability(np.array([1, 5]), np.array(index), np.zeros((2, 9), dtype=int))
        for name, index in (("a", [0.4, 0.6]), ("b", [0.1, 0.2]))
    }
    plot_stability(results, ax=ax)
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), [0.1, 0.2])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    plot_stability(results["a"], ax=Figure().subplots())
