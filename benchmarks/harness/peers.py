"""Peers that scikit-learn lacks: parameters chosen on part of the rows, sparse logistic regression."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from pauca.inference import latent_ep
from pauca.inference.latent import DensePrior
from pauca.likelihoods import Probit

# Shuffled: rows may be sorted.
_FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
# Share of the amplitude that is added to the diagonal of the kernel, as in Hernández-Lobato's thesis.
_DIAGONAL = 1e-3


def _folds(machine):
    return _FOLDS if is_classifier(machine) else KFold(5, shuffle=True, random_state=0)


class Searched(ClassifierMixin, BaseEstimator):
    """Classifier whose parameters are searched by five folds, then fitted with probabilities on all rows.

    The search sees at most ``max_rows`` rows. ``grid`` is a dictionary, or a function of X that gives one.
    """

    def __init__(self, machine, grid, *, scoring=None, max_rows=None):
        self.machine = machine
        self.grid = grid
        self.scoring = scoring
        self.max_rows = max_rows

    def fit(self, X, y):
        """Search the parameters, then fit with the best."""
        part = np.random.default_rng(0).permutation(len(y))[: self.max_rows]
        search = searched(self.machine, self.grid(X) if callable(self.grid) else self.grid, self.scoring)
        chosen = search.fit(X[part], y[part]).best_params_
        self.best_estimator_ = with_probabilities(clone(self.machine).set_params(**chosen)).fit(X, y)
        self.classes_ = self.best_estimator_.classes_
        return self

    def predict_proba(self, X):
        """Probabilities of the machine at the chosen parameters."""
        return self.best_estimator_.predict_proba(X)


def searched(machine, grid, scoring=None):
    """Grid search by five folds that does not fit the best parameters again."""
    return GridSearchCV(machine, grid, cv=_folds(machine), scoring=scoring, refit=False)


def with_probabilities(machine):
    """Machine itself, or calibrated by five folds if it has no probabilities."""
    if hasattr(machine, "predict_proba"):
        return machine
    return CalibratedClassifierCV(machine, ensemble=False, cv=_FOLDS)


class SparseLogistic(ClassifierMixin, BaseEstimator):
    """Sparse logistic regression (SMLR): Laplace prior on the weights of one kernel column for each row."""

    def __init__(self, C=1.0, gamma=1.0):
        self.C = C
        self.gamma = gamma

    def fit(self, X, y):
        """Fit the penalised weights and keep the rows with a weight other than zero."""
        model = LogisticRegression(l1_ratio=1, solver="liblinear", C=self.C, max_iter=200, random_state=0)
        model.fit(rbf_kernel(X, gamma=self.gamma), y)
        self.classes_, self.intercept_ = model.classes_, model.intercept_
        self.relevance_ = np.flatnonzero(model.coef_[0])
        self.relevance_vectors_, self.coef_ = X[self.relevance_], model.coef_[0, self.relevance_]
        return self

    def predict_proba(self, X):
        """Plug-in probabilities."""
        f = np.full(len(X), self.intercept_[0])
        if len(self.relevance_):
            f += rbf_kernel(X, self.relevance_vectors_, gamma=self.gamma) @ self.coef_
        return np.column_stack([expit(-f), expit(f)])

    def predict(self, X):
        """Most probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class ProcessByEP(ClassifierMixin, BaseEstimator):
    """Gaussian process with a Gaussian kernel and probit likelihood, by expectation propagation.

    Amplitude and width maximise the evidence, by the simplex method from the width that fits the features.
    """

    def fit(self, X, y):
        """Maximise the evidence, then keep the coefficients of the posterior mean."""
        self.classes_, self.X_ = np.unique(y), X
        targets = np.where(y == self.classes_[1], 1.0, -1.0)
        start = np.log([4.0, 1 / X.var(axis=0).sum()])
        found = minimize(
            lambda logs: -self._posterior(logs, targets).log_evidence,
            start,
            method="Nelder-Mead",
            options={"maxfev": 60, "fatol": 0.02, "xatol": 0.02},
        )
        self.gamma_ = float(np.exp(found.x[1]))
        self.coef_ = self._posterior(found.x, targets).coef
        return self

    def _posterior(self, logs, targets):
        amplitude, gamma = np.exp(np.clip(logs, -12, 12))
        C = amplitude * rbf_kernel(self.X_, gamma=gamma)
        C[np.diag_indices_from(C)] += _DIAGONAL * amplitude
        return latent_ep(Probit(), DensePrior(C), 0.0, targets, np.ones(len(targets)))

    def predict(self, X):
        """Class by the sign of the posterior mean."""
        values = rbf_kernel(X, self.X_, gamma=self.gamma_) @ self.coef_
        return self.classes_[(values > 0).astype(int)]
