"""Values of the arguments of estimators, many of them wrong or at an end of what is allowed."""

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from pauca.basis import RBF, Linear

POSITIVE = [1e-300, 1e-8, 0.3, 1.0, 7, 1e8, 1e300, 0, -1, np.nan, np.inf, "many", None]
COUNTS = [1, 2, 3, 10, 0, -1, 2.5, None, 10**30, True]
DRAWS = [1, 2, 20, 100, 0, -1, 2.5, None]
SHARES = [0.5, 0.9, 1.0, 1e-9, 0, 1, -0.1, 2, np.nan, None, "half"]
_PAIRS = [(1, 9), (1e-6, 1e-5), (1e8, 1e9), (0.5, 0.6), (5, 1), (0, 1), 3, None, "prior"]
_SWITCHES = [True, False, None, "yes", 2]


def stops_at_once(progress):
    """Callback that ends a fit."""
    return True


# Values of arguments by name; others keep their defaults.
VALUES: dict[str, list] = {
    "kernel": [
        *("rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine"),
        *("auto", "sigmoid", None, 3, RBF(), Linear(), RBF() + Linear(), lambda A, B: np.asarray(A @ B.T)),
        *(lambda A, B: np.full((A.shape[0], B.shape[0]), np.nan), lambda A, B: np.zeros(3)),
        *(lambda A, B: np.full((A.shape[0], B.shape[0]), 1e300), lambda A, B: "kernel"),
        *(lambda A, B: -np.asarray(A @ B.T), lambda A, B: 1 / 0),
    ],
    "gamma": ["evidence", "loo", "cv", "scale", "learn", *POSITIVE],
    "feature_scales": ["evidence", None, "none"],
    "inference": [
        *("laplace", "ep", "variational", "evidence", "single-effects", "type2", "gibbs", "hmc", "sampling"),
    ],
    "class_weight": [None, "balanced", {0: 1, 1: 5}, {0: -1}, "uneven"],
    "likelihood": ["gaussian", "student_t", "poisson", "negative_binomial", "cauchy", None],
    "trend": ["evidence", True, False, 2],
    "additive": ["evidence", True, False, "sum", None],
    "categorical_features": ["from_dtype", [0], [], [99], ["colour"], "all", None],
    "memory_limit": [2**20, 1, 0, -1, None, "1 GB"],
    "callback": [None, stops_at_once, "stop"],
    "classes": [None, [0, 1, 2], ["no", "yes"], [1, 0], [], 3],
    "max_vectors": [1, 3, 0.1, 0.99, 0, -1, 1.5, "all"],
    "fallback": _SWITCHES,
    "extra_basis": _SWITCHES,
    "standardize": _SWITCHES,
    "refine": [*_SWITCHES, "unconditional"],
    "refit": _SWITCHES,
    "reweight": _SWITCHES,
    "penalty": ["published", 1.0, 0, -1, np.nan, "none"],
    "noise": [None, 0, 0.1, 0.49, 0.5, -1, "loud"],
    "noise_variance": [None, "evidence", *POSITIVE],
    "noise_prior": _PAIRS,
    "random_state": [0, None, 7, "seed", -1],
    "n_init": [1, 2, 0, None],
    "max_iter": [1, 3, 50, 0, -1, 2.5, True, 10**30],
    "max_passes": [1, 3, 0, None],
    "max_trees": [3, 30, 1, 0, 2.5, None],
    "expected_features": ["evidence", *POSITIVE],
    "n_features_to_select": COUNTS,
    "n_active": ["evidence", *COUNTS],
    "n_effects": COUNTS,
    "coverage": SHARES,
    "min_purity": SHARES,
    "threshold": SHARES,
    "prior": ["spike-slab", "gaussian", "laplace", None],
    "network": [None, np.zeros((2, 2)), np.ones((3, 3)), [[0, 1], [1, 2]], [np.array([0, 99])], "star"],
    "coupling": POSITIVE,
    "confidence": [0.51, 0.9, 0.999, 1, 0, 2, "sure"],
    "risk": SHARES,
    "keep": SHARES,
    "tolerance": POSITIVE,
    "calibration_size": SHARES,
    "holdout_size": SHARES,
    "router_depth": COUNTS,
    "rule": ["t", "bernstein", "mean", None],
    "size": [0.2, 1, 3, "auto", 0, 2.0, "few"],
    "method": ["ordered", "sdp", "exhaustive", "evidence", "best"],
    "selection": ["auto", "oob", "train", "holdout", "some"],
    "voting": ["auto", "hard", "soft", "loud"],
    "criterion": ["loo_error", "loo_probability", "evidence", None],
    "score_rule": ["expected", "observed", 1],
    "n_jobs": [None, 1, 0, "all"],
    "engine": ["auto", "compiled", "members", "fast"],
    "ensemble": [
        *(
            RandomForestClassifier(5, random_state=0),
            GradientBoostingRegressor(n_estimators=3, random_state=0),
        ),
        *(DecisionTreeClassifier(), RandomForestClassifier, None, 3),
    ],
    "start": ["random", "empty", "all", "best"],
    "only_start": [None, *range(4), -1, 2.5],
    "width_rows": ["others", "all", None],
    "probabilities": ["integrated", "plug-in", "exact"],
    "transforms": ["auto", "evidence", "plain", "ranks", "log"],
    "verbose": [False, 0, "loud"],
    **dict.fromkeys(("confusion", "counts_sign", "shrinkage", "warm_start"), _SWITCHES),
    "n_chains": [1, 2, 0, 2.5, None],
    **dict.fromkeys(("n_draws", "n_samples", "n_burn_in"), DRAWS),
    **dict.fromkeys(("degree", "coef0", "tol", "min_gain", "slab_variance", "spike_variance"), POSITIVE),
    **dict.fromkeys(("tail_scale", "initial"), POSITIVE),
    **dict.fromkeys(("weight_prior", "alpha_prior", "hyperprior", "noise_hyperprior"), _PAIRS),
    "max_candidates": COUNTS,
}
