"""Figures of the papers: names, and the quick ones drawn."""

import numpy as np
import pytest
from benchmarks.figures import figures
from matplotlib.figure import Figure

FIGURES = figures()
_QUICK = (
    "epcvm-figure-1",
    "epcvm-figure-5",
    "pard-figure-1",
    "vrvm-figure-1",
    "vrvm-figure-2",
    "vrvm-figure-3",
    "vrvm-figure-4",
    "thesis-figure-2.1",
    "thesis-figure-3.7",
    "thesis-figure-3.4",
)


def test_every_paper_has_its_figures():
    assert {name for name in FIGURES if name.startswith("vrvm")} == {f"vrvm-figure-{k}" for k in range(1, 7)}
    assert {f"pard-figure-{k}" for k in range(1, 7)} <= set(FIGURES)
    assert {f"epcvm-figure-{k}" for k in range(1, 6)} <= set(FIGURES)
    assert all(callable(figure.draw) and figure.title for figure in FIGURES.values())


@pytest.mark.parametrize("name", _QUICK)
def test_a_figure_is_drawn(name):
    canvas = Figure(figsize=FIGURES[name].size)
    FIGURES[name].draw(canvas)
    assert canvas.axes
    drawn = [each for ax in canvas.axes for each in (*ax.lines, *ax.patches, *ax.collections)]
    assert drawn


def test_the_sign_and_its_stand_in():
    canvas = Figure()
    FIGURES["epcvm-figure-1"].draw(canvas)
    _, smooth = canvas.axes[0].lines
    w, value = smooth.get_data()
    np.testing.assert_allclose(value, 1 / (1 + np.exp(-3 * w)))
