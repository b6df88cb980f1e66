"""Bayes machine: a kernel classifier that learns how noisy its labels are."""

from ..fitting.fitters import AllRows
from .bases.label_noise_classifier import LabelNoiseClassifier


class BayesMachineClassifier(LabelNoiseClassifier):
    """Kernel classifier that learns which share of the labels is wrong, and which ones.

    The class is the sign of a Gaussian process; each label is right but for an unknown share ε of them, which
    has a Beta posterior. Only the number of errors counts, not their size, so that a few wrong labels do
    not bend the boundary. One fit gives the boundary, the noise and, for every training row, how likely its
    label is wrong (``flip_probability_``): a ranking to clean data with. The kernel parameter is chosen by
    the evidence. All rows are kept: the cost grows with the cube of their number (for thousands of rows use
    ``SparseBayesMachineClassifier``).

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", or a kernel of `pauca.basis` such as ``RBF() + Linear()``. A callable takes two
        matrices and returns the matrix of kernel values. There is no other bias term:
        "linear" and "poly" have the constant ``coef0``.
    gamma : {"evidence", "scale"}, float or array-like, default="evidence"
        Kernel parameter, if there is one. "evidence" maximises the evidence of at most 200
        rows, drawn at random; an array-like of numbers says which values are compared. "scale" is
        1 / (n_features * X.var()).
    noise_prior : tuple of two floats, default=(1, 10)
        Parameters (a, b) of the Beta prior of the share of wrong labels, a < b.
    noise : float or None, default=None
        A known share of wrong labels, less than 0.5; 0 trusts all of them. None: it is learned.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" and "linear" kernels.
    tol : float, default=0.001
        Expectation propagation ends when no site changes more, in posterior standard deviations.
    max_iter : int, default=150
        Limit on the number of sweeps in each mode.
    random_state : int, RandomState instance or None, default=0
        Source of the draw of rows for the choice of gamma.
    verbose : bool, default=False
        Report each value of gamma that is tried.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    noise_ : float, or ndarray of shape (n_classes,) if there are more than two
        Posterior mean of the share of wrong labels.
    noise_posterior_ : tuple (a, b), or ndarray of shape (n_classes, 2)
        Its Beta posterior.
    flip_probability_ : ndarray of shape (n_samples,)
        How likely the label of each training row is wrong.
    log_evidence_ : float
        Log evidence, summed over machines: one for two classes, else one for each class.
    gamma_ : float
        Kernel parameter used.
    trials_ : structured ndarray
        One record for each gamma tried: gamma, log_evidence (-inf if it did not settle), settled.
    ep_mode_ : {"sequential", "damped", "power", "half-power"}
        The first mode of expectation propagation that settled, from the most exact to the steadiest.
    n_negative_sites_ : int
        Number of rows whose site has a negative precision: they contradict the others.
    converged_ : bool
        Whether expectation propagation settled, with all rows taking part.
    n_iter_ : int
        Number of sweeps in that mode.
    relevance_ : ndarray of shape (n_kept,)
        Training rows that are kept: the first of equal ones.
    relevance_vectors_ : ndarray of shape (n_kept, n_features)
        Those rows.
    dual_coef_ : ndarray of shape (n_machines, n_kept)
        Weights of the kernel columns in the mean of the Gaussian process.

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
        kernel="rbf",
        gamma="evidence",
        *,
        noise_prior=(1, 10),
        noise=None,
        degree=3,
        coef0=1.0,
        tol=1e-3,
        max_iter=150,
        random_state=0,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.noise_prior = noise_prior
        self.noise = noise
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _row_fitter(self, n_rows):
        return AllRows(self.tol, self.max_iter)
