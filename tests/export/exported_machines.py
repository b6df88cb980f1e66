"""Fitted machines of every kind and mode that can be exported, on small problems."""

import warnings
from functools import cache

import numpy as np

import pauca
from pauca.basis import RBF, Linear, Polynomial, RationalQuadratic
from pauca.datasets import make_friedman1, make_ripley, make_twonorm


def _classes(n_classes, n=90, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1.0, 3.0, 0.5][:d] + 5
    score = X[:, 0] - 0.3 * X[:, 1] + 0.4 * rng.normal(size=n)
    edges = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    return X, np.array(["a", "b", "c", "d"])[np.searchsorted(edges, score)]


def _two():
    return make_ripley(100, random_state=0)


def _number():
    X, y = make_friedman1(90, random_state=0)
    return X[:, :5], y


def _counts():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 2))
    return X, rng.poisson(np.exp(0.5 + X[:, 0] - 0.3 * np.square(X[:, 1])))


_MACHINES = {
    "sparse gp regressor, outliers": (
        lambda: pauca.SparseGPRegressor("rbf", likelihood="student_t"),
        _number,
    ),
    "sparse gp regressor, counts": (lambda: pauca.SparseGPRegressor("rbf", likelihood="poisson"), _counts),
    "sparse gp regressor, wide counts": (
        lambda: pauca.SparseGPRegressor("rbf", likelihood="negative_binomial"),
        _counts,
    ),
    "sparse gp, ordered classes": (lambda: pauca.SparseGPOrdinalClassifier("rbf"), lambda: _classes(4)),
    "sparse gp": (lambda: pauca.SparseGPClassifier(), _two),
    "sparse gp, ep": (lambda: pauca.SparseGPClassifier(inference="ep"), _two),
    "sparse gp, three classes": (lambda: pauca.SparseGPClassifier(), lambda: _classes(3)),
    "sparse gp, sum of kernels": (lambda: pauca.SparseGPClassifier(RBF() + Linear()), _two),
    "sparse gp regressor": (lambda: pauca.SparseGPRegressor(), _number),
    "sparse gp regressor, trend": (lambda: pauca.SparseGPRegressor("rbf", trend=True), _number),
    "rvm": (lambda: pauca.RVMClassifier(), _two),
    "rvm, ep": (lambda: pauca.RVMClassifier(inference="ep"), _two),
    "rvm, variational": (lambda: pauca.RVMClassifier(inference="variational"), _two),
    "rvm, four classes": (lambda: pauca.RVMClassifier(), lambda: _classes(4)),
    "rvm, product": (lambda: pauca.RVMClassifier(RBF() * Linear(1.0), "scale"), _two),
    "rvm, laplacian": (lambda: pauca.RVMClassifier("laplacian"), _two),
    "rvm, rational": (lambda: pauca.RVMClassifier(RationalQuadratic(alpha=0.7)), _two),
    "rvm, poly": (lambda: pauca.RVMClassifier(Polynomial(degree=2), "scale"), _two),
    "rvm, cosine": (lambda: pauca.RVMClassifier("cosine"), _two),
    "rvm, linear": (lambda: pauca.RVMClassifier("linear"), lambda: _classes(2)),
    "rvm regressor": (lambda: pauca.RVMRegressor("matern32"), _number),
    "rvm regressor alone": (lambda: pauca.RVMRegressor("matern32", fallback=False), _number),
    "rvm regressor, variational": (
        lambda: pauca.RVMRegressor("matern52", inference="variational"),
        _number,
    ),
    "epcvm": (lambda: pauca.EPCVMClassifier(), _two),
    "epcvm, three classes": (lambda: pauca.EPCVMClassifier(), lambda: _classes(3)),
    "epcvm, draws": (lambda: pauca.EPCVMClassifier(inference="hmc", n_chains=2, n_draws=100), _two),
    "epcvm, draws of three classes": (
        lambda: pauca.EPCVMClassifier(inference="hmc", n_chains=2, n_draws=100),
        lambda: _classes(3),
    ),
    "pcvm": (lambda: pauca.PCVMClassifier(n_init=1), _two),
    "ard": (lambda: pauca.ARDClassifier(), lambda: make_twonorm(80, random_state=0)),
    "ard, kernel": (lambda: pauca.ARDClassifier("rbf", "scale"), _two),
    "bayes machine": (lambda: pauca.BayesMachineClassifier(), _two),
    "bayes machine, three classes": (lambda: pauca.BayesMachineClassifier(), lambda: _classes(3)),
    "sparse bayes machine": (lambda: pauca.SparseBayesMachineClassifier(), _two),
    "spike and slab": (lambda: pauca.SpikeSlabClassifier(), lambda: make_twonorm(80, random_state=0)),
    "spike and slab, three classes": (lambda: pauca.SpikeSlabClassifier(), lambda: _classes(3)),
    "spike and slab, draws": (
        lambda: pauca.SpikeSlabClassifier(inference="gibbs", n_samples=100, n_burn_in=20, n_chains=1),
        lambda: _classes(2),
    ),
    "spike and slab, draws of three classes": (
        lambda: pauca.SpikeSlabClassifier(inference="gibbs", n_samples=100, n_burn_in=20, n_chains=1),
        lambda: _classes(3),
    ),
    "spike and slab regressor": (lambda: pauca.SpikeSlabRegressor(), _number),
}
NAMES = tuple(_MACHINES)


@cache
def fitted(name):
    """A fitted machine, and rows to predict: near the data, on it, and far away."""
    make, data = _MACHINES[name]
    X, y = data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = make().fit(X, y)
    rng = np.random.default_rng(1)
    centre, spread = X.mean(axis=0), X.std(axis=0)
    near = centre + 1.5 * spread * rng.normal(size=(150, X.shape[1]))
    far = centre + 30 * spread * rng.normal(size=(10, X.shape[1]))
    return machine, np.vstack([near, X[:40], far])


def predictions(machine, X):
    """What a machine predicts: probabilities, or means and deviations in two columns."""
    if hasattr(machine, "predict_proba"):
        return machine.predict_proba(X)
    return np.column_stack(machine.predict(X, return_std=True))
