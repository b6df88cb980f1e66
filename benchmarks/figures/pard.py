"""Figures 1 to 6 of Qi, Minka, Picard & Ghahramani 2004."""

import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from pauca import as_published
from pauca.cli.papers import results_folder
from pauca.evaluation import read_records, summaries_of
from pauca.inference import ep
from pauca.likelihoods import Probit
from pauca.plotting import plot_path
from pauca.priors import ARD

from ..papers.predictive_ard import METHODS, _synthetic
from . import PaperFigure


def overfitting(figure):
    """Figure 1: rows that every line with a negative gradient separates, and the choice of one feature."""
    ax, rng = figure.subplots(), np.random.default_rng(3)
    y = np.repeat([-1.0, 1.0], 12)
    X = y[:, None] * rng.uniform(0.2, 2.0, (24, 2))
    for label, mark in ((-1, "x"), (1, "o")):
        ax.scatter(*X[y == label].T, marker=mark, color="black")
    line = np.linspace(-2, 2, 2)
    # Wide priors of the features: the evidence is the share of the prior's lines that separate the rows.
    for precision, label in (((1.0, 1e-4, 1e-4), "both features"), ((1.0, 1e-4, 1e9), "one feature (ARD)")):
        prior = ARD(np.array(precision))
        posterior = ep(Probit(), prior, np.column_stack([np.ones(24), X]), y, np.ones(24))
        w = posterior.mean
        name = f"{label}: log evidence {posterior.log_evidence:.1f}"
        if abs(w[2]) > 1e-3:
            ax.plot(line, -(w[0] + w[1] * line) / w[2], label=name)
        else:
            ax.axvline(-w[0] / w[1], color="tab:orange", label=name)
    ax.set(xlim=(-2.2, 2.2), ylim=(-2.2, 2.2), xlabel="feature 1", ylabel="feature 2")
    figure.legend(loc="outside lower center")


def path(figure):
    """Figure 2: evidence, leave-one-out estimates, terms and test error along one path."""
    X, y, train, test = _synthetic(1)
    machine = as_published("ard").fit(X[train], y[train])
    errors = []
    for n_rounds in range(1, len(machine.path_) + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            part = as_published("ard-evidence", max_iter=n_rounds).fit(X[train], y[train])
        errors.append(np.mean(part.predict(X[test]) != y[test]))
    plot_path(machine, test_error=errors, ax=figure.subplots(4, 1, sharex=True))


def errors_and_sizes(figure, datasets):
    """Mean error and size of every method with their standard errors, from the results of the table pard."""
    cells = summaries_of(read_records(results_folder() / "pard.csv"))
    for ax, dataset in zip(np.atleast_1d(figure.subplots(1, len(datasets))), datasets, strict=True):
        for method in (name for name in METHODS if (dataset, name, "error") in cells):
            terms, error = (cells[dataset, method, measure] for measure in ("terms", "error"))
            bars = {"xerr": terms.standard_error, "yerr": error.standard_error}
            ax.errorbar(
                terms.mean, error.mean, **bars, fmt="o", capsize=3, label=f"{method} ({error.splits})"
            )
        unit = "test errors" if dataset in ("colon", "leukaemia") else "test error, %"
        ax.set(xlabel="terms", ylabel=unit, title=dataset, xscale="log")
        ax.legend(title="method (partitions)", fontsize="small")


def _study(*datasets):
    return partial(errors_and_sizes, datasets=datasets)


_PAPER = "Qi, Minka, Picard & Ghahramani 2004"
FIGURES = {
    "pard-figure-1": PaperFigure(f"{_PAPER}, figure 1: ARD overfits", (5, 4.5), overfitting),
    "pard-figure-2": PaperFigure(f"{_PAPER}, figure 2: criteria along the path", (6, 8), path),
    "pard-figure-3": PaperFigure(
        f"{_PAPER}, figure 3: synthetic rows, leukaemia", (10, 4), _study("synthetic", "leukaemia")
    ),
    "pard-figure-4": PaperFigure(f"{_PAPER}, figure 4: colon", (6, 4), _study("colon")),
    "pard-figure-5": PaperFigure(f"{_PAPER}, figure 5: breast cancer", (6, 4), _study("breast-cancer")),
    "pard-figure-6": PaperFigure(f"{_PAPER}, figure 6: diabetes", (6, 4), _study("diabetis")),
}
