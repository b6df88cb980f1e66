"""Every plot is rendered; its texts do not cover one another."""

from itertools import combinations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier

matplotlib.use("Agg")

from pauca import (
    ARDClassifier,
    BayesMachineClassifier,
    InstancePrunedClassifier,
    PrunedEnsembleClassifier,
    RVMRegressor,
    SparseGPClassifier,
    SparseGPRegressor,
    SpikeSlabClassifier,
    plotting,
)
from pauca.datasets import make_circle, make_sinc
from pauca.ensembles import EnsembleSize, bias_variance_covariance
from pauca.evaluation import Stability
from pauca.plotting.canvas import PALETTE, Display, PanelDisplay


def new_ax():
    return Figure(figsize=(6.4, 4.8), layout="constrained").subplots()


def sinc():
    X, y = make_sinc(50, random_state=0)
    return RVMRegressor(gamma=0.1, inference="variational").fit(X, y), X, y


def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.iloc[::3, 2:]
    return SparseGPClassifier(gamma=0.3).fit(X, y.iloc[::3]), X, y.iloc[::3]


def circle():
    X, y = make_circle(80, label_noise=0.1, random_state=0)
    return BayesMachineClassifier(gamma=1.0).fit(X, y), X, y


def genes():
    """Neighbouring features with long names and nearly equal probabilities."""
    X, y = make_classification(60, 40, n_informative=4, n_redundant=0, shuffle=False, random_state=0)
    X = pd.DataFrame(X, columns=[f"expression of the gene {k}" for k in range(40)])
    return SpikeSlabClassifier(4).fit(X, y), X, y


def votes():
    X, y = make_circle(80, random_state=0)
    forest = RandomForestClassifier(51, random_state=0).fit(X, y)
    return InstancePrunedClassifier(forest, random_state=0), X


def table():
    """A number with gaps and a category."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=60), "colour": rng.choice(["red", "green", "blue"], 60)})
    y = X["size"] ** 2 + (X["colour"] == "red")
    X.loc[::7, "size"] = np.nan
    return SparseGPRegressor("rbf").fit(X, y)


def pruned():
    X, y = make_circle(80, random_state=0)
    return PrunedEnsembleClassifier(RandomForestClassifier(20, random_state=0), size=5).fit(X, y)


def search():
    X = np.random.default_rng(0).normal(size=(30, 60))
    return ARDClassifier().fit(X, X[:, 0] > 0)


SIZE = EnsembleSize(1591, 0.99, np.column_stack([np.arange(102), 101 - np.arange(102)]), "oob")
RANKS = {"a sparse process": 1.3, "b": 1.9, "c": 2.0, "a long name of a forest": 4.1, "e": 4.9}
OUTPUTS = np.random.default_rng(0).normal(size=(9, 5, 7))
STABLE = Stability(np.array([1, 5, 20]), np.array([0.4, 0.6, 0.5]), np.zeros((3, 9), dtype=int))
P = np.random.default_rng(0).random(200)
Y = np.random.default_rng(1).random(200) < P

DISPLAYS = {
    "CriticalDifferenceDisplay": lambda d: d.from_ranks(RANKS, 1.1, ax=new_ax()),
    "DecompositionDisplay": lambda d: d({"noise": bias_variance_covariance(OUTPUTS, np.zeros(7))}).plot(
        axes=Figure(layout="constrained").subplots(2, 2)
    ),
    "EffectDisplay": lambda d: d.from_estimator(table(), "colour", ax=new_ax()),
    "ErrorCurvesDisplay": lambda d: d.from_estimator(pruned(), ax=new_ax()),
    "ExpressionDisplay": lambda d: d.from_estimator(*genes(), ax=new_ax()),
    "FeatureScalesDisplay": lambda d: d.from_estimator(iris()[0], ax=new_ax()),
    "FitDisplay": lambda d: d.from_estimator(*sinc(), ax=new_ax()),
    "InclusionDisplay": lambda d: d.from_estimator(genes()[0], n_named=8, ax=new_ax()),
    "PathDisplay": lambda d: d.from_estimator(search(), axes=Figure(layout="constrained").subplots(4)),
    "PrecisionsDisplay": lambda d: d.from_estimator(sinc()[0], ax=new_ax()),
    "QueriesDisplay": lambda d: d.from_estimator(*votes(), ax=new_ax()),
    "QueryMapDisplay": lambda d: d.from_estimator(*votes(), n_points=30, ax=new_ax()),
    "RankBoxesDisplay": lambda d: d(pd.DataFrame({"a": [1, 2, 1], "b": [2, 1, 2]})).plot(ax=new_ax()),
    "ReliabilityDisplay": lambda d: d.from_predictions(Y, P, ax=new_ax()),
    "RequiredSizesDisplay": lambda d: d(SIZE).plot(ax=new_ax()),
    "RiskCoverageDisplay": lambda d: d.from_predictions(Y, P, ax=new_ax()),
    "StabilityDisplay": lambda d: d({"spike and slab": STABLE}).plot(ax=new_ax()),
    "SurfaceDisplay": lambda d: d.from_estimator(*iris(), ax=new_ax()),
    "SuspectsDisplay": lambda d: d.from_estimator(*circle(), ax=new_ax()),
    "VoteSharesDisplay": lambda d: d(SIZE).plot(ax=new_ax()),
    "WeightsDisplay": lambda d: d.from_estimator(sinc()[0], ax=new_ax()),
}


def texts(figure):
    """Texts of a figure with their boxes in pixels; ticks are left to matplotlib."""
    found = []
    for axes in figure.axes:
        parts = [axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        found += [part for part in parts if part.get_visible() and part.get_text()]
    if figure._suptitle is not None:
        found.append(figure._suptitle)
    renderer = FigureCanvasAgg(figure).get_renderer()
    return [(part.get_text(), matplotlib.text.Text.get_window_extent(part, renderer)) for part in found]


def test_every_display_is_rendered_here():
    public = {name for name in plotting.__all__ if name.endswith("Display")}
    assert set(DISPLAYS) == public
    for name in public:
        assert issubclass(getattr(plotting, name), Display | PanelDisplay)


@pytest.mark.parametrize("name", DISPLAYS)
def test_rendered_without_collisions(name, tmp_path):
    display = DISPLAYS[name](getattr(plotting, name))
    display.figure_.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 4000
    width, height = display.figure_.canvas.get_width_height()
    found = texts(display.figure_)
    assert found
    outside = [text for text, box in found if min(box.x0, box.y0, width - box.x1, height - box.y1) < -1]
    assert outside == []
    for (first, one), (second, other) in combinations(found, 2):
        overlap = one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1
        assert not overlap, (first, second)


# Colours as people without one kind of cone see them (Vienot, Brettel & Mollon, 1999), in linear RGB.
_BLIND = {
    "protan": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "deutan": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
}


@pytest.mark.parametrize("kind", _BLIND)
def test_neighbours_of_the_palette_differ_for_the_colour_blind(kind):
    linear = np.array([to_rgb(colour) for colour in PALETTE]) ** 2.2
    seen = np.clip(linear @ np.transpose(_BLIND[kind]), 0, 1) ** (1 / 2.2)
    distances = [np.linalg.norm(seen[a] - seen[b]) for a, b in combinations(range(4), 2)]
    assert min(distances) > 0.15
