"""Gaussian process classifier carried by few vectors."""

from ..fitting import Limits, Recipe
from ..fitting.fitters import GaussianProcessFitter
from ..inference import ep, laplace
from ..likelihoods import Logit, Probit
from ..validation import check_number, check_option
from .bases.signed_classifier import SignedClassifier


class SparseGPClassifier(SignedClassifier):
    """Gaussian process classifier carried by few training rows, with nothing to tune.

    The latent function f(x) = w_0 + Σ_j w_j y_j k(x, x_j) has the prior covariance s · k(x, x') of a Gaussian
    process. At the mode of its posterior every training row has a weight of the sign of its label, so that
    few rows with positive weights w_j come as near to it as one likes; those are kept that add most to the
    log joint density of labels and weights. The kernel parameter, a scale for every feature and the amplitude
    s maximise the evidence; ``predict_proba`` integrates over the posterior of the weights.

    With more than two classes every class has such an f, and the class of a row is that of the largest f + ε,
    ε ~ N(0, 1). Vectors and weights of all classes are inferred jointly in this multinomial probit model;
    kernel parameter, feature scales and amplitudes maximise the summed evidence of each class against the
    rest.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", or a kernel of `pauca.basis` such as ``RBF() + Linear()``. A callable takes two
        matrices and returns the matrix of kernel values.
    gamma : {"evidence", "scale"} or float, default="evidence"
        Kernel parameter, if there is one. "evidence" maximises the log evidence. "scale" is
        1 / (n_features * X.var()).
    feature_scales : {"evidence"} or None, default="evidence"
        Whether each feature gets a scale of its own in the distances of the "rbf" kernel, with
        ``gamma="evidence"`` and no more features than rows: the scales that maximise the evidence, if they
        raise the log evidence by 0.75 nats each and 10 in all, else none.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    inference : {"laplace", "ep"}, default="laplace"
        How the posterior of the weights is found: "laplace", a Gaussian at its mode, or "ep", a Gaussian with
        the moments that expectation propagation gives it, in two or three times the time. More than two
        classes have expectation propagation in any case, because a Gaussian at the mode of many classes is
        far too wide.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios count.
    min_gain : float, default=0.1
        Increase of the log joint density of labels and weights, in nats, below which a vector is dropped;
        larger values give smaller machines. A vector enters at twice this increase, and with more than two
        classes both thresholds are a quarter of that for each class.
    max_iter : int, default=500
        Limit on the number of rounds.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become relevance vectors; None: all of them.
        Memory grows as n_samples * max_candidates.
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
        Posterior means of the weights with their signs: positive for the class of the machine (binary:
        the second class), negative for the others. One machine for two classes, else one for each class.
    intercept_ : ndarray of shape (n_machines,)
        Constant terms.
    gamma_ : float
        Kernel parameter used.
    feature_scales_ : ndarray of shape (n_features,)
        What the features are multiplied by in the kernel, with mean square one: large for those that matter.
        All are one unless scales of their own were worth it.
    log_evidence_ : float
        Log evidence of the vectors that are kept, summed over classes.
    path_ : structured ndarray
        One record a round: machine (0 where classes are learned together), log_evidence, n_terms (weights of
        all classes that are learned together), n_added, n_removed; except for "laplace" also loo_error,
        loo_probability, loo_log_density, leave-one-out estimates as means over rows.
    trials_ : structured ndarray
        One record for each gamma tried: gamma, score, log_evidence, n_terms, scaled (whether the features had
        scales). The evidence is that of all vectors, and n_terms the number of principal columns that stand
        for them, before any vector is chosen.
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the search ended before ``max_iter``.
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
        kernel="rbf",
        gamma="evidence",
        *,
        feature_scales="evidence",
        degree=3,
        coef0=1.0,
        inference="laplace",
        class_weight=None,
        min_gain=0.1,
        max_iter=500,
        max_candidates=500,
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
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self):
        super()._check_arguments()
        check_number("min_gain", self.min_gain, 0)
        check_option("inference", self.inference, ("laplace", "ep"))

    def _limits(self):
        return Limits(self.min_gain, max_iter=self.max_iter, max_candidates=self.max_candidates)

    def _fitter(self, problem):
        return GaussianProcessFitter(problem)

    def _recipe(self):
        if self.inference == "ep":
            return Recipe(Probit(), ep, signed=True, joint=True, records_loo=True)
        return Recipe(Logit.like_probit(), laplace, signed=True, joint=True)

    def _complaint(self):
        return f"did not converge in {self.max_iter} rounds; raise max_iter or min_gain."
