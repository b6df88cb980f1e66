"""Hostile calls of public functions: scores, tests of ranks, pruning, sizes, plots, generators."""

import inspect
from functools import cache

import numpy as np
from hostile_arguments import COUNTS, POSITIVE, SHARES
from package_cases import PACKAGE_FUNCTIONS
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression

import pauca
from pauca import datasets, ensembles, evaluation, plotting

ANYTHING = [None, "text", [], 3, np.nan, np.zeros(0), np.zeros((0, 3)), np.array([None, "a"]), [[1], [1, 2]]]
_SIZES = [1, 2, 3, 10, 0, -1, 2.5, None, True, "many"]
_SWITCHES = [True, False]
_SEEDS = [0, None, 7, -1, "seed"]
# Share of the arguments of a call that are damaged or replaced.
_DAMAGED = 0.15


def damaged(rng, values):
    """Values with one thing wrong, or another thing altogether."""
    if rng.random() < 0.3 or not isinstance(values, np.ndarray) or not values.size:
        return ANYTHING[rng.integers(len(ANYTHING))]
    plain = values.astype(float) if values.dtype.kind in "biuf" else np.zeros(values.shape)
    gap = plain.copy()
    gap.flat[rng.integers(gap.size)] = rng.choice([np.nan, np.inf, -np.inf, 1e300, -1e300])
    kinds = [
        *(gap, gap, plain * 1e-300, plain * 1e200, plain.ravel(), plain[:-1], plain[..., :-1], plain[None]),
        *(np.zeros_like(plain), np.full_like(plain, 7.0), -plain, plain.astype(object), plain.astype(str)),
        *(plain.tolist(), plain.astype(np.float16) if np.abs(plain).max() < 6e4 else plain, plain > 0),
        *(values[:1], values[:0], values.T, np.ma.masked_array(plain, plain > 0), plain.astype(">f8")),
    ]
    return kinds[rng.integers(len(kinds))]


def _outputs(rng, n_repeats=None):
    """Outputs of members with targets, numbers or classes."""
    m, n = int(rng.integers(1, 9)), int(rng.integers(1, 25))
    shape = (m, n) if n_repeats is None else (n_repeats, m, n)
    if n_repeats is None and rng.random() < 0.5:
        names = np.array(["a", "b", "c"]) if rng.random() < 0.3 else np.arange(3)
        known = rng.random(shape) < 0.7
        draws = names[rng.integers(3, size=shape)], names[rng.integers(3, size=n)]
        return {"outputs": draws[0], "y": draws[1], "task": "classification", "known": known}
    y = rng.normal(size=n)
    return {"outputs": y + rng.normal(size=shape), "y": y, "known": rng.random((m, n)) < 0.7}


def _votes(rng):
    return {
        "votes": rng.integers(0, 9, size=(int(rng.integers(1, 20)), int(rng.integers(2, 5)))),
        "n_members": rng.choice([1, 5, 101, 10**6]),
    }


def _classes(rng):
    n, k = int(rng.integers(1, 30)), int(rng.integers(2, 4))
    p = rng.dirichlet(np.ones(k), size=n)
    return {"y": rng.integers(k, size=n), "p": p, "labels": np.arange(k), "n_bins": int(rng.integers(1, 20))}


def _numbers(rng):
    n = int(rng.integers(1, 30))
    return {"y": rng.normal(size=n), "mean": rng.normal(size=n), "std": rng.random(n) + 0.1}


def _ranked(rng):
    n, k = int(rng.integers(2, 12)), int(rng.integers(2, 6))
    scores = rng.normal(size=(n, k)) if rng.random() < 0.8 else rng.integers(3, size=(n, k))
    return {"scores": scores, "rope": rng.choice([0.0, 0.1, 1e300]), "alpha": rng.choice([0.05, 0.1])}


def _pairs(rng):
    n = int(rng.choice([2, 5, 10]))
    return {"first": rng.normal(size=n), "second": rng.normal(size=n), "test_over_train": 1.0}


def _folds(rng):
    first = rng.normal(size=(5, 2))
    return {"first": first, "second": first + rng.normal(size=(5, 2))}


def _several(rng):
    return {
        "p_values": rng.random(int(rng.integers(1, 9))),
        "n_methods": int(rng.integers(2, 12)),
        "n_datasets": int(rng.integers(2, 40)),
        "rankings": np.argsort(rng.random((int(rng.integers(2, 6)), 7)), axis=1),
        "size": int(rng.integers(1, 7)),
        "n_members": int(rng.choice([1, 2, 5, 101])),
        "n_classes": int(rng.integers(2, 5)),
    }


