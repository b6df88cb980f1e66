"""Peers whose fits take long: explainable boosting, GPBoost and a stochastic variational process."""

from importlib import import_module

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.multiclass import OneVsRestClassifier

from .contenders import Contender
from .svgp import SVGP

EBM, GPBOOST, SVGP_PEER = "EBM", "GPBoost", "GPyTorch SVGP"
# Training rows up to which the processes are fitted, set by hand for time.
_MAX_ROWS = 150
# Rounds of GPBoost, the default of its ``train``.
_N_ROUNDS = 100


def slow_classifiers() -> list[Contender]:
    """Classifiers at their defaults, the two processes for two classes."""
    return [
        Contender(EBM, _explainable("ExplainableBoostingClassifier"), _none),
        Contender(GPBOOST, _of_two_classes(GPBoost()), _none, _MAX_ROWS),
        Contender(SVGP_PEER, _of_two_classes(SVGP()), _none, _MAX_ROWS),
    ]


def slow_regressors() -> list[Contender]:
    """Regressors at their defaults; the two processes predict standard deviations."""
    return [
        Contender(EBM, _explainable("ExplainableBoostingRegressor"), _none),
        Contender(GPBOOST, lambda X, y: GPBoost(regression=True).fit(X, y), _none, _MAX_ROWS),
        Contender(SVGP_PEER, lambda X, y: SVGP(regression=True).fit(X, y), _none, _MAX_ROWS),
    ]


class GPBoost(BaseEstimator):
    """Boosted trees whose residuals are a Gaussian process of the same features (Sigrist, JMLR 2022).

    Parameters
    ----------
    regression : bool
        Whether targets are numbers, else labels 0 and 1.
    """

    def __init__(self, regression=False):
        self.regression = regression

    def fit(self, X, y):
        """Boost trees, and learn the covariance of the process in every round."""
        library = import_module("gpboost")
        likelihood = "gaussian" if self.regression else "bernoulli_probit"
        process = library.GPModel(gp_coords=X, likelihood=likelihood, num_parallel_threads=1)
        options = {"num_threads": 1, "verbose": -1, "seed": 0}
        self.machine_ = library.train(
            options, library.Dataset(X, y), gp_model=process, num_boost_round=_N_ROUNDS
        )
        return self

    def _moments(self, X):
        found = self.machine_.predict(data=X, gp_coords_pred=X, predict_var=True, pred_latent=False)
        return np.asarray(found["response_mean"]), np.asarray(found["response_var"])

    def predict(self, X, return_std=False):
        """Means of the targets, and standard deviations of new ones if ``return_std``."""
        mean, var = self._moments(X)
        return (mean, np.sqrt(var)) if return_std else mean

    def predict_proba(self, X):
        """Probabilities of the labels 0 and 1."""
        p = self._moments(X)[0]
        return np.column_stack([1 - p, p])


def _explainable(name):
    def fit(X, y):
        return getattr(import_module("interpret.glassbox"), name)(n_jobs=1, random_state=0).fit(X, y)

    return fit


def _of_two_classes(machine):
    """Fit that codes the labels; more than two classes would take as many fits."""

    def fit(X, y):
        if len(np.unique(y)) > 2:
            raise ValueError("two classes only, for time")
        return OneVsRestClassifier(machine).fit(X, y)

    return fit


def _none(model):
    return None
