"""Relevance vector machine for classification."""

from ..fitting import Limits, Recipe
from ..inference import ep, laplace, variational
from ..likelihoods import Logit, Probit
from ..validation import check_number, check_option
from .bases.kernel_classifier import SHRINKAGE_NATS, VectorClassifier
from .bases.variational import VariationalAttributes, check_variational_arguments, variational_recipe


class RVMClassifier(VariationalAttributes, VectorClassifier):
    """Sparse Bayesian kernel classifier with native probabilities.

    A logistic model f(x) = w_0 + Σ_j w_j k(x, x_j) whose weights have a Gaussian prior of their own
    precision each. Maximising the evidence leaves a handful of training rows, the relevance vectors, and
    a posterior over their weights, which ``predict_proba`` integrates over. No cross-validation is needed:
    the kernel parameter is learned with the rest.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", or a kernel of `pauca.basis` such as ``RBF() + Linear()``. A callable takes two
        matrices and returns the matrix of kernel values.
    gamma : {"evidence", "loo", "cv", "scale"} or float, default="evidence"
        Kernel parameter, if there is one. "evidence" maximises the log evidence less the
        price of choosing the columns, "loo" the leave-one-out log density (each row without the column
        centred on it), "cv" the log density of five held-out folds. "scale" is
        1 / (n_features * X.var()).
    feature_scales : {"evidence"} or None, default="evidence"
        Whether each feature gets a scale of its own in the distances of the "rbf" kernel, with
        ``gamma="evidence"`` and no more features than rows: the scales that maximise the evidence, if they
        are worth 1.5 nats each and 10 in all, else none.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    inference : {"laplace", "ep", "variational"}, default="laplace"
        How the posterior of the weights is approximated. "laplace": a Gaussian at its mode, precisions
        that maximise the evidence. "ep": a Gaussian with its moments, probit in place of logistic
        likelihood. "variational": a Gaussian and Gamma posteriors of the precisions that
        maximise a lower bound on the evidence, searched from the columns that "laplace" finds;
        probabilities use the curvature of the likelihood at the means, less sure than the bound.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios count.
    min_gain : float, default=0.01
        What a column must be worth, in nats of log evidence, to enter and to stay.
    tol : float, default=0.001
        The search ends when a round that only re-estimates raises the log evidence by less.
    max_iter : int, default=500
        Limit on the number of rounds.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become relevance vectors; None: all of them.
        Memory grows as n_samples * max_candidates.
    hyperprior : (float, float), default=(1e-6, 1e-6)
        Shape and rate of the Gamma prior of the precisions of the weights; variational inference only.
        Weights are those of columns with variance one and, in regression, of targets with variance one.
    threshold : float, default=0.001
        Columns whose mean weight, in the same units, is smaller are not relevant; variational inference
        only.
    random_state : int, RandomState instance or None, default=0
        Source of the random start and of the draw of candidates.
    verbose : bool, default=False
        Report each value of gamma that is tried.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    relevance_ : ndarray of shape (n_relevance_vectors,)
        Rows of the training data that are kept.
    relevance_vectors_ : ndarray of shape (n_relevance_vectors, n_features)
        Those rows.
    dual_coef_ : ndarray of shape (n_machines, n_relevance_vectors)
        Posterior means of the weights; one machine for two classes, else one for each class.
    intercept_ : ndarray of shape (n_machines,)
        Posterior means of the constant terms.
    coef_ : ndarray of shape (n_machines, n_features)
        Weights of the features, for the linear kernel.
    gamma_ : float
        Kernel parameter in use.
    feature_scales_ : ndarray of shape (n_features,)
        What the features are multiplied by in the kernel, with mean square one: large for those that matter.
        All are one unless scales of their own were worth it.
    log_evidence_ : float
        Log evidence of the vectors that are kept, at its maximum, summed over machines. Predictions are made
        with larger precisions of the weights, at a loss of 0.4 nats a vector (and a learned scale), more
        where classes separate: vectors picked among many because they fit best would have weights that are
        too large. For variational inference the lower bound, and nothing is changed.
    lower_bound_ : float
        The same number, for variational inference only.
    alpha_posterior_ : Gamma
        Posteriors of the precisions of ``dual_coef_``, for variational inference only: ``shape`` and
        ``rate`` are arrays of its shape (nan: a vector that the machine of this row does not use).
    path_ : structured ndarray
        One record a round: machine, log_evidence, n_terms, n_added, n_removed; for "ep" also loo_error,
        loo_probability, loo_log_density, leave-one-out estimates as means over rows. The lower bound of
        variational inference is that of the columns in the model: it never falls from one record to the
        next unless columns were added or removed, which starts the trace of another model.
    trials_ : structured ndarray
        One record for each gamma tried: gamma, score, log_evidence, n_terms, scaled (whether the features had
        scales).
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the search ended before ``max_iter``.

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
        kernel="rbf",
        gamma="evidence",
        *,
        feature_scales="evidence",
        degree=3,
        coef0=1.0,
        inference="laplace",
        class_weight=None,
        min_gain=1e-2,
        tol=1e-3,
        max_iter=500,
        max_candidates=500,
        hyperprior=(1e-6, 1e-6),
        threshold=1e-3,
        random_state=0,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.feature_scales = feature_scales
        self.degree = degree
        self.coef0 = coef0
        self.inference = inference
        self.class_weight = class_weight
        self.min_gain = min_gain
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.hyperprior = hyperprior
        self.threshold = threshold
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self):
        super()._check_arguments()
        check_number("min_gain", self.min_gain, 0)
        check_number("tol", self.tol, 0)
        check_variational_arguments(self)
        check_option("inference", self.inference, ("laplace", "ep", "variational"))

    def _recipe(self):
        if self.inference == "variational":
            return variational_recipe(self, Logit(), variational, warm_start_engine=laplace)
        if self.inference == "ep":
            return Recipe(Probit(), ep, shrinkage_nats=SHRINKAGE_NATS, records_loo=True)
        return Recipe(Logit(), laplace, shrinkage_nats=SHRINKAGE_NATS)

    def _limits(self):
        min_weight = self.threshold if self.inference == "variational" else None
        options = {"max_candidates": self.max_candidates, "min_weight": min_weight}
        return Limits(self.min_gain, self.tol, self.max_iter, **options)
