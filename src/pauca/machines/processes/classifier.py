"""Base of classifiers of Gaussian processes: fit of two or many classes, probabilities."""

import warnings
from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ...atomic_fit import atomic
from ...basis import GivenRows, is_precomputed, multiplied
from ...export import CannotExport, Link, Portable
from ...export.summary import leave_one_out_scores
from ...fitting import TrainingRows
from ...fitting.processes import (
    TRIAL_RECORD,
    ProcessFit,
    ProcessPosterior,
    ProcessProblem,
    first_class_evidence,
    first_evidence,
    fit_classes,
    fit_process,
)
from ...likelihoods import Probit
from ...numerics import squared_lengths_within, steady_average, threads_for
from ...validation import check_size
from ..bases.classification import ProbabilisticClassifier, check_labels
from ..bases.kernel_estimator import KernelEstimator
from ..on_tables import PlacedTable, TableEffects, TableFile, TableInput, entries_of
from ..portable import portable_processes
from .uncertainty import ProcessUncertainty, weighted_variances

# Reach of the constant, as a multiple of the largest distance of a training row from the origin: there the
# constant has 94 % of its size, twice as far nothing. Set by hand.
REACH = 2.0
# Candidates of tables as a multiple of those of numbers; chosen on half split 0 of image (log-loss .071 with
# 500 candidates, .065 with all 1043) and spam (.153 with 500, .144 with 1500).
_MORE_CANDIDATES = 3


