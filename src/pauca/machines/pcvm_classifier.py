"""Probabilistic classification vector machine."""

from numbers import Integral

import numpy as np

from ..basis import is_precomputed
from ..fitting import BIAS_PRECISION, Limits, Recipe
from ..fitting.fitters import EMFitter, EMSettings
from ..inference import laplace
from ..inference.em import Penalty
from ..likelihoods import Probit
from ..validation import check_number, check_option
from .bases.signed_classifier import SignedClassifier
from .rvm_classifier import RVMClassifier

# E[α] = strength / w² (PCVM 2009): the published algorithm has half of the strength that its model implies.
_STRENGTH = {"published": 0.5, "derived": 1.0}


class PCVMClassifier(SignedClassifier):
    """Sparse kernel classifier by expectation maximisation from all columns to few.

    A probit model f(x) = w_0 + Σ_j w_j y_j k(x, x_j) with weights w_j ≥ 0: a vector can only speak for its
    own label. Starting from all candidate columns, the weights go to the mode of their posterior, most of
    them to zero, and the kernel parameter is learned on the way, judged by rows that own no vector.
    Several starts are made and the one with the best evidence, less the price of choosing the columns, is
    kept. ``predict_proba`` integrates over a Gaussian posterior at the mode.

    With more than two classes every class has such an f, and the class of a row is that of the largest f + ε,
    ε ~ N(0, 1). All classes are learned together in this one model, and the Gaussian has the moments of the
    posterior in place of its mode.

    :class:`EPCVMClassifier` has the same kind of model, is faster and needs no starts.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", or a kernel of `pauca.basis` such as ``RBF() + Linear()``. A callable takes two
        matrices and returns the matrix of kernel values.
    gamma : {"learn", "scale"} or float, default="learn"
        Kernel parameter, if there is one. "learn" starts from the one that a relevance
        vector machine finds by evidence. "scale" is 1 / (n_features * X.var()).
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    penalty : {"published", "derived"}, default="published"
        E[α] = 1 / (2w²) as in the published algorithm, or 1 / w² as its model has it, which leaves fewer
        vectors.
    n_init : int, default=3
        Number of starts: the solution of a relevance vector machine, that of a support vector machine,
        then random ones.
    threshold : float, default=0.001
        Weights, of columns with variance one, that fall below are dropped.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios count.
    tol : float, default=0.001
        A run ends when a cycle raises the log posterior by less.
    max_iter : int, default=500
        Limit on the number of cycles.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become vectors; None: all of them.
        Memory grows as n_samples * max_candidates.
    random_state : int, RandomState instance or None, default=0
        Source of the random starts and of the draw of candidates.
    verbose : bool, default=False
        Report each start.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    relevance_ : ndarray of shape (n_relevance_vectors,)
        Rows of the training data that are kept.
    relevance_vectors_ : ndarray of shape (n_relevance_vectors, n_features)
        Those rows.
    dual_coef_ : ndarray of shape (n_machines, n_relevance_vectors)
        Weights with their signs: positive for the class of the machine (binary: the second class),
        negative for the others. One machine for two classes, else one for each class.
    intercept_ : ndarray of shape (n_machines,)
        Constant terms.
    gamma_ : float
        Kernel parameter used.
    log_evidence_ : float
        Log evidence of the kept columns, summed over machines.
    path_ : structured ndarray
        One record a cycle: machine (0), log_posterior and n_terms (of all classes together), gamma.
    trials_ : structured ndarray
        One record for each start: gamma, score, log_evidence, n_terms.
    n_iter_ : int
        Number of cycles.
    converged_ : bool
        Whether the cycles ended before ``max_iter``.

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
        kernel="rbf",
        gamma="learn",
        *,
        degree=3,
        coef0=1.0,
        penalty="published",
        n_init=3,
        threshold=1e-3,
        class_weight=None,
        tol=1e-3,
        max_iter=500,
        max_candidates=500,
        random_state=0,
        verbose=False,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.penalty = penalty
        self.n_init = n_init
        self.threshold = threshold
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self):
        super()._check_arguments()
        check_number("tol", self.tol, 0)
        check_option("penalty", self.penalty, tuple(_STRENGTH))
        check_number("n_init", self.n_init, 1, kind=Integral)
        check_number("threshold", self.threshold, 0)

    def _recipe(self):
        return Recipe(Probit(), laplace, signed=True, joint=True)

    def _limits(self):
        return Limits(tol=self.tol, max_iter=self.max_iter, max_candidates=self.max_candidates)

    def _complaint(self):
        return f"did not converge in {self.max_iter} cycles; raise max_iter or tol, or take wider kernels."

    def _rule(self, data, seed):
        """Gamma of a relevance vector machine, from which expectation maximisation starts."""
        self._relevance_machine = self._fitted_relevance_machine(data, seed)
        return self._relevance_machine.gamma_

    def _store(self, data, trial, basis, targets, recipe):
        super()._store(data, trial, basis, targets, recipe)
        del self._relevance_machine

    def _fitter(self, problem):
        learns_gamma = self.gamma == "learn" and self._kernel.has_gamma
        penalty = Penalty(_STRENGTH[self.penalty], BIAS_PRECISION)
        settings = EMSettings(penalty, self.threshold, self.tol, self.max_iter, learns_gamma)
        relevance, data = self._relevance_machine, problem.data
        columns = data.rows if self._kernel.is_precomputed else np.arange(len(data.y))
        coef = _weights_of(relevance, len(problem.targets))
        return EMFitter(problem, settings, self.n_init, columns[relevance.relevance_], coef)

    def _fitted_relevance_machine(self, data, seed):
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
