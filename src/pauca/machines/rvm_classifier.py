"""Relevance vector machine for classification."""

from collections.abc import Callable

from numpy.random import RandomState

from ..basis import Kernel
from ..fitting import STARTS, Limits, Recipe
from ..inference import ep, laplace, variational
from ..likelihoods import Logit, Probit
from ..validation import check_number, check_option
from .bases.kernel_classifier import SHRINKAGE_NATS, VectorClassifier
from .bases.variational import VariationalAttributes, check_variational_arguments, variational_recipe
from .in_blocks import BlockVectorClassifier


class RVMClassifier(BlockVectorClassifier, VariationalAttributes, VectorClassifier):
    """Relevance vector machine: sparse Bayesian kernel classifier with a precision for every weight.

    A logistic model f(x) = w_0 + Σ_j w_j k(x, x_j) whose weights have Gaussian priors with a precision each.
    Maximising the evidence over the precisions leaves few training rows, the relevance vectors, and a
    posterior over their weights, over which ``predict_proba`` integrates. The kernel parameter is learned by
    the evidence, without cross-validation.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        Kernel: "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", a kernel of `pauca.basis` such as ``RBF() + Linear()``, or a function of two matrices
        that returns the matrix of kernel values.
    gamma : {"evidence", "loo", "cv", "scale"} or float, default="evidence"
        Kernel parameter, for kernels that have one. "evidence" maximises the log evidence less a penalty for
        the choice of the columns, "loo" the leave-one-out log density (each row without the column centred on
        it), "cv" the log density of held-out rows in five folds. "scale" is 1 / (n_features * X.var()). With
        more than 4000 rows the search uses 4000 of them, drawn at random.
    feature_scales : {"evidence"} or None, default="evidence"
        "evidence" learns a scale for every feature in the distances of the "rbf" kernel, if
        ``gamma="evidence"`` and there are no more features than rows. The scales are kept if they raise the
        penalised log evidence by at least 1.5 nats for each feature and 10 nats in all, times the square root
        of n_classes if there are more than two classes. None: no scales.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    inference : {"laplace", "ep", "variational"}, default="laplace"
        Approximation of the posterior of the weights. "laplace": a Gaussian at the mode, and precisions that
        maximise the evidence. "ep": a Gaussian with the moments of expectation propagation, and a probit
        likelihood in place of the logistic one. "variational": a Gaussian, and Gamma posteriors of the
        precisions, that maximise a lower bound on the evidence, starting from the columns of "laplace";
        probabilities use the curvature of the likelihood at the posterior mean, which is less overconfident
        than the bound.
    start : {"random", "empty", "all"}, default="random"
        First model of the search: a few random columns, the constant term alone, or all candidates. With
        "all", variational inference keeps every column whose weight is above ``threshold``, as in the paper.
    shrinkage : bool, default=True
        Whether predictions use larger precisions than the search, as ``log_evidence_`` says, and the constant
        alone where the evidence does not pay for the choice of the vectors, as with labels drawn at random.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios matter.
    min_gain : float, default=0.01
        Increase of the log evidence, in nats, that a column must bring to enter and to stay; larger values
        give fewer columns.
    tol : float, default=0.001
        Increase of the log evidence, in nats, below which a round that only re-estimates ends the search.
    max_iter : int, default=500
        Limit on the number of rounds.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become relevance vectors; None: all of them. Memory
        grows as n_samples * max_candidates.
    hyperprior : tuple (float, float), default=(1e-6, 1e-6)
        Shape and rate of the Gamma prior of the precisions of the weights, for columns of variance one;
        variational inference only.
    threshold : float, default=0.001
        Absolute mean weight, in the units of ``hyperprior``, below which a column is dropped; variational
        inference only.
    fallback : bool, default=False
        Whether probabilities return to the base rates of the classes far from all vectors: beyond the largest
        distance r of a training row from its nearest vector, latent functions shrink by (r / distance)².
        Without it they stay, far away, at the constant term, however sure that is. Not for a precomputed
        kernel.
    extra_basis : bool, default=False
        Whether each row that is predicted gets a basis function of its own (RVM*), whose weight has the
        variance of the latent function: the variance of a prediction then grows away from the training
        rows. The model keeps all of them, and a prediction takes time in proportion to their number.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the random start and of the draws of candidates and rows.
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
        Posterior means of the weights of the kernel columns. ``n_latent`` is 1 for two classes, else
        n_classes.
    intercept_ : ndarray of shape (n_latent,)
        Posterior means of the constant terms.
    coef_ : ndarray of shape (n_latent, n_features)
        Weights of the features; for ``kernel="linear"`` only.
    gamma_ : float
        Kernel parameter in use.
    feature_scales_ : ndarray of shape (n_features,)
        Factors of the features in the kernel, with mean square one; all are one where no scales were kept.
        Missing for ``feature_scales=None``.
    log_evidence_ : float
        Maximum of the log evidence over the precisions of the weights, summed over latent functions.
        Predictions use larger precisions, at a loss of 0.4 nats for each vector and learned scale, more where
        the classes separate, because vectors that are picked among many for their fit have weights that are
        too large. For variational inference: the lower bound, and precisions are not changed.
    lower_bound_ : float
        Lower bound on the log evidence, equal to ``log_evidence_``; variational inference only.
    alpha_posterior_ : Gamma
        Posteriors of the precisions of ``dual_coef_``; ``shape`` and ``rate`` are arrays of its shape, nan
        for vectors that a latent function does not use. Variational inference only.
    path_ : structured ndarray
        One record for each round: machine (index of the latent function), log_evidence, n_terms, n_added,
        n_removed; for "ep" also loo_error, loo_probability and loo_log_density, leave-one-out estimates as
        means over rows. For variational inference log_evidence is the lower bound, which never falls unless
        columns are added or removed.
    trials_ : structured ndarray
        One record for each gamma that was tried: gamma, score, log_evidence, n_terms and scaled (whether the
        features had scales).
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
    Tipping, "Sparse Bayesian learning and the relevance vector machine", JMLR 1 (2001); Tipping & Faul,
    "Fast marginal likelihood maximisation for sparse Bayesian models", AISTATS (2003); Bishop & Tipping,
    "Variational relevance vector machines", UAI (2000).

    Examples
    --------
    >>> from pauca import RVMClassifier
    >>> from pauca.datasets import make_ripley
    >>> X, y = make_ripley(250, random_state=0)
    >>> machine = RVMClassifier().fit(X, y)
    >>> len(machine.relevance_) < 15
    True
    """

    def __init__(
        self,
        kernel: str | Kernel | Callable = "rbf",
        gamma: str | float = "evidence",
        *,
        feature_scales: str | None = "evidence",
        degree: float = 3,
        coef0: float = 1.0,
        inference: str = "laplace",
        start: str = "random",
        shrinkage: bool = True,
        class_weight: dict | str | None = None,
        min_gain: float = 1e-2,
        tol: float = 1e-3,
        max_iter: int = 500,
        max_candidates: int | None = 500,
        hyperprior: tuple[float, float] = (1e-6, 1e-6),
        threshold: float = 1e-3,
        fallback: bool = False,
        extra_basis: bool = False,
        random_state: int | RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.feature_scales = feature_scales
        self.degree = degree
        self.coef0 = coef0
        self.inference = inference
        self.start = start
        self.shrinkage = shrinkage
        self.class_weight = class_weight
        self.min_gain = min_gain
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.hyperprior = hyperprior
        self.threshold = threshold
        self.fallback = fallback
        self.extra_basis = extra_basis
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self) -> None:
        super()._check_arguments()
        check_number("min_gain", self.min_gain, 0)
        check_number("tol", self.tol, 0)
        check_variational_arguments(self)
        check_option("inference", self.inference, ("laplace", "ep", "variational"))
        check_option("start", self.start, tuple(STARTS))

    def _recipe(self) -> Recipe:
        if self.inference == "variational":
            return variational_recipe(self, Logit(), variational, warm_start_engine=laplace)
        by_ep = self.inference == "ep"
        return Recipe(
            Probit() if by_ep else Logit(),
            ep if by_ep else laplace,
            shrinkage_nats=SHRINKAGE_NATS if self.shrinkage else 0.0,
            may_be_null=self.shrinkage,
            records_loo=by_ep,
            initial_columns=STARTS[self.start],
            warm_starts=self.start == "random",
        )

    def _limits(self) -> Limits:
        min_weight = self.threshold if self.inference == "variational" else None
        limits = self.min_gain, self.tol, self.max_iter, self.max_candidates
        return Limits(*limits, min_weight=min_weight)