class ProcessClassifier(
    TableEffects, TableFile, TableInput, ProcessUncertainty, ProbabilisticClassifier, KernelEstimator
):
    """Classifier with one latent Gaussian process for two classes, else one for each class."""

    class_weight: Any
    max_candidates: int | None
    converged_: bool
    # Centre and spread of the features.
    _standards: tuple[Any, Any]

    @abstractmethod
    def _check_arguments(self) -> None:
        """Raise a ValueError for arguments that are not allowed."""

    @abstractmethod
    def _problem(self, data: TrainingRows, likelihood: Any) -> ProcessProblem:
        """Problem of some placed training rows."""

    @abstractmethod
    def _standards_of(self, X: Any, weights: NDArray) -> tuple[Any, Any]:
        """Centre and spread by which features are placed."""

    @atomic
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the hyperparameters, the vectors and the posterior of their weights.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (n_samples, n_features)
            Training data; for ``kernel="precomputed"`` the kernel matrix (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How many times each row counts.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._check_arguments()
        self._columns, given = None, is_precomputed(self.kernel)
        is_table = not given and self._is_table(X)
        X, y = self._checked_table(X, y) if is_table else self._check_X(X, y)
        self.classes_, codes, weights = check_labels(self, X, y, sample_weight, self.class_weight)
        with threads_for(len(codes) * (self.max_candidates or len(codes))):
            placed = self._place_training(X, codes, weights) if is_table else self._numbers(X, weights, given)
        self._standards = placed.standards
        data = self._training_rows(placed.rows, codes, weights)
        if given:
            data = _numbered(data)
        with threads_for(len(data.y) * (self.max_candidates or len(data.y))):
            fit = self._fitted(data, placed)
        self._store(data, fit, entries_of(X, data.rows[fit.rows]) if is_table else X[data.rows[fit.rows]])
        self._describe_columns(fit.process, placed)
        if not fit.settled:
            warnings.warn(
                f"{type(self).__name__} did not converge; raise min_gain.", ConvergenceWarning, stacklevel=3
            )
        return self

    def _numbers(self, X: Any, weights: NDArray, given: bool) -> PlacedTable:
        """Training rows of numbers, or of kernel values that are given, as the processes see them."""
        check_size("X", X)
        standards = (0.0, 1.0) if given else self._standards_of(X, weights)
        self._standards = standards
        return PlacedTable(X if given else self._standardised(X), None, (), standards)

    def _place_training(self, table: Any, codes: NDArray, weights: NDArray) -> PlacedTable:
        """Training rows of a table, whose columns are compared by indicators of the classes."""
        n_classes = len(self.classes_)
        indicators = np.eye(n_classes)[codes][:, 1 if n_classes == 2 else 0 :]
        shares = steady_average(indicators, weights)
        spread = np.sqrt(np.maximum(shares * (1 - shares), np.finfo(float).eps))

        def evidence(placed: PlacedTable, rows: NDArray, counts: NDArray) -> float:
            data = self._training_rows(placed.rows, codes[rows], counts)
            problem = self._placed_problem(data, placed)
            return first_evidence(problem) if n_classes == 2 else first_class_evidence(problem, n_classes)

        return self._learn_columns(table, codes, (indicators - shares) / spread, weights, evidence)

    def _placed_problem(self, data: TrainingRows, placed: PlacedTable) -> ProcessProblem:
        """Problem of placed rows and the codes of their classes; signs, where there are two."""
        is_binary, measures = len(self.classes_) == 2, placed.measures
        if is_binary:
            problem = self._problem(_with_targets(data, np.where(data.y == 1, 1.0, -1.0)), Probit())
        else:
            problem = self._problem(data, Probit())
            measures = measures if self.additive is True else ()
        if placed.groups is None or self.max_candidates is None:
            return replace(problem, groups=placed.groups, measures=measures)
        limits = replace(problem.limits, max_candidates=_MORE_CANDIDATES * self.max_candidates)
        return replace(problem, limits=limits, groups=placed.groups, measures=measures)

    def _fitted(self, data: TrainingRows, placed: PlacedTable) -> ProcessFit:
        problem, n_classes = self._placed_problem(data, placed), len(self.classes_)
        return fit_process(problem) if n_classes == 2 else fit_classes(problem, n_classes)

    def _store(self, data: TrainingRows, fit: ProcessFit, vectors: Any) -> None:
        """Keep the vectors, the posteriors and nothing else of the rows."""
        process = fit.process
        self._posteriors, self._likelihood = fit.posteriors, fit.likelihood
        self.relevance_ = data.rows[fit.rows]
        if process.kernel.is_precomputed:
            self.relevance_vectors_ = np.empty((0, 0))
            self._posteriors = _few_columns(fit.posteriors, self.relevance_)
        else:
            self.relevance_vectors_ = vectors
            if self._columns is not None:
                self._posteriors = [posterior.rounded() for posterior in fit.posteriors]
            self._feature_variances = weighted_variances(data.X, data.weights)
        self.kernel_, self.gamma_ = process.kernel, fit.trial.gamma
        self.log_evidence_, self.converged_ = fit.log_evidence, fit.converged and fit.settled
        self.trials_ = np.array([trial.record for trial in fit.trials], dtype=TRIAL_RECORD)
        self._left_out = leave_one_out_scores(self._link(), fit.left_out, data.y, data.weights)

    def _link(self) -> Link:
        """From moments of the latent functions to probabilities."""
        return Link("multinomial") if len(self._posteriors) > 1 else Link("binary", self._likelihood)

    def _standardised(self, X):
        centre, spread = self._standards
        return multiplied(X, 1 / spread) if sparse.issparse(X) else (X - centre) / spread

    def _placed(self, X: ArrayLike) -> Any:
        """Checked rows as the processes see them."""
        check_is_fitted(self)
        if self._columns is not None:
            return self._place_table(X)
        rows = self._check_X(X, reset=False)
        if self._posteriors[0].process.kernel.is_precomputed:
            return GivenRows.numbered(rows[:, self.relevance_], -1.0)
        return self._standardised(rows)

    def _latent(self, X: ArrayLike) -> tuple[NDArray, NDArray]:
        """Mean and variance of every latent function: two arrays of shape (n_rows, n_latent)."""
        check_is_fitted(self)
        return latent_moments(self._posteriors, self._placed(X))

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Probability of each class, integrated over the posterior of the processes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``; each row sums to one.
        """
        means, variances = self._latent(X)
        if len(self._posteriors) > 1:
            return self._likelihood.predict(means, variances)
        less = self._likelihood.predict(-np.abs(means), variances)
        pair = np.hstack([less, 1 - less])
        return np.where(means > 0, pair, pair[:, ::-1])

    def _log_probabilities(self, X: ArrayLike) -> NDArray:
        means, variances = self._latent(X)
        if len(self._posteriors) > 1:
            return self._likelihood.log_probabilities(means, variances)
        return np.hstack([self._likelihood.log_predictive(sign, means, variances) for sign in (-1.0, 1.0)])

    def decision_function(self, X: ArrayLike) -> NDArray:
        """Log odds of the predicted probability of each class (two classes: of the second class).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        log_odds : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Log odds in nats.
        """
        check_is_fitted(self)
        if len(self._posteriors) > 1:
            return logit(np.clip(self.predict_proba(X), 1e-300, 1 - 1e-16))
        log_p = self._log_probabilities(X)
        return log_p[:, 1] - log_p[:, 0]

    @property
    def dual_coef_(self) -> NDArray:
        """Weights of the kernel columns of the vectors in the latent means, shape (n_latent, n_vectors)."""
        check_is_fitted(self)
        return np.array([posterior.dual_coef for posterior in self._posteriors])

    @property
    def intercept_(self) -> NDArray:
        """Constant terms of the latent means around the training rows, shape (n_latent,)."""
        check_is_fitted(self)
        return np.array([posterior.intercept for posterior in self._posteriors])

    def _portable(self) -> Portable:
        posteriors, n = self._posteriors, self.n_features_in_
        if posteriors[0].process.kernel.is_precomputed:
            raise CannotExport("kernel='precomputed' has no portable form; fit on features to export.")
        standards: Any = self._standards
        if self._columns is None:
            standards = tuple(np.broadcast_to(np.asarray(each, dtype=float), (n,)) for each in standards)
        return portable_processes(self, posteriors, standards, (0.0, 1.0), self._link())


def latent_moments(posteriors: list[ProcessPosterior], rows: Any) -> tuple[NDArray, NDArray]:
    """Means and variances at placed rows of latent functions that share process, vectors and design."""
    first = posteriors[0]
    Phi = first.design(rows)
    left = first.left(rows, Phi)
    if len(posteriors) == 1:
        mean, variance = first.moments(Phi, left)
        return mean[:, None], variance[:, None]
    means = [posterior.process.constant[0] + Phi @ posterior.mean for posterior in posteriors]
    variances = squared_lengths_within([posterior.factor for posterior in posteriors], Phi)
    return np.column_stack(means), variances + left[:, None]


def _with_targets(data: TrainingRows, y: NDArray) -> TrainingRows:
    return replace(data, y=y)


def _numbered(data: TrainingRows) -> TrainingRows:
    """Rows of a kernel matrix with their numbers in front."""
    return replace(data, X=GivenRows.numbered(data.X, data.rows))


def _few_columns(posteriors: list[ProcessPosterior], rows: NDArray) -> list[ProcessPosterior]:
    """Posteriors of a precomputed kernel whose vectors hold their values with each other only."""
    vectors = GivenRows.numbered(posteriors[0].vectors[:, 1 + rows], np.arange(len(rows)))
    return [replace(posterior, vectors=vectors) for posterior in posteriors]
