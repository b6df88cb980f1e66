"""Figures of chapters 2 to 4 of Hernández-Lobato's thesis (2009): sizes, pruned and asked ensembles."""

import numpy as np
from matplotlib.ticker import MaxNLocator
from scipy.stats import binom
from sklearn.base import clone
from sklearn.ensemble import AdaBoostRegressor, BaggingRegressor, RandomForestClassifier

from pauca import InstancePrunedClassifier, ensemble_size, vote_thresholds
from pauca.datasets import make_circle, make_peak, make_twonorm
from pauca.ensembles import bias_variance_covariance, error_products
from pauca.ensembles.pruning.exhaustive import best_of_every_size
from pauca.ensembles.pruning.ordered import greedy_order
from pauca.ensembles.pruning.sdp import select_by_sdp
from pauca.plotting import (
    plot_decomposition,
    plot_error_curves,
    plot_queries,
    plot_query_map,
    plot_required_sizes,
    plot_vote_shares,
)

from ..ensembles.problems import NETWORK, regression_problem
from . import PaperFigure

_N_SPLITS, _N_SMALL, _N_LARGE, _N_KEPT = 3, 20, 60, 12
_HIDDEN = {"hidden_layer_sizes": (5,), "alpha": 0.1}


def votes(figure):
    """Figure 2.1: error of a majority of M independent voters that err with probability p."""
    ax, p = figure.subplots(), np.linspace(0, 1, 201)
    for size in (1, 5, 11, 51, 101):
        ax.plot(p, binom.sf(size // 2, size, p), label=f"M = {size}")
    ax.set(xlabel="error of a voter", ylabel="error of the majority")
    ax.legend()


def _servo(split):
    problem = regression_problem("servo", split)
    mean, std = problem.y.mean(), problem.y.std()
    network = clone(NETWORK).set_params(**_HIDDEN)
    bagging = BaggingRegressor(network, _N_SMALL, random_state=split).fit(problem.X, (problem.y - mean) / std)
    train, test = (
        np.stack([mean + std * each.predict(X) for each in bagging.estimators_])
        for X in (problem.X, problem.X_test)
    )
    return problem, train, test


def _sub_ensembles(C, seed):
    order = greedy_order(C)
    return {
        "best": best_of_every_size(C),
        "SDP": [select_by_sdp(C, size, seed).selected for size in range(1, _N_SMALL + 1)],
        "ordered": [order[:size] for size in range(1, _N_SMALL + 1)],
    }


def overlap(figure):
    """Figure 3.2: share of the members of the best sub-ensemble, by its size; Servo."""
    shares = {"SDP": [], "ordered": []}
    for split in range(_N_SPLITS):
        problem, train, _ = _servo(split)
        found = _sub_ensembles(error_products(list(train), problem.y), split)
        for name, values in shares.items():
            pairs = zip(found[name], found["best"], strict=True)
            values.append([len(np.intersect1d(a, b)) / len(b) for a, b in pairs])
    ax = figure.subplots()
    for name, values in shares.items():
        ax.plot(range(1, _N_SMALL + 1), 100 * np.mean(values, axis=0), label=name)
    ax.set(xlabel="members kept", ylabel="members of the best sub-ensemble, %", ylim=(0, 105))
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend()


def servo(figure):
    """Figure 3.3: training and test error of the sub-ensembles of every size; Servo."""
    errors = {"train": {}, "test": {}}
    for split in range(_N_SPLITS):
        problem, train, test = _servo(split)
        found = _sub_ensembles(error_products(list(train), problem.y), split)
        for name, sets in found.items():
            for part, outputs, y in (("train", train, problem.y), ("test", test, problem.y_test)):
                curve = [np.mean(np.square(outputs[each].mean(axis=0) - y)) for each in sets]
                errors[part].setdefault(name, []).append(curve)
    for ax, (part, curves) in zip(figure.subplots(2, 1, sharex=True), errors.items(), strict=True):
        plot_error_curves({name: np.mean(values, axis=0) for name, values in curves.items()}, ax=ax)
        ax.set_ylabel(f"{part} error")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def curves(figure):
    """Figure 3.5: test error against the number of members of bagging, its best order, and AdaBoost.R2."""
    for ax, name in zip(
        figure.subplots(2, 2).ravel(), ("boston", "friedman1", "servo", "ozone"), strict=True
    ):
        found, single = {"bagging": [], "ordered": [], "AdaBoost.R2": []}, []
        for split in range(_N_SPLITS):
            problem = regression_problem(name, split)
            mean, std = problem.y.mean(), problem.y.std()
            y, network = (problem.y - mean) / std, clone(NETWORK).set_params(**_HIDDEN)
            bagging = BaggingRegressor(network, _N_LARGE, random_state=split).fit(problem.X, y)
            boosting = AdaBoostRegressor(network, n_estimators=_N_LARGE, random_state=split).fit(problem.X, y)
            target = (problem.y_test - mean) / std
            test = np.stack([each.predict(problem.X_test) for each in bagging.estimators_])
            train = [each.predict(problem.X) for each in bagging.estimators_]
            order = greedy_order(error_products(train, y))
            found["bagging"].append(_running(test, target))
            found["ordered"].append(_running(test[order], target))
            staged = [np.mean(np.square(each - target)) for each in boosting.staged_predict(problem.X_test)]
            found["AdaBoost.R2"].append(np.append(staged, np.full(_N_LARGE - len(staged), staged[-1])))
            single.append(np.mean(np.square(test[0] - target)))
        means = {key: np.mean(values, axis=0) for key, values in found.items()}
        plot_error_curves(means, levels={"one network": float(np.mean(single))}, ax=ax)
        ax.set_title(name)


def _running(outputs, y):
    means = np.cumsum(outputs, axis=0) / np.arange(1, len(outputs) + 1)[:, None]
    return np.mean(np.square(means - y), axis=1)


def decomposition(figure):
    """Figure 3.6: error, squared bias, variance and covariance against the number of members; Peak."""
    X_test, y_test = make_peak(500, random_state=99)
    outputs, orders, kept = [], [], []
    for split in range(6):
        X, y = make_peak(200, random_state=split)
        mean, std = y.mean(), y.std()
        network = clone(NETWORK).set_params(**_HIDDEN)
        bagging = BaggingRegressor(network, 30, random_state=split).fit(X, (y - mean) / std)
        C = error_products([each.predict(X) for each in bagging.estimators_], (y - mean) / std)
        outputs.append([mean + std * each.predict(X_test) for each in bagging.estimators_])
        orders.append(greedy_order(C))
        first = select_by_sdp(C, _N_KEPT, split).selected
        kept.append(np.append(first, np.setdiff1d(np.arange(30), first)))
    parts = {
        "bagging": bias_variance_covariance(outputs, y_test),
        "ordered": bias_variance_covariance(outputs, y_test, orders=orders),
        f"SDP, {_N_KEPT} first": bias_variance_covariance(outputs, y_test, orders=kept),
    }
    plot_decomposition(parts, axes=figure.subplots(2, 2))


def thresholds(figure):
    """Figure 3.7: share of the votes that the leader needs after t of 101 votes, confidence 99 %."""
    needed = np.asarray(vote_thresholds(101, 0.99), dtype=float)
    ax, asked = figure.subplots(), np.arange(1, len(needed))
    share = needed[1:] / asked
    ax.plot(asked[share <= 1], share[share <= 1], ".-")
    ax.set(xlabel="trees asked", ylabel="share of the leader's votes", ylim=(0.45, 1.02))


def circle(figure):
    """Figure 3.8: trees that are asked over the square, and their distribution; 5 % of the labels flipped."""
    X, y = make_circle(100, label_noise=0.05, random_state=0)
    X_test, _ = make_circle(2000, random_state=1)
    forest = RandomForestClassifier(101, random_state=0)
    model = InstancePrunedClassifier(forest, 0.99, voting="hard", random_state=0).fit(X, y)
    left, right = figure.subplots(1, 2)
    plot_query_map(model, X, ax=left)
    plot_queries(model, X_test, ax=right)


def shares(figure):
    """Figure 4.1: how probably T voters give the class of infinitely many; shares of votes on Twonorm."""
    left, right = figure.subplots(1, 2)
    pi = np.linspace(0, 1, 201)
    for size in (1, 11, 101, 1001):
        left.plot(pi, binom.sf(size // 2, size, pi), label=f"T = {size}")
    left.set(xlabel="share of the first class", ylabel="probability of the first class")
    left.legend()
    size = _twonorm_size()
    plot_vote_shares(size, ax=right)
    right.set_title(f"{size.size} trees suffice", fontsize="medium")


def _twonorm_size():
    X, y = make_twonorm(300, random_state=0)
    unlabelled, _ = make_twonorm(4000, random_state=1)
    forest = RandomForestClassifier(1001, random_state=0).fit(X, y)
    return ensemble_size(forest, unlabelled, source="unlabelled")


def sizes(figure):
    """Figure 4.2: sizes that single rows of Twonorm need, and their tail."""
    plot_required_sizes(_twonorm_size(), ax=figure.subplots())


_PAPER = "Hernández-Lobato 2009"
FIGURES = {
    "thesis-figure-2.1": PaperFigure(f"{_PAPER}, figure 2.1: majorities", (5, 3.5), votes),
    "thesis-figure-3.2": PaperFigure(f"{_PAPER}, figure 3.2: the best sub-ensemble found", (5, 3.5), overlap),
    "thesis-figure-3.3": PaperFigure(f"{_PAPER}, figure 3.3: errors of sub-ensembles", (5, 6), servo),
    "thesis-figure-3.5": PaperFigure(f"{_PAPER}, figure 3.5: error curves", (10, 7), curves),
    "thesis-figure-3.6": PaperFigure(
        f"{_PAPER}, figure 3.6: parts of the error of Peak", (9, 7), decomposition
    ),
    "thesis-figure-3.7": PaperFigure(f"{_PAPER}, figure 3.7: votes that decide", (5, 3.5), thresholds),
    "thesis-figure-3.8": PaperFigure(
        f"{_PAPER}, figure 3.8: trees asked in the square",
        (10, 4),
        circle,
    ),
    "thesis-figure-4.1": PaperFigure(f"{_PAPER}, figure 4.1: shares of votes", (9, 3.5), shares),
    "thesis-figure-4.2": PaperFigure(f"{_PAPER}, figure 4.2: sizes that rows need", (5, 4), sizes),
}
