"""Gaussian-process regression carried by few vectors."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from ..atomic_fit import atomic
from ..basis import Kernel
from ..config import LinksToSite
from ..fitting import training_rows
from ..fitting.processes import fit_process
from ..numerics import threads_for
from ..validation import check_case_weights, check_option, check_seed, check_size
from .bases.process_predictions import ProcessPredictions
from .in_blocks import BlockRegressor, comes_in_blocks, is_streamed
from .in_blocks.progress import Callback
from .on_tables import entries_of
from .processes.observations import KINDS, check_exposure, observed_counts
from .processes.settings import ProcessSettings, moments
from .processes.targets import ManyTargets


class SparseGPRegressor(
    LinksToSite,
    ManyTargets,
    ProcessSettings,
    BlockRegressor,
    ProcessPredictions,
    RegressorMixin,
    BaseEstimator,
):
    """Gaussian-process regression carried by few training rows, with nothing to tune.

    y = constant + linear trend + f(x) + noise, f a Gaussian process. Kernel, amplitude, noise, a scale for
    every feature and whether there is a trend maximise the evidence; the few vectors that raise a lower
    bound on it most carry the posterior. Far from all data predictions return to the constant (or the
    trend) and their standard deviation to that of the prior. Counts have such a function as the logarithm
    of their rate.

    Parameters
    ----------
    kernel : {"auto", "rbf", "matern32", "matern52", ...}, Kernel or callable, default="auto"
        Kernel of standardised features. "auto" takes the one of "rbf", "matern52" and "matern32" with the
        largest evidence. A callable takes two matrices and returns the matrix of kernel values.
    likelihood : {"gaussian", "student_t", "poisson", "negative_binomial"}, default="gaussian"
        Distribution of y given the function. "student_t" is noise with outliers, its degrees of freedom and
        scale learned; "poisson" and "negative_binomial" (dispersion learned) are counts of mean exposure ·
        exp(function).
    trend : {"evidence"} or bool, default="evidence"
        Whether there is a linear trend; "evidence": if the evidence is larger with it. The trend of a log
        rate ends at twice the distance of the outermost row.
    feature_scales : {"evidence"} or None, default="evidence"
        Whether each feature gets a scale of its own in the kernel: the scales that maximise the evidence,
        if they raise it by 0.75 nats each and 3 in all, else none. Of more than 60 features those that
        matter are searched for, too, by score tests; they alone are kept if the evidence pays for their
        choice, and the scales of all others are zero.
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
    categorical_features : {"from_dtype"}, mask, indices, names or None, default="from_dtype"
        Columns that are categories. "from_dtype": columns of text, truth values and categories of a frame.
        None: all columns are numbers.
    transforms : {"auto", "evidence", "plain", "ranks"}, default="auto"
        Monotone transform of numbers. "evidence": by ranks to near-normal values for each column where that
        raises the evidence of its effect, so that heavy tails do not matter. "auto" does so for frames, and
        for arrays with missing entries or categories; a frame of numbers only then is a table, too, with
        ``columns_`` and `effects`. "ranks": all columns by ranks; "plain": none.
    additive : {"evidence"} or bool, default="evidence"
        Whether main effects and pairs of columns may have kernels of their own, alone or beside one of all
        columns. "evidence": for tables with categories, dates or missing entries, if the evidence rises;
        True: for tables of numbers, too, which have `effects` then.
    warm_start : bool, default=False
        Whether a further call of ``fit`` starts from the kernel, scales, amplitude and noise of the last one
        instead of searching for them; vectors are selected anew. Tables are searched each time. For more
        rows of the same kind see `update`.
    random_state : int, RandomState instance or None, default=0
        Source of the draws of rows.
    memory_limit : float, default=2**30
        Bytes that matrices of the vectors may take in fits to tables in blocks, which limits their number;
        a quarter is for columns of rows that are kept from one pass to the next.
    callback : callable or None, default=None
        Called in fits to tables in blocks with the phase ("kernel", "vectors" or "posterior"), the share of
        the fit that is done and a message. If it raises, the fit ends and changes nothing.
    verbose : int, default=0
        0 is silent; 1 shows a bar and what was chosen; 2 prints each trial, on standard error.

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
        Prior standard deviation of f in the units of y, or of log rates.
    targets_ : list of SparseGPRegressor
        Machines of the columns of y, if there are several; all other attributes below are theirs.
    likelihood_ : Likelihood
        Likelihood in the units of y with its learned parameters: ``precision``; ``scale`` and ``freedom``;
        ``dispersion``.
    noise_std_ : float
        Standard deviation of the noise in the units of y; not for counts.
    has_trend_ : bool
        Whether there is a linear trend.
    relevance_ : ndarray of shape (n_vectors,)
        Rows of the training data that are vectors.
    relevance_vectors_ : ndarray of shape (n_vectors, n_features)
        Features of those rows.
    log_evidence_ : float
        Log evidence of the hyperparameters, in the units of y, of at most 400 rows: exact for Gaussian noise,
        else the Laplace approximation; for tables in blocks a lower bound on that of all rows.
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
    Titsias, "Variational learning of inducing variables in sparse Gaussian processes", AISTATS (2009);
    Vanhatalo, Jylanki & Vehtari, "Gaussian process regression with Student-t likelihood", NeurIPS (2009).

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
        likelihood: str = "gaussian",
        trend: str | bool = "evidence",
        feature_scales: str | None = "evidence",
        max_vectors: int | float = 0.1,
        min_gain: float = 0.05,
        max_candidates: int | None = 500,
        degree: float = 3,
        coef0: float = 1.0,
        categorical_features: Any = "from_dtype",
        transforms: str = "auto",
        additive: str | bool = "evidence",
        warm_start: bool = False,
        random_state: Any = 0,
        memory_limit: float = 2**30,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.likelihood = likelihood
        self.trend = trend
        self.feature_scales = feature_scales
        self.max_vectors = max_vectors
        self.min_gain = min_gain
        self.max_candidates = max_candidates
        self.degree = degree
        self.coef0 = coef0
        self.categorical_features = categorical_features
        self.transforms = transforms
        self.additive = additive
        self.warm_start = warm_start
        self.random_state = random_state
        self.memory_limit = memory_limit
        self.callback = callback
        self.verbose = verbose

    @atomic
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, exposure: Any = None) -> Self:
        """Learn the hyperparameters, the vectors and the posterior of their weights.

        Tables that are no arrays in memory, memory maps and arrays of 20,000 rows and more are read in
        blocks: hyperparameters are learned from a random part, vectors double in number while rows that were
        not used gain by it, and the posterior is that of all rows.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features), path or paths, Dask data or RowBlocks
            Training data; paths name Parquet files.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), Dask collection or str
            Targets; for Parquet files the name of their column, for RowBlocks None. Each of several targets
            has a machine of its own in ``targets_``, with its own kernel, noise and vectors.
        sample_weight : array-like of shape (n_samples,), Dask collection or str, default=None
            How many times each row counts; for Parquet files the name of a column.
        exposure : array-like of shape (n_samples,), default=None
            Time, area or number of units in which each count was made, by which rates are multiplied; for
            counts only. None: one for all rows.

        Returns
        -------
        self : SparseGPRegressor
            The fitted machine.
        """
        self._check_arguments()
        check_option("likelihood", self.likelihood, tuple(KINDS))
        if np.asarray(y).ndim == 2 and np.asarray(y).shape[1] > 1:
            return self._fit_targets(X, np.asarray(y), sample_weight=sample_weight, exposure=exposure)
        start, n_before = self._last_trial(), getattr(self, "n_features_in_", None)
        for name in ("_seen", "targets_"):
            self.__dict__.pop(name, None)
        self._columns, is_table = None, self._is_table(X)
        if self.likelihood == "gaussian" and exposure is None and not is_table and comes_in_blocks(X):
            return self._fit_blocks(X, y, sample_weight)
        self._refuse_blocks(X)
        rows, targets = self._checked(X, y, is_table)
        check_size("y", targets)
        weights, kind = check_case_weights(sample_weight, targets), KINDS[self.likelihood]
        exposure = check_exposure(exposure, kind, targets)
        seed = int(check_seed(self.random_state).randint(np.iinfo(np.int32).max))
        units = (0.0, 1.0) if kind.is_count else moments(targets, weights)
        observations = (targets - units[0]) / units[1]
        if kind.is_count:
            observations = observed_counts(targets, exposure)

        def problem_of(placed, places, counts):
            data = training_rows(placed.rows, observations[places], counts)
            options = {"reach": kind.reach(data.X), "groups": placed.groups, "measures": placed.measures}
            return self._process_problem(data, kind.start, seed, **options)

        with threads_for(len(targets) * (self.max_candidates or len(targets))):
            placed = self._place_training(rows, targets, weights, is_table, problem_of)
            problem = problem_of(placed, slice(None), weights)
            if not is_table and problem.data.X.shape[1] == n_before:
                problem = replace(problem, start=start)
            fit = fit_process(problem)
        self._store(problem.data, fit, placed.standards, units)
        self._describe_columns(fit.process, placed)
        if is_table:
            self.relevance_vectors_ = entries_of(rows, self.relevance_)
        self._n_seen = self._n_training_rows = len(targets)
        return self

    def _block_problem(self, data, seed):
        return self._process_problem(data, KINDS[self.likelihood].start, seed)

    def _more_rows(self, X, y, sample_weight):
        if "targets_" in self.__dict__:
            raise ValueError("Several targets take no more rows together; call update of each in targets_.")
        self._refuse_blocks()
        return super()._more_rows(X, y, sample_weight)

    def _refuse_blocks(self, X=None):
        """Raise where a likelihood is not Gaussian and rows come in blocks, or later."""
        if self.likelihood != "gaussian" and (X is None or is_streamed(X)):
            raise ValueError(
                f"Tables in blocks and updates need Gaussian noise; for {self.likelihood!r} pass all "
                "rows at once, as an array."
            )
