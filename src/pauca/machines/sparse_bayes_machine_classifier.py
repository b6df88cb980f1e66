"""Sparse Bayes machine: a Bayes machine carried by a few active rows."""

from numbers import Integral, Real

import numpy as np

from ..fitting.fitters import ActiveRows
from ..validation import check_number, check_option, check_share
from .bases.label_noise_classifier import LabelNoiseClassifier

# Log evidence in nats that an active row must bring with n_active="evidence"; set by hand, not tuned.
_MIN_GROWTH = 0.05
# Least number of active rows where it is not given; set by hand.
_MIN_ACTIVE = 20


class SparseBayesMachineClassifier(LabelNoiseClassifier):
    """Bayes machine carried by few active rows, chosen and exchanged by how much they teach.

    Rows enter one after the other, each time the one that moves the posterior of weights and label noise
    most (in Kullback-Leibler divergence); refining passes then exchange each active row for the best one.
    Time grows with n_samples * n_active², memory with n_samples * n_active. ``noise_`` is that of the active
    rows, which lie where classes meet; it says little about the other rows.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", or a kernel of `pauca.basis` such as ``RBF() + Linear()``. A callable takes two
        matrices and returns the matrix of kernel values. There is no other bias term:
        "linear" and "poly" have the constant ``coef0``.
    gamma : {"evidence", "scale"}, float or array-like, default="evidence"
        Kernel parameter, if there is one. "evidence" maximises the evidence of a Bayes
        machine for at most 200 rows, drawn at random; an array-like of numbers says which values are
        compared. "scale" is 1 / (n_features * X.var()).
    n_active : int, float, "evidence" or None, default=None
        Number of active rows, or their share of the rows if it is a float below 1. "evidence" adds rows
        until they no longer help to predict the others; None: a fifth of the rows, at least 20.
    score_rule : {"expected", "observed"}, default="expected"
        How the teaching of a row is measured: averaged over both labels it may have, or with the label it
        has, as in the thesis. The latter prefers rows with wrong labels.
    refine : bool, default=True
        Whether active rows are exchanged until nothing changes; False gives the informative vector machine.
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
    max_passes : int, default=3
        Limit on the number of refining passes.
    random_state : int, RandomState instance or None, default=0
        Source of the draw of rows for the choice of gamma.
    verbose : bool, default=False
        Report each value of gamma that is tried.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    relevance_ : ndarray of shape (n_kept,)
        Active training rows.
    relevance_vectors_ : ndarray of shape (n_kept, n_features)
        Those rows.
    dual_coef_ : ndarray of shape (n_machines, n_kept)
        Weights of the kernel columns in the mean of the Gaussian process.
    noise_ : float, or ndarray of shape (n_classes,) if there are more than two
        Posterior mean of the share of wrong labels among the active rows.
    noise_posterior_ : tuple (a, b), or ndarray of shape (n_classes, 2)
        Its Beta posterior.
    flip_probability_ : ndarray of shape (n_samples,)
        How likely the label of each training row, active or not, is wrong.
    log_evidence_ : float
        Log evidence of the active rows, summed over machines. Evidences of different active sets are of
        different data: they are not comparable.
    gamma_ : float
        Kernel parameter used.
    trials_ : structured ndarray
        One record for each gamma tried: gamma, log_evidence (-inf if it did not settle), settled.
    ep_mode_ : {"sequential", "damped", "power", "half-power"}
        The first mode of expectation propagation that settled, from the most exact to the steadiest.
    n_negative_sites_ : int
        Number of active rows whose site has a negative precision: they contradict the others.
    n_passes_ : int
        Number of refining passes.
    n_iter_ : int
        Number of sweeps of expectation propagation over the active rows.
    active_set_settled_ : bool
        Whether the last pass exchanged nothing.
    converged_ : bool
        Whether expectation propagation over the active rows settled, with all of them taking part and
        without predicting the other labels worse than before.

    References
    ----------
    D. Hernández-Lobato, "Prediction based on averages over automatically induced learners", PhD thesis,
    Universidad Autónoma de Madrid (2009), section 6.3.

    N. Lawrence, M. Seeger & R. Herbrich, "Fast sparse Gaussian process methods: the informative vector
    machine", Advances in Neural Information Processing Systems 15 (2003).

    Examples
    --------
    >>> from pauca import SparseBayesMachineClassifier
    >>> from pauca.datasets import make_circle
    >>> X, y = make_circle(300, random_state=0)
    >>> machine = SparseBayesMachineClassifier(n_active=40).fit(X, y)
    >>> len(machine.relevance_), bool(machine.score(X, y) > 0.95)
    (40, True)
    """

    _advice = "raise n_active or max_iter, or use BayesMachineClassifier"

    def __init__(
        self,
        kernel="rbf",
        gamma="evidence",
        *,
        n_active=None,
        score_rule="expected",
        refine=True,
        noise_prior=(1, 10),
        noise=None,
        degree=3,
        coef0=1.0,
        tol=1e-3,
        max_iter=150,
        max_passes=3,
        random_state=0,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.n_active = n_active
        self.score_rule = score_rule
        self.refine = refine
        self.noise_prior = noise_prior
        self.noise = noise
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.max_passes = max_passes
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self):
        super()._check_arguments()
        if not isinstance(self.refine, bool | np.bool_):
            raise ValueError(f"refine must be True or False; got {self.refine!r}.")
        check_option("score_rule", self.score_rule, ("expected", "observed"))
        check_number("max_passes", self.max_passes, 0, kind=Integral)
        if isinstance(self.n_active, str):
            check_option("n_active", self.n_active, ("evidence",))
        elif isinstance(self.n_active, Real) and not isinstance(self.n_active, Integral):
            check_share("n_active", self.n_active)
        else:
            check_number("n_active", self.n_active, 1, kind=Integral, optional=True)

    def _size(self, n_rows):
        """Number of active rows, and the growth of the evidence in nats below which no more are added."""
        if isinstance(self.n_active, str):
            return n_rows, _MIN_GROWTH
        if self.n_active is None:
            return min(n_rows, max(_MIN_ACTIVE, n_rows // 5)), None
        size = self.n_active if isinstance(self.n_active, Integral) else np.ceil(self.n_active * n_rows)
        return min(n_rows, int(size)), None

    def _row_fitter(self, n_rows):
        size, growth = self._size(n_rows)
        expected = self.score_rule == "expected"
        return ActiveRows(size, growth, expected, self.max_passes, bool(self.refine), self.tol, self.max_iter)

    def _store(self, data, problem, trial, trials):
        super()._store(data, problem, trial, trials)
        self.n_passes_ = max(fit.n_passes for fit in trial.fits)
        self.active_set_settled_ = all(fit.settled for fit in trial.fits)
