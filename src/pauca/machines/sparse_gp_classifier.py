"""Sparse Gaussian process classification."""

from collections.abc import Callable

from numpy.random import RandomState

from ..basis import Kernel
from ..fitting import FitProblem, Limits, Recipe
from ..fitting.fitters import GaussianProcessFitter
from ..inference import ep, laplace
from ..likelihoods import Logit, Probit
from ..validation import check_number, check_option
from .bases.process_uncertainty import ProcessClassifier, weighted_variances
from .bases.signed_classifier import SignedClassifier


class SparseGPClassifier(ProcessClassifier, SignedClassifier):
    """Gaussian process classifier that keeps few training rows and needs no tuning.

    The latent function f(x) = w_0 + Σ_j w_j y_j k(x, x_j) has the prior covariance s · k(x, x') of a Gaussian
    process. At the mode of the posterior every training row has a weight with the sign of its label, and few
    rows with weights w_j > 0 approximate it closely: the rows are selected by how much they add to the log
    joint density of labels and weights. Kernel parameter, feature scales and amplitude s maximise the
    evidence; ``predict_proba`` integrates over the posterior of the weights.

    With more than two classes every class has a latent function, and the class of a row is that of the
    largest f + ε, ε ~ N(0, 1). Vectors and weights of all classes are inferred jointly in this multinomial
    probit model; kernel parameter, feature scales and amplitudes maximise the summed evidence of each class
    against the rest.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        Kernel: "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", a kernel of `pauca.basis` such as ``RBF() + Linear()``, or a function of two matrices
        that returns the matrix of kernel values.
    gamma : {"evidence", "scale"} or float, default="evidence"
        Kernel parameter, for kernels that have one. "evidence" maximises the log evidence, "scale" is 1 /
        (n_features * X.var()). With more than 4000 rows the search uses 4000 of them, drawn at random.
    feature_scales : {"evidence"} or None, default="evidence"
        "evidence" learns a scale for every feature in the distances of the "rbf" kernel, if
        ``gamma="evidence"`` and there are no more features than rows. The scales are kept if they raise the
        log evidence by at least 0.75 nats for each feature and 10 nats in all, times the square root of
        n_classes if there are more than two classes. None: no scales.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    inference : {"laplace", "ep"}, default="laplace"
        Approximation of the posterior of the weights: "laplace", a Gaussian at the mode, or "ep", a Gaussian
        with the moments of expectation propagation, in two to three times the time. With more than two
        classes the final posterior is by expectation propagation in both cases, because a Gaussian at the
        mode of many classes is far too wide.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios matter.
    min_gain : float, default=0.1
        Increase of the log joint density of labels and weights, in nats, below which a vector is dropped;
        larger values give fewer vectors. A vector enters at twice this increase. With more than two classes
        both thresholds are a quarter of this for each class.
    max_iter : int, default=500
        Limit on the number of rounds.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become relevance vectors; None: all of them. Memory
        grows as n_samples * max_candidates.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the random start and of the draws of candidates and rows.
    verbose : bool, default=False
        Whether to report each value of gamma that is tried on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    relevance_ : ndarray of shape (n_relevance_vectors,)
        Indices of the training rows that are kept.
    relevance_vectors_ : ndarray or sparse matrix of shape (n_relevance_vectors, n_features)
        Training rows that are kept; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_latent, n_relevance_vectors)
        Weights of the kernel columns, as posterior means: positive for vectors of the class (two classes: of
        the second class), else negative. ``n_latent`` is 1 for two classes, else n_classes.
    intercept_ : ndarray of shape (n_latent,)
        Posterior means of the constant terms.
    coef_ : ndarray of shape (n_latent, n_features)
        Weights of the features; for ``kernel="linear"`` only.
    gamma_ : float
        Kernel parameter in use.
    feature_scales_ : ndarray of shape (n_features,)
        Factors of the features in the kernel, with mean square one; all are one where no scales were kept.
        Missing for ``feature_scales=None``.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the mean squared distance between training rows as the kernel sees them:
        squared scale times variance of the feature, divided by the sum over features. Missing for
        ``kernel="precomputed"``.
    log_evidence_ : float
        Log evidence of the vectors that are kept, summed over classes.
    path_ : structured ndarray
        One record for each round: machine (0), log_evidence, n_terms (weights of all classes), n_added,
        n_removed; for ``inference="ep"`` also loo_error, loo_probability and loo_log_density, leave-one-out
        estimates as means over rows.
    trials_ : structured ndarray
        One record for each gamma that was tried: gamma, score, log_evidence, n_terms and scaled (whether the
        features had scales). Before vectors are selected the evidence is that of all rows, and n_terms the
        number of principal columns that approximate the kernel matrix.
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the search ended before ``max_iter``.
    expansions_ : list of length n_latent
        Posterior of the weights of each latent function.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, if they were all strings.

    References
    ----------
    Rasmussen & Williams, "Gaussian processes for machine learning", MIT Press (2006), chapters 3 and 8.

    Examples
    --------
    >>> from pauca import SparseGPClassifier
    >>> from pauca.datasets import make_ripley
    >>> X, y = make_ripley(250, random_state=0)
    >>> machine = SparseGPClassifier().fit(X, y)
    >>> labels = machine.classes_[(machine.dual_coef_[0] > 0).astype(int)]
    >>> bool((labels == y[machine.relevance_]).all())
    True
    """

    _gamma_rules = ("evidence", "scale")

    def __init__(
        self,
        kernel: str | Kernel | Callable = "rbf",
        gamma: str | float = "evidence",
        *,
        feature_scales: str | None = "evidence",
        degree: float = 3,
        coef0: float = 1.0,
        inference: str = "laplace",
        class_weight: dict | str | None = None,
        min_gain: float = 0.1,
        max_iter: int = 500,
        max_candidates: int | None = 500,
        random_state: int | RandomState | None = 0,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.feature_scales = feature_scales
        self.degree = degree
        self.coef0 = coef0
        self.inference = inference
        self.class_weight = class_weight
        self.min_gain = min_gain
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self) -> None:
        super()._check_arguments()
        check_number("min_gain", self.min_gain, 0)
        check_option("inference", self.inference, ("laplace", "ep"))

    def _limits(self) -> Limits:
        return Limits(self.min_gain, max_iter=self.max_iter, max_candidates=self.max_candidates)

    def _fitter(self, problem: FitProblem) -> GaussianProcessFitter:
        return GaussianProcessFitter(problem)

    def _recipe(self) -> Recipe:
        if self.inference == "ep":
            return Recipe(Probit(), ep, signed=True, joint=True, records_loo=True)
        return Recipe(Logit.like_probit(), laplace, signed=True, joint=True)

    def _store(self, data, trial, basis, targets, recipe):
        super()._store(data, trial, basis, targets, recipe)
        self._amplitudes = trial.amplitudes.values
        self._feature_variances = weighted_variances(data.X, data.weights)

    def _complaint(self) -> str:
        return f"did not converge in {self.max_iter} rounds; raise max_iter or min_gain."
