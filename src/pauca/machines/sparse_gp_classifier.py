"""Sparse Gaussian process classification."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy import sparse

from ..basis import KERNELS, GivenRows, Kernel, Linear, as_kernel, is_precomputed, scale_gamma
from ..fitting import Limits, TrainingRows
from ..fitting.processes import ProcessProblem
from ..fitting.processes.process import squared_lengths
from ..numerics import steady_average
from ..reporting import tell
from ..validation import check_gamma, check_number, check_option, check_share
from .in_blocks import FEW_VECTORS, BlockClassifier
from .in_blocks.progress import Callback
from .processes.classifier import REACH, ProcessClassifier
from .processes.uncertainty import weighted_variances

# Kernels that "auto" compares.
_AUTO = ("rbf", "matern32", "laplacian")
# Prior variance of the constant to start from; set by hand.
_CONSTANT_VARIANCE = 0.5


class SparseGPClassifier(BlockClassifier, ProcessClassifier):
    """Gaussian process classifier carried by few training rows, with nothing to tune.

    P(y = 1 | x) = Ψ(f(x)), f = constant + a Gaussian process. Kernel, amplitude and a scale for every feature
    maximise the evidence; the few vectors that raise a lower bound on it most carry the posterior, and the
    variance that they leave stays part of the model. ``predict_proba`` integrates over f. Far from all data
    probabilities return to the base rates of the classes.

    With more than two classes every class has a latent function, and the class of a row is that of the
    largest f + ε, ε ~ N(0, 1). All classes share kernel, scales, amplitude and vectors, and are inferred
    jointly in this multinomial probit model. Deviations of the latent means from those of the base rates
    are multiplied by the factor that makes each label most probable given all others, if gamma is by evidence
    and rows have no copies.

    Rows that are repeated with the same label count once in the choice of kernel, scales and amplitude, where
    a copy says nothing new.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="auto"
        "auto" takes the one of "rbf", "matern32" and "laplacian" with the largest evidence. Or "rbf",
        "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine", "precomputed",
        a kernel of `pauca.basis` such as ``RBF() + Linear()``, or a function of two matrices that returns the
        matrix of kernel values.
    gamma : {"evidence", "scale"} or float, default="evidence"
        Kernel parameter, for kernels that have one. "evidence" maximises the log evidence, "scale" is 1 /
        (n_features * X.var()).
    feature_scales : {"evidence"} or None, default="evidence"
        "evidence" standardises the features (those of tables with more features than rows stay as they are)
        and learns a scale for each in the distances of a stationary kernel, if ``gamma="evidence"``. The
        scales are kept if they raise the log evidence by at least 0.75 nats for each feature and 3 nats in
        all. Of more than 60 features those that matter are searched for, too, by score tests; they alone are
        kept if the evidence pays for their choice, and the scales of all others are zero. None: distances
        are those of the features as they are.
    trend : {"evidence"} or bool, default=False
        Whether there is a linear trend beside the kernel, which ends at twice the distance of the outermost
        row. "evidence": each kernel of "auto" is tried with and without one, and the larger evidence decides.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    inference : {"ep", "laplace"}, default="ep"
        Approximation of the posterior: "ep", a Gaussian with the moments of expectation propagation, or
        "laplace", a Gaussian at the mode, which is too cautious where classes separate. With more than two
        classes it is by expectation propagation in both cases.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios matter.
    max_vectors : int, float or None, default=None
        Largest number of vectors, or their share of the distinct training rows if it is a float below one.
        None: 200; of rows in blocks as many as new rows gain by, while a fit takes minutes.
    min_gain : float, default=0.1
        Rise of the lower bound on the log evidence, in nats, below which no vector is added; larger values
        give fewer vectors. With more than two classes the gain is summed over classes, and the threshold is
        2.5 times this value.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become relevance vectors, of tables with columns by
        kind three times as many; None: all of them. Memory grows as n_samples * max_candidates.
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
        columns. "evidence": for tables with categories, dates or missing entries and two classes, if the
        evidence rises; True: for tables of numbers, which have `effects` then, and for more classes, too.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the draws of candidates and rows.
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
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    relevance_ : ndarray of shape (n_relevance_vectors,)
        Indices of the training rows that are kept.
    relevance_vectors_ : ndarray or sparse matrix of shape (n_relevance_vectors, n_features)
        Training rows that are kept; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_latent, n_relevance_vectors)
        Weights of the kernel columns in the latent means. ``n_latent`` is 1 for two classes, else n_classes.
    intercept_ : ndarray of shape (n_latent,)
        Constant terms of the latent means.
    coef_ : ndarray of shape (n_latent, n_features)
        Weights of the features; for ``kernel="linear"`` only.
    kernel_ : Kernel
        Kernel with its gamma, of standardised features times ``feature_scales_``.
    gamma_ : float
        Kernel parameter in use.
    feature_scales_ : ndarray of shape (n_features,)
        Factors of the standardised features in the kernel; all are one where no scales were kept. Missing
        for ``feature_scales=None``.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the mean squared distance between training rows as the kernel sees them:
        squared scale times variance of the feature, divided by the sum over features. Missing for
        ``kernel="precomputed"``.
    log_evidence_ : float
        Log evidence of the hyperparameters: of at most 2000 rows, or 400 if there are more than two classes.
    trials_ : structured ndarray
        One record for each trial of hyperparameters: kernel, gamma, trend, scaled (whether features
        had scales), score (penalised log evidence of the rows that it saw), log_evidence.
    converged_ : bool
        Whether no vector was left to add at ``max_vectors``, and inference converged.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, if they were all strings.

    References
    ----------
    Rasmussen & Williams, "Gaussian processes for machine learning", MIT Press (2006), chapters 3 and 8;
    Naish-Guzman & Holden, "The generalized FITC approximation", NIPS 20 (2007).

    Examples
    --------
    >>> from pauca import SparseGPClassifier
    >>> from pauca.datasets import make_ripley
    >>> X, y = make_ripley(250, random_state=0)
    >>> machine = SparseGPClassifier().fit(X, y)
    >>> machine.score(X, y) > 0.85, len(machine.relevance_) < 50
    (True, True)
    >>> bool(abs(machine.predict_proba([[1000.0, 0.0]])[0, 1] - y.mean()) < 0.01)
    True
    """

    def __init__(
        self,
        kernel: str | Kernel | Callable = "auto",
        gamma: str | float = "evidence",
        *,
        feature_scales: str | None = "evidence",
        trend: str | bool = False,
        degree: float = 3,
        coef0: float = 1.0,
        inference: str = "ep",
        class_weight: dict | str | None = None,
        max_vectors: int | float | None = None,
        min_gain: float = 0.1,
        max_candidates: int | None = 500,
        categorical_features: Any = "from_dtype",
        transforms: str = "auto",
        additive: str | bool = "evidence",
        random_state: int | RandomState | None = 0,
        memory_limit: float = 2**30,
        callback: Callback | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.feature_scales = feature_scales
        self.trend = trend
        self.degree = degree
        self.coef0 = coef0
        self.inference = inference
        self.class_weight = class_weight
        self.max_vectors = max_vectors
        self.min_gain = min_gain
        self.max_candidates = max_candidates
        self.categorical_features = categorical_features
        self.transforms = transforms
        self.additive = additive
        self.random_state = random_state
        self.memory_limit = memory_limit
        self.callback = callback
        self.verbose = verbose

    def _check_arguments(self) -> None:
        if isinstance(self.kernel, str):
            check_option("kernel", self.kernel, ("auto", *KERNELS))
        self._kernels()
        check_number("degree", self.degree, 0, strict=True)
        check_number("coef0", self.coef0, -np.inf)
        check_gamma(self.gamma, ("evidence", "scale"))
        if self.feature_scales is not None:
            check_option("feature_scales", self.feature_scales, ("evidence",))
        if not isinstance(self.trend, bool | np.bool_):
            check_option("trend", self.trend, ("evidence",))
        if self.trend is not False and is_precomputed(self.kernel):
            raise ValueError("trend needs features; for kernel='precomputed' leave it False.")
        check_option("inference", self.inference, ("laplace", "ep"))
        if isinstance(self.max_vectors, Real) and not isinstance(self.max_vectors, Integral):
            check_share("max_vectors", self.max_vectors)
        else:
            check_number("max_vectors", self.max_vectors, 1, kind=Integral, optional=True)
        check_number("min_gain", self.min_gain, 0)
        check_number("max_candidates", self.max_candidates, 1, kind=Integral, optional=True)

    def _kernels(self) -> list[Kernel]:
        names = _AUTO if isinstance(self.kernel, str) and self.kernel == "auto" else (self.kernel,)
        return [as_kernel(name, degree=self.degree, coef0=self.coef0) for name in names]

    def _learns_scales(self) -> bool:
        """Whether features have scales of their own: those of stationary kernels with gamma by evidence."""
        stationary = all(kernel.is_stationary for kernel in self._kernels())
        return self.gamma == self.feature_scales == "evidence" and stationary

    def _standards_of(self, X: Any, weights: NDArray) -> tuple[Any, Any]:
        stationary = all(kernel.is_stationary for kernel in self._kernels())
        centred = stationary and not sparse.issparse(X)
        centre = steady_average(X, weights) if centred else np.zeros(X.shape[1])
        # Of more features than rows few may have scales; the others tell how much they matter by their size.
        if not self._learns_scales() or X.shape[1] > X.shape[0]:
            return centre, np.ones(X.shape[1])
        spread = np.sqrt(weighted_variances(X, weights))
        tiny = 10 * np.finfo(float).eps * np.abs(centre)
        return centre, np.where(spread > tiny, spread, 1.0)

    def _problem(self, data: TrainingRows, likelihood: Any) -> ProcessProblem:
        kernels, lengths = self._kernels(), squared_lengths(data.X)
        if is_precomputed(self.kernel):
            diagonal = GivenRows().diagonal(data.X)
            kernels, lengths = [GivenRows(float(diagonal.mean()))], np.zeros(1)
        if self.gamma != "evidence":
            gamma = scale_gamma(data.X) if isinstance(self.gamma, str) else float(self.gamma)
            kernels = [kernel.with_gamma(gamma) for kernel in kernels]
        largest = float(np.sqrt(lengths.max(initial=0.0)))
        known = FEW_VECTORS if self.max_vectors is None else self.max_vectors
        most = int(known) if isinstance(known, Integral) else max(1, int(known * len(data.centres)))
        return ProcessProblem(
            data,
            likelihood,
            kernels,
            Limits(self.min_gain, max_iter=most, max_candidates=self.max_candidates),
            trends=(True, False) if isinstance(self.trend, str) else (bool(self.trend),),
            learns_scales=self._learns_scales() and not is_precomputed(self.kernel),
            learns_kernel=self.gamma == "evidence",
            constant_variance=_CONSTANT_VARIANCE,
            learns_constant=True,
            reach=REACH * largest if largest > 0 else np.inf,
            by_ep=self.inference == "ep",
            seed=self._seed(),
            report=self._report,
        )

    def _report(self, trial):
        scaled = "" if trial.process.scales is None else " and scales"
        kernel = trial.process.kernel.name
        tell(f"{kernel}, gamma {trial.gamma:.4g}{scaled}: log evidence {trial.log_evidence:.2f}")

    def _store(self, data, fit, vectors):
        super()._store(data, fit, vectors)
        if self.feature_scales is not None:
            factors = fit.process.factors
            self.feature_scales_ = np.ones(data.X.shape[1]) if factors is None else factors

    @property
    def coef_(self) -> NDArray:
        """Weights of the features (``kernel="linear"`` only), shape (n_latent, n_features)."""
        if self.kernel not in ("linear", Linear()):
            raise AttributeError("coef_ exists for kernel='linear' only.")
        return np.asarray(self.dual_coef_ @ self.relevance_vectors_)