def _labelled(rng):
    n = int(rng.integers(4, 40))
    return {
        "y": rng.integers(2, size=n),
        "n_splits": int(rng.integers(1, 4)),
        "train_size": rng.choice([0.5, 0.9, 3]),
        "groups": rng.integers(4, size=n),
        "seed": int(rng.integers(9)),
    }


def _small_table(rng):
    n, d = int(rng.integers(6, 40)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d))
    y = (X[:, 0] > 0).astype(int)
    forest = RandomForestClassifier(5, random_state=0)
    estimators = forest, pauca.ARDClassifier(max_iter=20), pauca.SpikeSlabClassifier(max_iter=20), None, 3
    return {
        **{"X": X, "y": y, "n_resamples": 2, "sizes": [1], "train_size": 0.6, "n_initial": 11, "cv": 2},
        **{"estimator": estimators[rng.integers(5)], "ensemble": forest, "batch": 5, "max_members": 20},
        **{"teacher": forest, "n_folds": 2, "student": None, "max_vectors": 5, "extra_rows": 20},
    }


def _size(rng):
    return {
        **{"n_samples": int(rng.integers(1, 60)), "n_features": int(rng.integers(1, 30)), "noise": 0.1},
        **{"length": 2.0, "width": 0.5, "separation": 1.0, "shift": 1.0, "turns": 2.0, "label_noise": 0.1},
        **{"n_informative": 1, "n_classes": 3, "X": rng.normal(size=(5, 2)), "x": rng.normal(size=5)},
    }


@cache
def fitted():
    """Machines that are drawn, with the rows they learned from."""
    X, y = datasets.make_ripley(40, random_state=0)
    forest = RandomForestClassifier(11, random_state=0)
    machines = {
        "classifier": pauca.RVMClassifier().fit(X, y),
        "process": pauca.SparseGPClassifier().fit(X, y),
        "noisy": pauca.BayesMachineClassifier(gamma=1.0).fit(X, y),
        "features": pauca.SpikeSlabClassifier().fit(X, y),
        "regressor": pauca.RVMRegressor().fit(X[:, :1], X[:, 1]),
        "curve": pauca.SparseGPRegressor().fit(X[:, :1], X[:, 1]),
        "votes": pauca.InstancePrunedClassifier(forest, random_state=0).fit(X, y),
        "pruned": pauca.PrunedEnsembleRegressor(RandomForestRegressor(7, random_state=0)).fit(X, X[:, 1]),
        "foreign": LogisticRegression().fit(X, y),
    }
    size = pauca.ensemble_size(forest, X, y, confidence=0.9, random_state=0)
    parts = ensembles.bias_variance_covariance(np.random.default_rng(0).normal(size=(9, 5, 7)), np.zeros(7))
    results = pauca.stability(X, y, 3, estimator=pauca.ARDClassifier(), sizes=[1])
    return machines, size, parts, results


def _drawn(rng):
    machines, size, parts, results = fitted()
    n = int(rng.integers(2, 40))
    X, names = rng.normal(size=(n, int(rng.integers(1, 3)))), list(machines)
    machine = machines[names[rng.integers(len(names))]]
    scores = evaluation.rank_table(rng.normal(size=(6, 3)))
    ranks = {name: float(k) for k, name in enumerate("abc"[: int(rng.integers(1, 4))], 1)}
    labels = rng.integers(2, size=n)
    return {
        **{"machine": machine, "model": machine, "X": X, "y": labels, "size": size, "results": results},
        **{"parts": {"a": parts}, "mean_ranks": ranks, "critical_difference": 0.8, "rank_table": scores},
        **{"curves": {"a": rng.random(9)}, "coverage": np.linspace(0, 1, 9), "y_prob": rng.random(n)},
        **{"bins": 5, "top": 2, "which": 0, "n_named": 1, "n_points": 9, "n_std": 2.0, "threshold": 0.5},
    }


def _reliability(rng):
    n = int(rng.integers(2, 30))
    return {"curves": rng.integers(2, size=n), "y_prob": rng.random(n)}


