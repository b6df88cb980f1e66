"""Figures 1 to 6 of Bishop & Tipping 2000."""

import numpy as np
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle
from scipy.stats import laplace, t
from sklearn.svm import SVC

from pauca import as_published
from pauca.datasets import sinc_function
from pauca.plotting import plot_fit, plot_precisions, plot_surface, plot_weights

from ..papers.variational_rvm import ripley, sinc
from . import PaperFigure
from .epcvm import _boundary

_RELEVANT = 1e-2
_NODES = {"α": (0.1, 0.75), "w": (0.4, 0.75), "t": (0.7, 0.5), "x": (0.4, 0.25), "τ": (0.95, 0.75)}
_EDGES = ("α", "w"), ("w", "t"), ("x", "t"), ("τ", "t")


def marginal(figure):
    """Figure 1: the marginal prior of a weight, Student's t for a = b = 1, and a Laplace density."""
    ax, w = figure.subplots(), np.linspace(-5, 5, 801)
    ax.plot(w, t(2).pdf(w), color="black", label="∫ p(w | α) Γ(α | 1, 1) dα")
    ax.plot(w, laplace(scale=1 / np.sqrt(2)).pdf(w), ":", color="black", label="Laplace")
    ax.set_xlabel("w")
    ax.legend()


def graph(figure):
    """Figure 2: the directed graph of the model."""
    ax = figure.subplots()
    for name, place in _NODES.items():
        seen = name in "tx"
        ax.add_patch(Circle(place, 0.07, facecolor="lightgrey" if seen else "white", edgecolor="black"))
        ax.annotate(name, place, ha="center", va="center")
    for start, end in _EDGES:
        how = {"arrowstyle": "-|>", "mutation_scale": 15, "shrinkA": 18, "shrinkB": 18}
        ax.add_patch(FancyArrowPatch(_NODES[start], _NODES[end], **how))
    ax.add_patch(Rectangle((0.28, 0.1), 0.54, 0.52, fill=False))
    ax.annotate("N rows", (0.3, 0.12))
    ax.set(xlim=(0, 1.05), ylim=(0, 1), aspect="equal")
    ax.axis("off")


def _machine():
    rows = sinc(4)
    return rows, as_published("vrvm-regression", gamma=1 / 6.25).fit(rows.X, rows.y)


def fit(figure):
    """Figure 3: 50 noisy rows of sinc, the posterior mean, and the relevant rows."""
    rows, _ = _machine()
    machine = as_published("vrvm-regression", gamma=1 / 6.25, threshold=_RELEVANT).fit(rows.X, rows.y)
    ax = figure.subplots()
    plot_fit(machine, rows.X, rows.y, truth=lambda x: sinc_function(np.ravel(x)), ax=ax)
    error = np.sqrt(np.mean(np.square(machine.predict(rows.X_test) - rows.y_test)))
    n_kept, noise = len(machine.relevance_), machine.noise_std_
    ax.set_title(f"{n_kept} relevant rows, root mean square error {error:.3f}, noise {noise:.4f}")


def precisions(figure):
    """Figure 4: mean precisions of all 50 weights, and the weights."""
    _, machine = _machine()
    left, right = figure.subplots(1, 2)
    plot_precisions(machine, ax=left)
    plot_weights(machine, ax=right)


def support(figure):
    """Figure 5: support vector classifier of 100 rows of Ripley's mixture."""
    rows, ax = ripley(0), figure.subplots()
    machine = SVC(gamma=0.5**-2, C=1.0).fit(rows.X, rows.y)
    _boundary(ax, machine, rows.X, rows.y)
    _title(ax, machine, rows, len(machine.support_))


def relevance(figure):
    """Figure 6: variational relevance vector classifier of the same rows."""
    rows, ax = ripley(0), figure.subplots()
    machine = as_published("vrvm", gamma=0.5**-2).fit(rows.X, rows.y)
    weights = np.abs(machine.dual_coef_[0])
    kept = weights > _RELEVANT * weights.max()
    few = as_published("vrvm", gamma=0.5**-2, threshold=1e-2).fit(rows.X, rows.y)
    plot_surface(few, rows.X, rows.y, ax=ax)
    _title(ax, machine, rows, kept.sum())


def _title(ax, machine, rows, n_kernels):
    error = 100 * np.mean(machine.predict(rows.X_test) != rows.y_test)
    ax.set_title(f"{n_kernels} kernels, test error {error:.1f} %")


_PAPER = "Bishop & Tipping 2000"
FIGURES = {
    "vrvm-figure-1": PaperFigure(f"{_PAPER}, figure 1: marginal prior of a weight", (5, 3.5), marginal),
    "vrvm-figure-2": PaperFigure(f"{_PAPER}, figure 2: graph of the model", (4.5, 4), graph),
    "vrvm-figure-3": PaperFigure(f"{_PAPER}, figure 3: sinc", (6.5, 4), fit),
    "vrvm-figure-4": PaperFigure(f"{_PAPER}, figure 4: precisions and weights", (9, 3.5), precisions),
    "vrvm-figure-5": PaperFigure(
        f"{_PAPER}, figure 5: support vectors of Ripley's mixture", (5, 4.5), support
    ),
    "vrvm-figure-6": PaperFigure(
        f"{_PAPER}, figure 6: relevance vectors of Ripley's mixture", (5, 4.5), relevance
    ),
}
