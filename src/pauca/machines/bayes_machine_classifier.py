"""Gaussian process classification with label noise, on all training rows."""

from collections.abc import Callable

from numpy.random import RandomState
from numpy.typing import ArrayLike

from ..basis import Kernel
from ..fitting.fitters import AllRows
from .bases.label_noise_classifier import LabelNoiseClassifier


class BayesMachineClassifier(LabelNoiseClassifier):
    """Gaussian process classifier that learns the share of wrong labels, and which labels are wrong.

    The class is the sign of a Gaussian process; a label is wrong with an unknown probability ε, which has a
    Beta posterior. An error costs the same however far its row is from the boundary, so that few wrong labels
    do not bend it. One fit gives the boundary, the noise and the probability that each training label is
    wrong (``flip_probability_``), a ranking for cleaning data. The kernel parameter is chosen by the
    evidence. All rows are kept and time grows with the cube of their number; for thousands of rows use
    :class:`SparseBayesMachineClassifier`.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        Kernel: "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", a kernel of `pauca.basis` such as ``RBF() + Linear()``, or a function of two matrices
        that returns the matrix of kernel values. The model has no intercept: the constant of the "linear" and
        "poly" kernels, ``coef0``, takes its place.
    gamma : {"evidence", "posterior", "scale"}, float or array-like of float, default="evidence"
        Kernel parameter, for kernels that have one. "evidence" maximises the log evidence of at most 200
        rows, drawn at random; an array-like gives the values to compare. "posterior" averages predictions
        over values of gamma with the probabilities that the evidence of all rows gives them, under a prior
        that is uniform in log gamma; it fits 5 to 15 machines. "scale" is 1 / (n_features * X.var()).
    noise_prior : tuple (float, float), default=(1, 10)
        Parameters (a, b) of the Beta prior of the share of wrong labels, a < b.
    noise : float or None, default=None
        Known share of wrong labels, below 0.5; 0 trusts all labels. None: the share is learned.
    confusion : bool, default=False
        Whether all classes are one model in which the label of a row depends on its true class by an unknown
        matrix, ``confusion_``; ``noise_prior`` is that of each of its rows. False: a label is wrong with one
        probability, or with more than two classes with one for each class against the rest.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios matter.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" and "linear" kernels.
    tol : float, default=0.001
        Largest change of a site, in posterior standard deviations, at which expectation propagation ends.
    max_iter : int, default=150
        Limit on the number of sweeps in each mode of expectation propagation; 50 times as many in the double
        loop, whose sweeps are parts of a descent.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the draw of rows for the choice of gamma.
    verbose : int, default=0
        0 is silent; 1 shows a bar and what was chosen; 2 prints each trial, on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    noise_ : float or ndarray of shape (n_classes,)
        Posterior mean of the share of wrong labels; one for each class if there are more than two.
    noise_posterior_ : tuple (float, float) or ndarray of shape (n_classes, 2)
        Parameters (a, b) of the Beta posterior of that share.
    flip_probability_ : ndarray of shape (n_samples,)
        Probability that the label of each training row is wrong.
    log_evidence_ : float
        Log evidence, summed over latent functions.
    gamma_ : float
        Kernel parameter in use.
    trials_ : structured ndarray
        One record for each gamma that was tried: gamma, log_evidence (-inf if expectation propagation did not
        converge), settled (whether it did).
    confusion_ : ndarray of shape (n_classes, n_classes)
        Posterior mean of the probability of each label (columns) for each true class (rows); only with
        ``confusion=True``.
    true_class_probability_ : ndarray of shape (n_samples, n_classes)
        Probability of each true class of the training rows, given their labels, too; only with
        ``confusion=True``.
    gamma_posterior_ : structured ndarray
        Records of gamma, log_evidence and probability; only with ``gamma="posterior"``.
    ep_mode_ : {"sequential", "damped", "double-loop", "power", "half-power", "joint"}
        Mode of expectation propagation: the first that converged, "joint" with ``confusion=True``.
        "double-loop" descends the free energy and nearly always settles; "power" and "half-power" are
        approximations that are more stable.
    n_negative_sites_ : int
        Number of sites with negative precision, those of rows that contradict the others.
    converged_ : bool
        Whether expectation propagation converged and some training rows are on either side of the boundary.
    n_iter_ : int
        Number of sweeps of expectation propagation in the last mode.
    relevance_ : ndarray of shape (n_relevance_vectors,)
        Indices of the distinct training rows, the first of equal ones.
    relevance_vectors_ : ndarray or sparse matrix of shape (n_relevance_vectors, n_features)
        Training rows at those indices; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_latent, n_relevance_vectors)
        Weights of the kernel columns in the mean of the Gaussian process. ``n_latent`` is 1 for two classes,
        else n_classes.
    intercept_ : ndarray of shape (n_latent,)
        Zeros: the kernel has the constant.
    coef_ : ndarray of shape (n_latent, n_features)
        Weights of the features; for ``kernel="linear"`` only.
    expansions_ : list of length n_latent
        Posterior of the weights of each latent function.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, if they were all strings.

    References
    ----------
    D. Hernández-Lobato, "Prediction based on averages over automatically induced learners", PhD thesis,
    Universidad Autónoma de Madrid (2009), section 6.2.

    Examples
    --------
    >>> from pauca import BayesMachineClassifier
    >>> from pauca.datasets import make_circle
    >>> X, y = make_circle(200, label_noise=0.1, random_state=0)
    >>> machine = BayesMachineClassifier().fit(X, y)
    >>> bool(0.05 < machine.noise_ < 0.15)
    True
    >>> _, truth = make_circle(200, random_state=0)
    >>> suspicious = machine.flip_probability_ > 0.5
    >>> bool((suspicious == (y != truth)).mean() > 0.95)
    True
    """

    def __init__(
        self,
        kernel: str | Kernel | Callable = "rbf",
        gamma: str | float | ArrayLike = "evidence",
        *,
        noise_prior: tuple[float, float] = (1, 10),
        noise: float | None = None,
        confusion: bool = False,
        class_weight: dict | str | None = None,
        degree: float = 3,
        coef0: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 150,
        random_state: int | RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.noise_prior = noise_prior
        self.noise = noise
        self.confusion = confusion
        self.class_weight = class_weight
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _row_fitter(self, n_rows: int) -> AllRows:
        return AllRows(self.tol, self.max_iter)
