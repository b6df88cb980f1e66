"""Figures of chapters 6 and 7 of Hernández-Lobato's thesis (2009): Bayes machines, genes."""

import numpy as np
from matplotlib.patches import Circle
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVC

from pauca import BayesMachineClassifier, as_published, stability
from pauca.datasets import make_circle
from pauca.plotting import plot_expression, plot_inclusion, plot_stability, plot_suspects

from ..harness.problems import load
from ..papers.microarrays import prepared
from . import PaperFigure

_SIZES = (5, 10, 20, 40, 80, 160)
_N_RESAMPLES = 10


def circles(figure):
    """Figure 6.1: boundaries of machines without and with label noise; five outliers."""
    X, y = make_circle(100, label_noise=0.05, random_state=1)
    for ax, noise in zip(figure.subplots(1, 2), (0, None), strict=True):
        machine = BayesMachineClassifier(noise=noise).fit(X, y)
        plot_suspects(machine, X, y, ax=ax)
        ax.add_patch(_unit_circle())
        ax.set_title(
            "all labels trusted" if noise == 0 else f"label noise learned: {100 * machine.noise_:.1f} %"
        )


def _unit_circle():
    return Circle((0, 0), np.sqrt(0.5), fill=False, linestyle="--")


def active_rows(figure):
    """Figure 6.4: active rows of the sparse machine as published, linear and Gaussian kernel; two clouds.

    The label noise is given: learned on twenty ambiguous rows it is far too high.
    """
    rng = np.random.default_rng(0)
    y = np.repeat([1, -1], 50)
    X = rng.normal(size=(100, 2)) + y[:, None]
    for ax, (kernel, gamma) in zip(figure.subplots(1, 2), (("linear", 1.0), ("rbf", 0.1)), strict=True):
        settings = {"kernel": kernel, "gamma": gamma, "n_active": 20, "noise": 0.05}
        machine = as_published("sparse-bayes-machine", **settings).fit(X, y)
        plot_suspects(machine, X, y, ax=ax)
        ax.scatter(*X[machine.relevance_].T, s=90, facecolors="none", edgecolors="green")
        ax.set_title(f"{kernel}: {len(machine.relevance_)} active rows of {len(y)}")


def _leukaemia():
    data = load("golub")
    return prepared("golub", data.X), data.y


def inclusion(figure):
    """Figure 7.1: inclusion probabilities of the genes of leukaemia."""
    machine = as_published("spike-and-slab").fit(*_leukaemia())
    plot_inclusion(machine, ax=figure.subplots())


def expression(figure):
    """Figure 7.2: the sixteen most probable genes of leukaemia in all patients."""
    X, y = _leukaemia()
    machine = as_published("spike-and-slab").fit(X, y)
    plot_expression(machine, X, y, ax=figure.subplots())


class _ByWeights(SVC):
    """Linear support vector machine that ranks features by the size of their weights."""

    def __init__(self, kernel="linear", C=100.0):
        super().__init__(kernel=kernel, C=C)


def rankings(figure):
    """Figure 7.3: Kuncheva's index of rankings of genes over resamples of two thirds of the patients."""
    for ax, name in zip(figure.subplots(1, 3, sharey=True), ("golub", "khan", "hedenfalk"), strict=True):
        data = load(name)
        X = prepared(name, data.X)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        machines = {
            "EP": as_published("spike-and-slab"),
            "SVM": _ByWeights(),
            "RF": RandomForestClassifier(200, random_state=0),
        }
        results = {
            method: stability(X, data.y, _N_RESAMPLES, estimator=machine, sizes=_SIZES)
            for method, machine in machines.items()
        }
        plot_stability(results, ax=ax)
        ax.set_title(name)


_PAPER = "Hernández-Lobato 2009"
FIGURES = {
    "thesis-figure-6.1": PaperFigure(
        f"{_PAPER}, figure 6.1: the circle with wrong labels", (10, 4.5), circles
    ),
    "thesis-figure-6.4": PaperFigure(f"{_PAPER}, figure 6.4: active rows", (10, 4.5), active_rows),
    "thesis-figure-7.1": PaperFigure(
        f"{_PAPER}, figure 7.1: inclusion probabilities",
        (7, 3.5),
        inclusion,
    ),
    "thesis-figure-7.2": PaperFigure(
        f"{_PAPER}, figure 7.2: expression of sixteen genes", (8, 5), expression
    ),
    "thesis-figure-7.3": PaperFigure(
        f"{_PAPER}, figure 7.3: stability of rankings",
        (11, 3.8),
        rankings,
    ),
}
