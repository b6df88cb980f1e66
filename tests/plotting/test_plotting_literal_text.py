"""Names from the user's table are shown as they are, whatever they would mean in a formula."""

import numpy as np
import pandas as pd
import pytest

from pauca import SparseGPClassifier, SpikeSlabClassifier
from pauca.plotting import plot_critical_difference, plot_expression, plot_surface

pytestmark = pytest.mark.filterwarnings("ignore:Glyph")
HOSTILE = [r"$\frac$", "a$b$c", r"$x", "100 $", r"\alpha^{", "<b>"]


@pytest.fixture
def axes():
    from matplotlib.figure import Figure

    return Figure(layout="constrained").subplots()


def texts(figure):
    from matplotlib.text import Text

    figure.canvas.draw()  # fails where a name is taken for a formula that is not one
    return {text.get_text().replace(r"\$", "$") for text in figure.findobj(Text)}


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 6)), columns=HOSTILE)
    return X, np.where(X.iloc[:, 0] > 0, r"$\frac$", "[/b]")


def test_heat_map(axes, table):
    X, y = table
    plot_expression(SpikeSlabClassifier().fit(X, y), X, y, top=6, ax=axes)
    assert set(HOSTILE) <= texts(axes.figure)


def test_surface(axes, table):
    X, y = table[0].iloc[:, :2], table[1]
    plot_surface(SparseGPClassifier().fit(X, y), X, y, ax=axes)
    axes.figure.legend(*axes.get_legend_handles_labels())
    shown = texts(axes.figure)
    assert {r"$\frac$", "a$b$c", r"class $\frac$", "class [/b]"} <= shown
    assert any(text.startswith("P(class ") for text in shown)


def test_ranks(axes):
    ranks = pd.Series({r"$\frac$": 1.2, "a$b$c": 1.8, "[/b]": 3.0})
    plot_critical_difference(ranks, 0.5, ax=axes)
    assert any(r"$\frac$" in text for text in texts(axes.figure))
