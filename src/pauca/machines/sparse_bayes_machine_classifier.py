"""Gaussian process classification with label noise, on a small active set of training rows."""

from collections.abc import Callable
from numbers import Integral, Real

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from ..basis import Kernel
from ..fitting.fitters import ActiveRows, choose_noise_kernel
from ..validation import check_number, check_option, check_share
from .bases.label_noise_classifier import LabelNoiseClassifier

# Log evidence in nats that an active row must bring with n_active="evidence"; set by hand, not tuned.
_MIN_GROWTH = 0.05
# Least and largest number of active rows where it is not given; set by hand, the largest for the time of a
# fit: 400 were no better on spam, magic and twonorm, .03 in log-loss on ringnorm.
_MIN_ACTIVE, _MAX_ACTIVE = 20, 300


class SparseBayesMachineClassifier(LabelNoiseClassifier):
    """Gaussian process classifier with label noise that keeps a small active set of training rows.

    Model of :class:`BayesMachineClassifier`. The row that changes the posterior of latent function and label
    noise most, in Kullback-Leibler divergence, enters next; refining passes then exchange active rows for
    better ones. Of more than 1500 rows a random part is searched. Time grows with n_samples * n_active²,
    memory with n_samples * n_active. ``noise_`` is the share of wrong labels among the active rows, which lie
    where classes meet: it is no estimate for the other rows. The machine of the thesis is
    ``gamma="active-evidence", score_rule="observed", refine="unconditional"``.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        Kernel: "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", a kernel of `pauca.basis` such as ``RBF() + Linear()``, or a function of two matrices
        that returns the matrix of kernel values. The model has no intercept: the constant of the "linear" and
        "poly" kernels, ``coef0``, takes its place.
    gamma : {"evidence", "active-evidence", "posterior", "scale"}, float or array-like, default="evidence"
        Kernel parameter, for kernels that have one. "evidence" maximises the log evidence of a
        `BayesMachineClassifier` of at most 200 rows, drawn at random; an array-like gives the values to
        compare. "posterior" averages predictions over values of gamma with the probabilities that this
        evidence gives them, under a prior that is uniform in log gamma. "scale" is 1 / (n_features *
        X.var()). "active-evidence" fits the machine itself at each
        value and compares the log evidences of the active rows, as in the thesis.
    n_active : int, float, "evidence" or None, default=None
        Number of active rows, or their share of the rows if it is a float. "evidence" adds rows while the log
        evidence grows by 0.05 nats a row. None: a fifth of the rows, at least 20 and at most 300.
    score_rule : {"expected", "observed"}, default="expected"
        Label with which a row is scored: "expected" averages over both labels, "observed" takes its own, as
        in the thesis, which prefers rows with wrong labels.
    refine : bool or "unconditional", default=True
        Whether refining passes exchange active rows; False gives the informative vector machine. An exchange
        must predict all labels better; "unconditional" makes every exchange for a more informative row, as in
        the thesis.
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
    max_passes : int, default=3
        Limit on the number of refining passes.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the draw of rows for the choice of gamma.
    verbose : int, default=0
        0 is silent; 1 shows a bar and what was chosen; 2 prints each trial, on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    relevance_ : ndarray of shape (n_relevance_vectors,)
        Indices of the active training rows.
    relevance_vectors_ : ndarray or sparse matrix of shape (n_relevance_vectors, n_features)
        Training rows at those indices; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_latent, n_relevance_vectors)
        Weights of the kernel columns in the mean of the Gaussian process. ``n_latent`` is 1 for two classes,
        else n_classes.
    intercept_ : ndarray of shape (n_latent,)
        Zeros: the kernel has the constant.
    coef_ : ndarray of shape (n_latent, n_features)
        Weights of the features; for ``kernel="linear"`` only.
    noise_ : float or ndarray of shape (n_classes,)
        Posterior mean of the share of wrong labels among the active rows; one for each class if there are
        more than two.
    noise_posterior_ : tuple (float, float) or ndarray of shape (n_classes, 2)
        Parameters (a, b) of the Beta posterior of that share.
    flip_probability_ : ndarray of shape (n_samples,)
        Probability that the label of each training row, active or not, is wrong.
    log_evidence_ : float
        Log evidence of the active rows, summed over latent functions; not comparable between active sets,
        because they are different data.
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
        Number of sites with negative precision, those of active rows that contradict the others.
    n_passes_ : int
        Number of refining passes.
    n_iter_ : int
        Number of sweeps of expectation propagation over the active rows.
    active_set_settled_ : bool
        Whether the last pass exchanged no row.
    converged_ : bool
        Whether expectation propagation over the active rows converged, predicts the labels of the other rows
        no worse than before, and some training rows are on either side of the boundary.
    expansions_ : list of length n_latent
        Posterior of the weights of each latent function.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, if they were all strings.

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

    _gamma_rules = ("evidence", "active-evidence", "posterior", "scale")
    _needs_vectors = True
    _advice = "raise n_active or max_iter, or use BayesMachineClassifier"

    def __init__(
        self,
        kernel: str | Kernel | Callable = "rbf",
        gamma: str | float | ArrayLike = "evidence",
        *,
        n_active: int | float | str | None = None,
        score_rule: str = "expected",
        refine: bool | str = True,
        noise_prior: tuple[float, float] = (1, 10),
        noise: float | None = None,
        confusion: bool = False,
        class_weight: dict | str | None = None,
        degree: float = 3,
        coef0: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 150,
        max_passes: int = 3,
        random_state: int | RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_active = n_active
        self.score_rule = score_rule
        self.refine = refine
        self.noise_prior = noise_prior
        self.noise = noise
        self.confusion = confusion
        self.class_weight = class_weight
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.max_passes = max_passes
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self) -> None:
        super()._check_arguments()
        if not isinstance(self.refine, bool | np.bool_) and self.refine != "unconditional":
            raise ValueError(f"refine must be True, False or 'unconditional'; got {self.refine!r}.")
        check_option("score_rule", self.score_rule, ("expected", "observed"))
        check_number("max_passes", self.max_passes, 0, kind=Integral)
        if isinstance(self.n_active, str):
            check_option("n_active", self.n_active, ("evidence",))
        elif isinstance(self.n_active, Real) and not isinstance(self.n_active, Integral):
            check_share("n_active", self.n_active)
        else:
            check_number("n_active", self.n_active, 1, kind=Integral, optional=True)

    def _size(self, n_rows: int) -> tuple[int, float | None]:
        """Number of active rows, and the growth of the evidence in nats below which no more are added."""
        if isinstance(self.n_active, str):
            return n_rows, _MIN_GROWTH
        if self.n_active is None:
            return min(n_rows, max(_MIN_ACTIVE, min(n_rows // 5, _MAX_ACTIVE))), None
        size = self.n_active if isinstance(self.n_active, Integral) else np.ceil(self.n_active * n_rows)
        return min(n_rows, int(size)), None

    def _row_fitter(self, n_rows: int) -> ActiveRows:
        size, growth = self._size(n_rows)
        if self.confusion and size < n_rows:  # active rows of all classes together
            size = -(-size // len(self.classes_))
        expected = self.score_rule == "expected"
        return ActiveRows(
            size,
            growth,
            expected,
            self.max_passes,
            bool(self.refine),
            self.tol,
            self.max_iter,
            self.refine == "unconditional",
        )

    def _choose_kernel(self, data):
        """Trial of the chosen gamma, and all trials; with "active-evidence" by fits of the machine itself."""
        if self._by_sample or not self._kernel.has_gamma:
            return super()._choose_kernel(data)

        def fitter_in(mode, is_last):
            return self._fitter_of(data, mode, is_last)

        reference = self._kernel.reference_gamma(data.X)
        return choose_noise_kernel(fitter_in, reference, of_active=True)

    @property
    def _by_sample(self) -> bool:
        """Whether gamma is compared by the evidence of a sample of the rows."""
        return not isinstance(self.gamma, str) or self.gamma != "active-evidence"

    def _weighing_rows(self, data):
        """Rows by whose evidence values of gamma are weighted: those by which gamma is chosen."""
        return self._search_rows(data)

    def _store(self, data, problem, trial, trials):
        super()._store(data, problem, trial, trials)
        self._store_passes(trial)

    def _store_confused(self, fitter, trial, trials, rows, codes):
        super()._store_confused(fitter, trial, trials, rows, codes)
        self._store_passes(trial)

    def _store_passes(self, trial):
        """Store what became of the passes of exchanges."""
        self.n_passes_ = max(fit.n_passes for fit in trial.fits)
        self.active_set_settled_ = all(fit.settled for fit in trial.fits)