_PRUNING = (
    "common_errors",
    "error_products",
    "evidence_pruning",
    "exhaustive_pruning",
    "ordered_aggregation",
)
_RANKS = ("friedman", "nemenyi", "nemenyi_matrix", "bonferroni_dunn", "wilcoxon_holm")
# Public functions by module, each with what draws its arguments.
FUNCTIONS = [
    *((ensembles, name, _outputs) for name in (*_PRUNING, "sdp_pruning", "vote_ordering")),
    (ensembles, "bias_variance_covariance", lambda rng: _outputs(rng, 4)),
    *((ensembles, name, _votes) for name in ("agreement_probability", "required_size")),
    *((ensembles, name, _several) for name in ("vote_thresholds", "vote_rule")),
    *((evaluation, name, _classes) for name in ("classification_scores", "expected_calibration_error")),
    *((evaluation, name, _numbers) for name in ("regression_scores", "negative_log_density", "interval")),
    *((evaluation, name, _ranked) for name in (*_RANKS, "mean_ranks", "rank_table")),
    *((evaluation, name, _pairs) for name in ("paired_t", "corrected_t")),
    (evaluation, "five_by_two_f", _folds),
    *((evaluation, name, _several) for name in ("holm", "critical_difference", "kuncheva_index")),
    *((evaluation, name, _labelled) for name in ("repeated_splits", "five_by_two")),
    (evaluation, "stability", _small_table),
    *((ensembles, name, _small_table) for name in ("ensemble_size", "grow_until_stable")),
    *((plotting, name, _drawn) for name in plotting.__all__ if name.startswith("plot_")),
    (plotting, "plot_reliability", _reliability),
    *((datasets, name, _size) for name in datasets.__all__ if name.startswith("make_")),
    *((datasets, name, _size) for name in ("ripley_posterior", "sinc_function")),
    *PACKAGE_FUNCTIONS,
]
# Functions of seconds, drawn seldom.
SLOW = [(pauca, "distil", _small_table), (evaluation, "bayesian_signed_rank", _ranked)]
_SLOW_SHARE = 0.005
OPTIONS: dict[str, list] = {
    "task": ["regression", "classification", "ranking", None],
    "method": ["reduce-error", "complementarity", "margin-distance", "boosting", "best", None],
    "shares": ["interval", "observed", "all"],
    "source": ["auto", "oob", "cv", "train", 3],
    "size": [0.2, 1, 3, "auto", 0, 2.0, "few"],
    "control": ["a", "z", 0, None, True],
    "orders": [None, np.zeros((4, 1), int), np.arange(3), "first", np.full((4, 2), 99)],
    "sample_weight": [None, np.ones(5), -np.ones(5), "heavy"],
    "random_state": _SEEDS,
    "seed": _SEEDS,
    **dict.fromkeys(("alpha", "confidence", "train_size", "test_size", "true_share", "label_noise"), SHARES),
    **dict.fromkeys(("rope", "noise", "test_over_train", "critical_difference", "threshold"), POSITIVE),
    **dict.fromkeys(("length", "width", "separation", "shift", "turns", "n_std", "level"), POSITIVE),
    **dict.fromkeys(("n_members", "n_classes", "n_methods", "n_datasets", "n_bins", "bins", "top"), COUNTS),
    **dict.fromkeys(("which", "n_named", "n_resamples", "n_splits", "batch", "cv", "n_folds"), COUNTS),
    **dict.fromkeys(("max_members", "n_initial", "n_informative", "max_vectors", "max_bytes"), COUNTS),
    **dict.fromkeys(("n_samples", "n_features"), _SIZES),
    **dict.fromkeys(("higher_is_better", "correct_ties", "stratify", "grid", "coef"), _SWITCHES),
    "prune_votes": _SWITCHES,
}
# Ways to ask for an endless amount of work or memory, which nobody promises to refuse.
_TOO_MUCH = {
    "n_resamples",
    "n_splits",
    "max_members",
    "n_initial",
    "n_members",
    "bins",
    "n_folds",
    "n_points",
}


def drawn(rng):
    """A function with hostile arguments: (name, function, arguments)."""
    table = SLOW if rng.random() < _SLOW_SHARE else FUNCTIONS
    module, name, draw = table[rng.integers(len(table))]
    function = getattr(module, name)
    pool, arguments = draw(rng), {}
    for argument, parameter in inspect.signature(function).parameters.items():
        needed = parameter.default is inspect.Parameter.empty
        if argument in pool and (needed or rng.random() < 0.7):
            arguments[argument] = pool[argument]
        if argument in OPTIONS and rng.random() < (1.0 if needed and argument not in pool else _DAMAGED):
            values = [v for v in OPTIONS[argument] if argument not in _TOO_MUCH or v != 10**30]
            arguments[argument] = values[rng.integers(len(values))]
        elif argument in arguments and rng.random() < _DAMAGED:
            arguments[argument] = damaged(rng, arguments[argument])
    return f"{module.__name__}.{name}", function, arguments
