"""Figures 1 to 5 of Chen, Tino & Yao 2014, and the bound of section V against the number of vectors."""

import warnings
from time import process_time

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from pauca import as_published
from pauca.basis import with_bias
from pauca.datasets import make_ripley
from pauca.inference import ep, hmc, laplace
from pauca.likelihoods import Logit, Probit
from pauca.machines.bases.generalization import truncated_divergence
from pauca.priors import SoftTruncated, Truncated

from ..harness.peers import SparseLogistic
from ..harness.problems import half, load, standardised
from . import PaperFigure

_WIDTHS = {"gamma": [r**-2 for r in (0.1, 0.3, 0.5, 0.9, 1.5, 2.5, 4.0)]}
_SIZES = (250, 500, 1000, 2000)
_N_DRAWS = (50, 200, 800, 3200)


def indicator(figure):
    """Figure 1: the indicator w ≥ 0 and its smooth stand-in σ(βw), β = 3."""
    ax, w = figure.subplots(), np.linspace(-4, 4, 801)
    ax.plot(w, w >= 0, label="indicator of w ≥ 0", color="black")
    ax.plot(w, expit(3 * w), label="σ(3w)")
    ax.set_xlabel("w")
    ax.legend()


def engines(figure):
    """Figure 2: test error of Laplace, EP and HMC with fixed precisions against CPU seconds."""
    X, y = make_ripley(1250, random_state=0)
    synth = standardised("synth", X[:250], y[:250], X[250:], y[250:])
    heart = half("heart", 0)
    for ax, (rows, gamma) in zip(figure.subplots(1, 2), ((synth, 2.0), (heart, 0.05)), strict=True):
        _compare_engines(ax, rows, gamma)


def _compare_engines(ax, rows, gamma):
    kept = np.random.default_rng(0).choice(len(rows.y), 40, replace=False)
    t = np.where(rows.y == np.unique(rows.y)[1], 1.0, -1.0)
    truth = np.where(rows.y_test == np.unique(rows.y)[1], 1.0, -1.0)
    Phi, Phi_test = (
        with_bias(np.exp(-gamma * _squares(X, rows.X[kept])) * t[kept]) for X in (rows.X, rows.X_test)
    )
    precision, weights = np.append(1e-3, np.full(40, 0.5)), np.ones(len(t))
    points = {}
    for name, engine, likelihood, prior in (
        ("Laplace", laplace, Logit.like_probit(), SoftTruncated(precision)),
        ("EP", ep, Probit(), Truncated(precision)),
    ):
        start = process_time()
        posterior = engine(likelihood, prior, Phi, t, weights)
        points[name] = [(process_time() - start, np.mean(Phi_test @ posterior.mean * truth <= 0))]
    points["HMC"] = []
    for n_draws in _N_DRAWS:
        start, rng = process_time(), np.random.default_rng(1)
        chains = hmc(Probit(), Truncated(precision), Phi, t, weights, posterior, rng, n_draws=n_draws)
        wrong = np.mean(Phi_test @ chains.flat.mean(axis=0) * truth <= 0)
        points["HMC"].append((process_time() - start, wrong))
    for name, found in points.items():
        seconds, errors = np.array(found).T
        ax.plot(seconds, 100 * errors, "o-", label=name)
    ax.set(xscale="log", xlabel="CPU seconds", ylabel="test error, %", title=rows.name)
    ax.legend()


def _squares(X, Z):
    return np.square(X[:, None] - Z[None]).sum(axis=2)


def spiral(n_rows, rng):
    """Two spirals with noise."""
    angle = np.sqrt(rng.uniform(0, 1, n_rows)) * 3 * np.pi
    sign = rng.choice([-1.0, 1.0], n_rows)
    X = (sign * angle / 6)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + rng.normal(0, 0.08, X.shape), sign


def overlap(n_rows, rng):
    """Two Gaussians with the same covariance."""
    sign = rng.choice([-1.0, 1.0], n_rows)
    return rng.normal(0, 1, (n_rows, 2)) + 0.8 * sign[:, None], sign


def boundaries(figure):
    """Figure 3: boundaries of SVM, RVM and EPCVM on Spiral and Overlap, widths by ten folds."""
    machines = {
        "SVM": (SVC(probability=False), {**_WIDTHS, "C": [1, 10, 100]}),
        "RVM": (as_published("rvm"), _WIDTHS),
        "EPCVM": (as_published("epcvm"), _WIDTHS),
    }
    axes = figure.subplots(2, 3)
    for row, (name, draw) in zip(axes, (("Spiral", spiral), ("Overlap", overlap)), strict=True):
        X, y = draw(200, np.random.default_rng(0))
        for ax, (method, (machine, grid)) in zip(row, machines.items(), strict=True):
            folds = StratifiedKFold(10, shuffle=True, random_state=0)
            best = GridSearchCV(clone(machine), grid, cv=folds).fit(X, y).best_estimator_
            _boundary(ax, best, X, y)
            ax.set_title(f"{name}, {method}: {len(_vectors(best))} vectors")


