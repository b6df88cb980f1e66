"""Gaussian-process regression carried by few vectors."""

import sys
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from ..atomic_fit import atomic
from ..basis import KERNELS, Kernel, as_kernel, is_precomputed
from ..fitting import Limits, training_rows
from ..fitting.processes import TRIAL_RECORD, ProcessProblem, fit_process
from ..likelihoods import Gaussian
from ..numerics import threads_for
from ..validation import (
    check_case_weights,
    check_number,
    check_option,
    check_rows,
    check_seed,
    check_share,
    check_size,
)
from .bases.process_predictions import ProcessPredictions
from .bases.process_uncertainty import weighted_variances
from .in_blocks import BlockRegressor, comes_in_blocks
from .in_blocks.progress import Callback

# Kernels that "auto" compares.
_AUTO = ("rbf", "matern52", "matern32")
# Least number of vectors where their share of the rows is given: three follow a small table badly. Chosen by
# the predictive density of splits 0-7 of bolts, orange and pollution (26-45 rows).
_MIN_VECTORS = 10
# Precision of the noise to start from, in units of the variance of y; set by hand.
_PRECISION = 10.0


class SparseGPRegressor(BlockRegressor, ProcessPredictions, RegressorMixin, BaseEstimator):
    """Gaussian-process regression carried by few training rows, with nothing to tune.

    y = constant + linear trend + f(x) + noise, f a Gaussian process. Kernel, amplitude, noise, a scale for
    every feature and whether there is a trend maximise the evidence; the few vectors that raise a lower
    bound on it most carry the posterior. Far from all data predictions return to the constant (or the
    trend) and their standard deviation to that of the prior.

    Parameters
    ----------
    kernel : {"auto", "rbf", "matern32", "matern52", ...}, Kernel or callable, default="auto"
        Kernel of standardised features. "auto" takes the one of "rbf", "matern52" and "matern32" with the
        largest evidence. A callable takes two matrices and returns the matrix of kernel values.
    trend : {"evidence"} or bool, default="evidence"
        Whether there is a linear trend; "evidence": if the evidence is larger with it.
    feature_scales : {"evidence"} or None, default="evidence"
        Whether each feature gets a scale of its own in the kernel: the scales that maximise the evidence,
        if they raise it by 0.75 nats each and 3 in all, else none.
    max_vectors : int or float, default=0.1
        Largest number of vectors, or their share of the distinct training rows, and at least 10, if it is a
        float below one.
    min_gain : float, default=0.05
        Rise of the lower bound on the log evidence, in nats, below which no vector is added.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become vectors; None: all of them.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    random_state : int, RandomState instance or None, default=0
        Source of the draws of rows.
    memory_limit : float, default=2**30
        Bytes that matrices of the vectors may take in fits to tables in blocks, which limits their number.
    callback : callable or None, default=None
        Called in fits to tables in blocks with the phase ("kernel", "vectors" or "posterior"), the share of
        the fit that is done and a message. If it raises, the fit ends and changes nothing.
    verbose : bool, default=False
        Report each trial of hyperparameters, and for tables in blocks the progress and the time left.

    Attributes
    ----------
    kernel_ : Kernel
        Kernel with its gamma, of standardised features times ``feature_scales_``.
    gamma_ : float
        Kernel parameter.
    feature_scales_ : ndarray of shape (n_features,)
        Factors of the standardised features in the kernel; large for features that matter.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the mean squared distance between training rows as the kernel sees them: its
        squared scale divided by the sum over features, zero for constant features. The linear trend is not
        part of it.
    amplitude_ : float
        Prior standard deviation of f in the units of y.
    noise_std_ : float
        Standard deviation of the noise in the units of y.
    has_trend_ : bool
        Whether there is a linear trend.
    relevance_ : ndarray of shape (n_vectors,)
        Rows of the training data that are vectors.
    relevance_vectors_ : ndarray of shape (n_vectors, n_features)
        Features of those rows.
    log_evidence_ : float
        Log evidence of the hyperparameters, in the units of y: exact, of at most 400 rows; for tables in
        blocks a lower bound on that of all rows.
    trials_ : structured ndarray
        One record for each trial of hyperparameters: kernel, gamma, trend, scaled (whether features had
        scales), score (penalised log evidence of the rows that it saw, in units of standardised y),
        log_evidence.
    converged_ : bool
        Whether no vector was left to add at ``max_vectors``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X has them.

    References
    ----------
    Rasmussen & Williams, "Gaussian processes for machine learning", MIT Press (2006), chapters 2 and 5;
    Titsias, "Variational learning of inducing variables in sparse Gaussian processes", AISTATS (2009).

    Examples
    --------
    >>> from pauca import SparseGPRegressor
    >>> from pauca.datasets import make_sinc
    >>> X, y = make_sinc(100, random_state=0)
    >>> machine = SparseGPRegressor().fit(X, y)
    >>> mean, std = machine.predict([[0.0], [1000.0]], return_std=True)
    >>> bool(abs(mean[0] - 1) < 0.1), bool(std[1] > 2 * std[0])
    (True, True)
    """

    def __init__(
        self,
        kernel: str | Kernel | Callable = "auto",
        *,
        trend: str | bool = "evidence",
        feature_scales: str | None = "evidence",
        max_vectors: int | float = 0.1,
        min_gain: float = 0.05,
        max_candidates: int | None = 500,
        degree: float = 3,
        coef0: float = 1.0,
        random_state: Any = 0,
        memory_limit: float = 2**30,
        callback: Callback | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.trend = trend
        self.feature_scales = feature_scales
        self.max_vectors = max_vectors
        self.min_gain = min_gain
        self.max_candidates = max_candidates
        self.degree = degree
        self.coef0 = coef0
        self.random_state = random_state
        self.memory_limit = memory_limit
        self.callback = callback
        self.verbose = verbose

    def _check_arguments(self):
        if isinstance(self.kernel, str):
            names = [name for name in KERNELS if name != "precomputed"]
            check_option("kernel", self.kernel, ("auto", *names))
        elif is_precomputed(self.kernel):
            raise ValueError(
                "kernel must be a kernel of features; SparseGPRegressor takes no precomputed one."
            )
        if not isinstance(self.trend, bool | np.bool_):
            check_option("trend", self.trend, ("evidence",))
        if self.feature_scales is not None:
            check_option("feature_scales", self.feature_scales, ("evidence",))
        if isinstance(self.max_vectors, Real) and not isinstance(self.max_vectors, Integral):
            check_share("max_vectors", self.max_vectors)
        else:
            check_number("max_vectors", self.max_vectors, 1, kind=Integral)
        check_number("min_gain", self.min_gain, 0)
        check_number("max_candidates", self.max_candidates, 1, kind=Integral, optional=True)
        check_number("degree", self.degree, 0, strict=True)
        check_number("coef0", self.coef0, -np.inf)

    @atomic
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the hyperparameters, the vectors and the posterior of their weights.

        Tables that are no arrays in memory, memory maps and arrays of 20,000 rows and more are read in
        blocks: hyperparameters are learned from a random part, vectors double in number while rows that were
        not used gain by it, and the posterior is that of all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), path or paths, Dask collection or RowBlocks
            Training data; paths name Parquet files.
        y : array-like of shape (n_samples,), Dask collection or str
            Targets; for Parquet files the name of their column, for RowBlocks None.
        sample_weight : array-like of shape (n_samples,), Dask collection or str, default=None
            How many times each row counts; for Parquet files the name of a column.

        Returns
        -------
        self : SparseGPRegressor
            The fitted machine.
        """
        self._check_arguments()
        self.__dict__.pop("_seen", None)
        if comes_in_blocks(X):
            return self._fit_blocks(X, y, sample_weight)
        rows, targets = check_rows(self, X, y, dtype=np.float64, y_numeric=True)
        check_size("X", rows)
        self._n_seen = len(rows)
        check_size("y", targets)
        weights = check_case_weights(sample_weight, rows)
        seed = int(check_seed(self.random_state).randint(np.iinfo(np.int32).max))
        centre, spread = _moments(rows, weights)
        y_centre, y_spread = _moments(targets, weights)
        data = training_rows((rows - centre) / spread, (targets - y_centre) / y_spread, weights)
        with threads_for(len(data.y) * (self.max_candidates or len(data.y))):
            fit = fit_process(self._problem(data, seed))
        self._store(data, fit, (centre, spread), (y_centre, y_spread))
        self._n_training_rows = len(targets)
        return self

    def _problem(self, data, seed):
        return ProcessProblem(
            data,
            Gaussian(_PRECISION),
            self._kernels(),
            self._limits(len(data.centres)),
            trends=[True, False] if isinstance(self.trend, str) else [bool(self.trend)],
            learns_scales=self.feature_scales is not None,
            seed=seed,
            report=self._report,
        )

    def _kernels(self):
        names = _AUTO if isinstance(self.kernel, str) and self.kernel == "auto" else (self.kernel,)
        return [as_kernel(name, degree=self.degree, coef0=self.coef0) for name in names]

    def _limits(self, n_rows):
        """Least gain of a vector, and the largest number of vectors as ``max_iter``."""
        share = not isinstance(self.max_vectors, Integral)
        most = max(_MIN_VECTORS, int(self.max_vectors * n_rows)) if share else int(self.max_vectors)
        return Limits(self.min_gain, max_iter=most, max_candidates=self.max_candidates)

    def _report(self, trial):
        if self.verbose:
            scaled = "" if trial.process.scales is None else " and scales"
            kernel = trial.process.kernel.name
            message = f"{kernel}, gamma {trial.gamma:.4g}{scaled}: log evidence {trial.log_evidence:.2f}"
            print(f"[{type(self).__name__}] {message}", file=sys.stderr, flush=True)

    def _store(self, data, fit, standards, units):
        """Keep the vectors, the posterior and the units, nothing else."""
        process = fit.process
        self._standards, self._units = standards, units
        self._posteriors, self._likelihood = fit.posteriors, fit.likelihood
        self._feature_variances = weighted_variances(data.X, data.weights)
        self._describe(process, fit.likelihood)
        self.relevance_ = data.rows[fit.rows]
        self.relevance_vectors_ = standards[0] + standards[1] * fit.posteriors[0].vectors
        self.log_evidence_ = float(fit.log_evidence - data.weights.sum() * np.log(units[1]))
        self.converged_ = fit.converged
        self.trials_ = np.array([trial.record for trial in fit.trials], dtype=TRIAL_RECORD)


def _moments(values, weights):
    """Weighted mean and standard deviation; constants have deviation one."""
    centre = np.average(values, axis=0, weights=weights)
    spread = np.sqrt(np.average(np.square(values - centre), axis=0, weights=weights))
    tiny = 10 * np.finfo(float).eps * np.abs(centre)
    return centre, np.where(spread > tiny, spread, 1.0)
