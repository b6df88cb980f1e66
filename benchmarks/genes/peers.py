"""Peers for many features and few rows that scikit-learn lacks."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from pauca.fitting import Limits, Recipe
from pauca.fitting.fitters import select_columns
from pauca.inference import exact
from pauca.likelihoods import Gaussian

_N_FOLDS = 5


class DiagonalDiscriminant(ClassifierMixin, BaseEstimator):
    """Diagonal linear discriminant analysis: class means, and one pooled variance for each feature."""

    def fit(self, X, y):
        """Estimate class means and pooled variances."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.means_ = np.array([X[codes == k].mean(axis=0) for k in range(len(self.classes_))])
        squares = np.square(X - self.means_[codes], dtype=float).sum(axis=0)
        variances = squares / max(len(y) - len(self.classes_), 1)
        self.variances_ = np.where(variances > 0, variances, np.inf)
        return self

    def predict(self, X):
        """Class whose mean is nearest in units of the variances (Dudoit et al. 2002)."""
        distances = [np.sum(np.square(X - mean) / self.variances_, axis=1) for mean in self.means_]
        return self.classes_[np.argmin(distances, axis=0)]


class EliminatingSVM(ClassifierMixin, BaseEstimator):
    """SVM with recursive feature elimination (Guyon et al. 2002), half of the features each time.

    Five folds choose how many features stay.
    """

    def __init__(self, C=100.0):
        self.C = C

    def fit(self, X, y):
        """Count the errors of every size over the folds, then eliminate down to the best size on all rows."""
        errors = 0.0
        for train, test in StratifiedKFold(_N_FOLDS, shuffle=True, random_state=0).split(X, y):
            path = self._path(X[train], y[train])
            errors += np.array([np.sum(svm.predict(X[test][:, kept]) != y[test]) for kept, svm in path])
        best = len(errors) - 1 - np.argmin(errors[::-1])
        self.kept_, self.svm_ = self._path(X, y)[best]
        self.n_features_ = len(self.kept_)
        return self

    def _path(self, X, y):
        """Features and fitted machine at every size, from all features down to one."""
        path, kept = [], np.arange(X.shape[1])
        while True:
            svm = SVC(kernel="linear", C=self.C).fit(X[:, kept], y)
            path.append((kept, svm))
            if len(kept) == 1:
                return path
            size = np.square(svm.coef_).sum(axis=0)
            kept = kept[np.sort(np.argsort(-size, kind="stable")[: (len(kept) + 1) // 2])]

    def predict(self, X):
        """Predicted classes by the selected features."""
        return self.svm_.predict(X[:, self.kept_])


class FixedNoise(Gaussian):
    """Gaussian noise that is not learned."""

    def reestimate(self, y, Phi, posterior, prior, weights, accelerate=True):
        return self


class FeatureRVM(ClassifierMixin, BaseEstimator):
    """Relevance vector machine on features: regression on ±1 with noise variance one (Li et al. 2002)."""

    def fit(self, X, y):
        """Maximise the evidence over one precision for each feature; several classes are one-vs-rest."""
        self.classes_ = np.unique(y)
        codes = self.classes_ if len(self.classes_) > 2 else self.classes_[1:]
        fits = [self._fit_one(X, np.where(y == code, 1.0, -1.0)) for code in codes]
        self.coef_, self.intercept_ = (np.array(part) for part in zip(*fits, strict=True))
        self.n_features_ = int(np.any(self.coef_ != 0, axis=0).sum())
        return self

    def _fit_one(self, X, target):
        recipe, weights = Recipe(FixedNoise(1.0), exact), np.ones(len(target))
        fit, shift, scale = select_columns(X, target, weights, recipe, Limits())
        model = fit.model
        coef = np.zeros(X.shape[1])
        coef[model.active] = model.posterior.mean[1:] / scale
        return coef, model.posterior.mean[0] - shift @ coef[model.active]

    def predict(self, X):
        """Class of the largest latent value, or by its sign."""
        values = X @ self.coef_.T + self.intercept_
        codes = values.argmax(axis=1) if len(self.classes_) > 2 else (values[:, 0] > 0).astype(int)
        return self.classes_[codes]


class TunedByFolds(ClassifierMixin, BaseEstimator):
    """Classifier with one parameter chosen by five folds among values it accepts."""

    def __init__(self, machine, name, values):
        self.machine = machine
        self.name = name
        self.values = values

    def fit(self, X, y):
        """Count the errors of every value over the folds, then fit with the first of the best."""
        folds = StratifiedKFold(_N_FOLDS, shuffle=True, random_state=0)
        errors = np.zeros(len(self.values))
        for train, test in folds.split(X, y):
            for place, value in enumerate(self.values):
                errors[place] += self._errors(value, X[train], y[train], X[test], y[test])
        self.best_estimator_ = self._at(self.values[int(np.argmin(errors))]).fit(X, y)
        return self

    def _errors(self, value, X, y, X_test, y_test):
        """Number of test errors; infinite if there are too few rows for the value."""
        try:
            return np.sum(self._at(value).fit(X, y).predict(X_test) != y_test)
        except ValueError:
            return np.inf

    def _at(self, value):
        return clone(self.machine).set_params(**{self.name: value})

    def predict(self, X):
        """Predicted classes by the machine with the chosen value."""
        return self.best_estimator_.predict(X)
