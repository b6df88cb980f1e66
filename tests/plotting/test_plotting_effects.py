"""Effects of columns as drawn: curves in the units of the cells, bars for levels, a mark for missing."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from pauca import SparseGPRegressor
from pauca.plotting import EffectDisplay, plot_effects


@pytest.fixture(scope="module")
def machine():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": np.exp(3 * rng.normal(size=90)), "colour": rng.choice(["red", "green"], 90)})
    y = np.log(X["size"]) + 2 * (X["colour"] == "red")
    X.loc[::7, "size"], y[::7] = np.nan, 5.0
    return SparseGPRegressor("rbf").fit(X, y)


def test_curves_are_in_the_units_of_the_cells(machine, ax):
    display = EffectDisplay.from_estimator(machine, "size", ax=ax)
    assert machine.columns_["transform"][0] == "rank-normal"
    inside = (display.entries > 0.05) & (display.entries < 20)
    slope = np.polyfit(np.log(display.entries[inside]), display.mean[inside], 1)[0]
    assert slope == pytest.approx(1, abs=0.15)
    assert display.missing is not None
    assert display.missing[0] > np.median(display.mean)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), display.entries)


def test_levels_are_bars(machine, ax):
    display = EffectDisplay.from_estimator(machine, "colour", ax=ax)
    heights = dict(zip(display.entries, [bar.get_height() for bar in ax.patches], strict=True))
    assert set(heights) == {"red", "green"}
    assert heights["red"] - heights["green"] == pytest.approx(2, abs=0.5)  # shrunk, from few rows


def test_the_curve_is_the_effect_of_rows(machine):
    curve = machine.effect_curve("size")
    rows = pd.DataFrame({"size": curve.entries, "colour": "red"})
    np.testing.assert_allclose(machine.effects(rows).contributions[:, 1], curve.mean, atol=1e-6)


def test_panels_of_all_columns(machine):
    panels = plot_effects(machine)
    assert {panel.get_xlabel() for panel in panels} == {"size", "colour"}
    pyplot.close(panels[0].figure)
    with pytest.raises(ValueError, match="column must be one of 'size', 'colour'"):
        machine.effect_curve("weight")
