"""Probabilistic classification vector machine."""

from collections.abc import Callable
from numbers import Integral

import numpy as np
from numpy.random import RandomState

from ..basis import Kernel, is_precomputed
from ..fitting import BIAS_PRECISION, FitProblem, Limits, Recipe, TrainingRows
from ..fitting.fitters import EMFitter, EMSettings
from ..inference import laplace
from ..inference.em import Penalty
from ..likelihoods import Probit
from ..validation import check_number, check_option
from .bases.signed_classifier import SignedClassifier
from .rvm_classifier import RVMClassifier

# E[α] = strength / w² (PCVM 2009): the published algorithm has half of the strength that its model implies.
_STRENGTH = {"published": 0.5, "derived": 1.0}
# Least weight that stays; numerical guard for a threshold of zero.
_LEAST_WEIGHT = 1e-60


class PCVMClassifier(SignedClassifier):
    """Sparse kernel classifier by expectation maximisation, with weights that have the signs of the labels.

    A probit model f(x) = w_0 + Σ_j w_j y_j k(x, x_j) with weights w_j ≥ 0: each vector raises the probability
    of its own label only. From all candidate columns the weights move to the mode of their posterior, where
    most of them are zero. The kernel parameter is learned on the way from the residuals of the rows that are
    no vectors. Of several starts the one with the largest penalised log evidence is kept; ``predict_proba``
    integrates over a Gaussian posterior at the mode.

    With more than two classes every class has a latent function, and the class of a row is that of the
    largest f + ε, ε ~ N(0, 1). All classes are learned jointly, and the Gaussian has the moments of the
    posterior in place of its mode.

    :class:`EPCVMClassifier` has a similar model, is faster and needs no starts.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        Kernel: "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", a kernel of `pauca.basis` such as ``RBF() + Linear()``, or a function of two matrices
        that returns the matrix of kernel values.
    gamma : {"learn", "scale"} or float, default="learn"
        Kernel parameter, for kernels that have one. "learn" starts at the value that a relevance vector
        machine finds by the evidence; "scale" is 1 / (n_features * X.var()).
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    penalty : {"published", "derived"}, default="published"
        Expected precision of a weight w: 1 / (2w²) as in the published algorithm, or 1 / w² as derived from
        its model, which leaves fewer vectors.
    n_init : int, default=3
        Number of starts: from a relevance vector machine, from a support vector machine, then at random.
    only_start : int or None, default=None
        Number of the only start to make: 0 from a relevance vector machine, 1 from a support vector machine,
        from 2 on at random; None: the best of the first ``n_init``.
    width_rows : {"others", "all"}, default="others"
        Rows whose residuals move the kernel parameter: those without a column of their own, since others
        favour any narrow kernel, or all of them, as in the paper.
    probabilities : {"integrated", "plug-in"}, default="integrated"
        Whether probabilities integrate over a Gaussian posterior of the weights, or take the weights at the
        mode as certain, as in the paper.
    threshold : float, default=0.001
        Weight of a column of variance one below which the column is dropped.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios matter.
    tol : float, default=0.001
        Increase of the log posterior, in nats, below which a cycle ends the run.
    max_iter : int, default=500
        Limit on the number of cycles.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become relevance vectors; None: all of them. Memory
        grows as n_samples * max_candidates.
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
        Seed or generator of the random starts and of the draw of candidates.
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
        Weights of the kernel columns: positive for vectors of the class (two classes: of the second class),
        else negative. ``n_latent`` is 1 for two classes, else n_classes.
    intercept_ : ndarray of shape (n_latent,)
        Constant terms.
    coef_ : ndarray of shape (n_latent, n_features)
        Weights of the features; for ``kernel="linear"`` only.
    gamma_ : float
        Kernel parameter in use.
    log_evidence_ : float
        Log evidence of the kept columns, summed over latent functions.
    path_ : structured ndarray
        One record for each cycle: machine (0), log_posterior, n_terms (weights of all classes), gamma.
    trials_ : structured ndarray
        One record for each start: gamma, score, log_evidence, n_terms and scaled (always False).
    n_iter_ : int
        Number of cycles.
    converged_ : bool
        Whether the run ended before ``max_iter``.
    expansions_ : list of length n_latent
        Posterior of the weights of each latent function.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, if they were all strings.

    References
    ----------
    Chen, Tino & Yao, "Probabilistic classification vector machines", IEEE Transactions on Neural Networks
    20 (2009).

    Examples
    --------
    >>> from pauca import PCVMClassifier
    >>> from pauca.datasets import make_ripley
    >>> X, y = make_ripley(250, random_state=0)
    >>> machine = PCVMClassifier(n_init=1).fit(X, y)
    >>> len(machine.relevance_) < 15
    True
    """

    _gamma_rules = ("learn", "scale")

    def __init__(
        self,
        kernel: str | Kernel | Callable = "rbf",
        gamma: str | float = "learn",
        *,
        degree: float = 3,
        coef0: float = 1.0,
        penalty: str = "published",
        n_init: int = 3,
        only_start: int | None = None,
        width_rows: str = "others",
        probabilities: str = "integrated",
        threshold: float = 1e-3,
        class_weight: dict | str | None = None,
        tol: float = 1e-3,
        max_iter: int = 500,
        max_candidates: int | None = 500,
        fallback: bool = False,
        extra_basis: bool = False,
        random_state: int | RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.penalty = penalty
        self.n_init = n_init
        self.only_start = only_start
        self.width_rows = width_rows
        self.probabilities = probabilities
        self.threshold = threshold
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.fallback = fallback
        self.extra_basis = extra_basis
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self) -> None:
        super()._check_arguments()
        check_number("tol", self.tol, 0)
        check_option("penalty", self.penalty, tuple(_STRENGTH))
        check_number("n_init", self.n_init, 1, kind=Integral)
        check_number("only_start", self.only_start, 0, kind=Integral, optional=True)
        check_option("width_rows", self.width_rows, ("others", "all"))
        check_option("probabilities", self.probabilities, ("integrated", "plug-in"))
        check_number("threshold", self.threshold, 0)

    def _recipe(self) -> Recipe:
        return Recipe(Probit(), laplace, signed=True, joint=True)

    def _limits(self) -> Limits:
        return Limits(tol=self.tol, max_iter=self.max_iter, max_candidates=self.max_candidates)

    def _complaint(self) -> str:
        return f"did not converge in {self.max_iter} cycles; raise max_iter or tol, or take wider kernels."

    def _rule(self, data: TrainingRows, seed: int) -> float:
        """Gamma of a relevance vector machine, from which expectation maximisation starts."""
        self._relevance_machine = self._fitted_relevance_machine(data, seed)
        return self._relevance_machine.gamma_

    def _store(self, data, trial, basis, targets, recipe):
        super()._store(data, trial, basis, targets, recipe)
        del self._relevance_machine

    def _fitter(self, problem: FitProblem) -> EMFitter:
        learns_gamma = self.gamma == "learn" and self._kernel.has_gamma
        penalty = Penalty(_STRENGTH[self.penalty], BIAS_PRECISION)
        limits = max(self.threshold, _LEAST_WEIGHT), self.tol, self.max_iter
        settings = EMSettings(
            penalty,
            *limits,
            learns_gamma,
            counts_owners=self.width_rows == "all",
            plug_in=self.probabilities == "plug-in",
        )
        relevance, data = self._relevance_machine, problem.data
        columns = data.rows if self._kernel.is_precomputed else np.arange(len(data.y))
        coef = _weights_of(relevance, len(problem.targets))
        first = 0 if self.only_start is None else self.only_start
        places = range(first, first + (self.n_init if self.only_start is None else 1))
        return EMFitter(problem, settings, places, columns[relevance.relevance_], coef)

    def _fitted_relevance_machine(self, data: TrainingRows, seed: int) -> RVMClassifier:
        """Relevance vector machine of the same rows, whose gamma and vectors are a start."""
        machine = RVMClassifier(
            self.kernel,
            "evidence" if self.gamma == "learn" else self.gamma,
            feature_scales=None,
            degree=self.degree,
            coef0=self.coef0,
            max_iter=self.max_iter,
            max_candidates=self.max_candidates,
            random_state=seed,
        )
        X = data.X[:, data.rows] if is_precomputed(self.kernel) else data.X
        return machine.fit(X, data.y, data.weights)


def _weights_of(relevance, n_targets):
    """Weights of a relevance vector machine for each target, zero for classes that no row has."""
    coef = relevance.dual_coef_
    if n_targets == 1:
        return coef
    weights = np.zeros((n_targets, coef.shape[1]))
    weights[relevance.classes_] = np.vstack([-coef, coef]) if len(coef) == 1 else coef
    return weights