def _vectors(machine):
    return machine.support_ if isinstance(machine, SVC) else machine.relevance_


def _boundary(ax, machine, X, y):
    """Rows of both classes, the boundary between them and the vectors of a machine."""
    (left, bottom), (right, top) = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    grid = np.stack(np.meshgrid(np.linspace(left, right, 120), np.linspace(bottom, top, 120)), axis=-1)
    second = machine.predict(grid.reshape(-1, 2)) == machine.classes_[1]
    ax.contour(grid[..., 0], grid[..., 1], second.reshape(120, 120), levels=[0.5], colors="black")
    for label, mark in zip(np.unique(y), "ox", strict=True):
        ax.scatter(*X[y == label].T, marker=mark, s=12)
    ax.scatter(*X[_vectors(machine)].T, facecolors="none", edgecolors="black", s=40)


def adult(figure):
    """Figure 4: CPU seconds and test error on growing parts of Adult."""
    data = load("adult")
    train, test = data.splits[0]
    order = np.random.default_rng(0).permutation(train)
    machines = {
        "EPCVM": as_published("epcvm", gamma=0.01),
        "RVM": as_published("rvm", gamma=0.01),
        "SVM": SVC(gamma=0.01, C=1.0),
        "SMLR": SparseLogistic(C=1.0, gamma=0.01),
    }
    seconds, errors = ({name: [] for name in machines} for _ in range(2))
    for size in _SIZES:
        part = order[:size]
        rows = standardised("adult", data.X[part], data.y[part], data.X[test][:4000], data.y[test][:4000])
        for name, machine in machines.items():
            start = process_time()
            fitted = clone(machine).fit(rows.X, rows.y)
            seconds[name].append(process_time() - start)
            errors[name].append(100 * np.mean(fitted.predict(rows.X_test) != rows.y_test))
    for ax, values, label in zip(
        figure.subplots(1, 2), (seconds, errors), ("CPU seconds", "test error, %"), strict=True
    ):
        for name, found in values.items():
            ax.plot(_SIZES, found, "o-", label=name)
        ax.set(xscale="log", xlabel="training rows", ylabel=label)
        ax.set_xticks(_SIZES, [str(size) for size in _SIZES])
        ax.minorticks_off()
    figure.axes[0].set_yscale("log")
    figure.axes[0].legend()


def divergences(figure):
    """Figure 5: divergence of a truncated posterior from the truncated prior of precision 0.5."""
    ax, mean = figure.subplots(), np.linspace(-0.5, 3, 200)
    for precision in (0.5, 2.0, 10.0, 50.0):
        ax.plot(mean, truncated_divergence(mean, precision, 0.5), label=f"posterior precision {precision:g}")
    ax.set(xlabel="posterior mean before truncation", ylabel="divergence, nats")
    ax.legend()


def bound(figure):
    """Section V: the bound on the error against the number of vectors, for widths from wide to narrow."""
    ax = figure.subplots()
    for name in ("heart", "breast-cancer", "diabetis"):
        rows, found = half(name, 0), []
        for r in (10.0, 5.0, 3.0, 2.0, 1.5, 1.0, 0.7):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                machine = as_published("epcvm", gamma=r**-2).fit(rows.X, rows.y)
            found.append((len(machine.relevance_), machine.generalization_bound()[0]))
        ax.plot(*np.array(found).T, "o", label=name)
    ax.axhline(1, color="grey", linestyle="--", label="says nothing")
    ax.set(xlabel="vectors", ylabel="bound on the error (95 %)", yscale="log")
    ax.legend()


_PAPER = "Chen, Tino & Yao 2014"
FIGURES = {
    "epcvm-figure-1": PaperFigure(
        f"{_PAPER}, figure 1: the sign and its smooth stand-in", (5, 3.5), indicator
    ),
    "epcvm-figure-2": PaperFigure(f"{_PAPER}, figure 2: three engines", (8, 3.5), engines),
    "epcvm-figure-3": PaperFigure(f"{_PAPER}, figure 3: Spiral and Overlap", (11, 7), boundaries),
    "epcvm-figure-4": PaperFigure(f"{_PAPER}, figure 4: growing parts of Adult", (9, 3.8), adult),
    "epcvm-figure-5": PaperFigure(
        f"{_PAPER}, figure 5: divergence of posterior and prior", (5, 3.5), divergences
    ),
    "epcvm-bound": PaperFigure(f"{_PAPER}, section V: bound against sparsity", (5, 3.5), bound),
}
