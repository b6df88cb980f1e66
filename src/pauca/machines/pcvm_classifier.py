"""Probabilistic classification vector machine."""

from itertools import islice
from numbers import Integral

import numpy as np

from ..basis import CandidatePool, with_bias
from ..inference import WarmStart, laplace
from ..inference.em import Penalty
from ..learn import BIAS_PRECISION, Fit, Model, Recipe
from ..likelihoods import Probit
from ..priors import ARD
from ..validation import check_number, check_option
from .contests import contest_of, null_moments
from .em_search import EMSettings, em_search
from .em_starts import starts
from .gamma import Trial, leave_one_out_moments, own_gift, price
from .labels import signs_of
from .rvm_classifier import RVMClassifier
from .signed_classifier import SignedClassifier

# E[α] = strength / w²: the published algorithm has half of what its model says.
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
        return Recipe(Probit(), laplace)

    def _complaint(self):
        return f"did not converge in {self.max_iter} cycles; raise max_iter or tol, or take wider kernels."

    def _run_trials(self, data, targets_of, recipe, seed):
        """One run of expectation maximisation from each start; the best by priced evidence."""
        rng, targets = np.random.default_rng(seed), targets_of(data)
        relevance = self._relevance_machine(data, seed)
        gamma = relevance.gamma_
        basis = self._basis(data, gamma)
        bases = [basis.signed(signs_of(basis, target)) for target in targets]
        kept = self._columns_of_rows(data)[relevance.relevance_]
        coef = np.zeros((len(targets), basis.n_candidates))
        known, weights = _weights_of(relevance, len(targets))
        coef[np.ix_(known, kept)] = weights
        drawn = CandidatePool.draw(basis, self.max_candidates, rng).candidates
        candidates = np.union1d(drawn[basis.centre_rows[drawn] >= 0], kept)
        trials = []
        for sides in islice(starts(bases, candidates, targets, coef, rng), self.n_init):
            trials.append(self._trial(data, sides, gamma, recipe))
            self._report(trials[-1])
        return max(trials, key=lambda trial: trial.score), trials

    def _relevance_machine(self, data, seed):
        """A relevance vector machine of the same rows, whose gamma and vectors are a place to start from."""
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
        X = data.X[:, data.rows] if self._kernel.is_precomputed else data.X
        return machine.fit(X, data.y, data.weights)

    def _columns_of_rows(self, data):
        """The candidate that is centred on each row."""
        return data.rows if self._kernel.is_precomputed else np.arange(len(data.y))

    def _trial(self, data, sides, gamma, recipe):
        """The outcome of one start, with a Gaussian posterior at the mode that was found."""
        penalty = Penalty(_STRENGTH[self.penalty], BIAS_PRECISION)
        learns = self.gamma == "learn" and self._kernel.has_gamma
        settings = EMSettings(penalty, self.threshold, self.tol, self.max_iter, learns)
        result = em_search(lambda value: self._basis(data, value), sides, gamma, data.weights, settings)
        basis = self._basis(data, result.gamma)
        contest = contest_of([side.y for side in sides], data.weights, recipe)
        models = _at_mode(basis, contest, result.sides, penalty)
        converged = result.converged and all(model.posterior.converged for model in models)
        fits = [Fit(model, result.path, converged) for model in models]
        candidates = np.unique(np.concatenate([side.active for side in sides]))
        pools = [CandidatePool(basis.signed(side.signs), candidates) for side in sides]
        problems = [
            recipe.problem(pool, side.y, data.weights) for pool, side in zip(pools, sides, strict=True)
        ]
        return Trial(result.gamma, tuple(fits), _score(problems, models, contest))


def _weights_of(relevance, n_targets):
    """Targets that a relevance vector machine has weights for, all whose class has a row; the weights."""
    coef = relevance.dual_coef_
    if n_targets == 1:
        return [0], coef
    return relevance.classes_, np.vstack([-coef, coef]) if len(coef) == 1 else coef


def _score(problems, models, contest):
    """Priced evidence of all machines."""
    pairs = list(zip(problems, models, strict=True))
    plain, own = (
        contest.log_density([leave_one_out_moments(problem, model, own) for problem, model in pairs])
        for own in (False, True)
    )
    gift = own_gift(plain, own, contest.log_density(null_moments(contest, BIAS_PRECISION)))
    log_evidence = sum(model.log_evidence - price(problem, model) for problem, model in pairs)
    return float(log_evidence - contest.weights @ gift)


def _at_mode(basis, contest, sides, penalty):
    """Posteriors for the precisions E[α_j]; weights that turn out negative are left out."""
    actives, starts = [side.active for side in sides], [WarmStart(side.w) for side in sides]
    priors = [ARD(penalty.scales(side.w) ** -2) for side in sides]
    while True:
        pairs = zip(sides, actives, strict=True)
        Phis = [with_bias(basis.signed(side.signs).columns(active)[0]) for side, active in pairs]
        posteriors = contest.closely(priors, Phis, starts)
        stays = [np.append(True, posterior.mean[1:] > 0) for posterior in posteriors]
        if all(stay.all() for stay in stays):
            parts = zip(actives, Phis, priors, posteriors, strict=True)
            return [Model(active, Phi, prior, contest.likelihood, post) for active, Phi, prior, post in parts]
        actives = [active[stay[1:]] for active, stay in zip(actives, stays, strict=True)]
        priors = [ARD(prior.precision[stay]) for prior, stay in zip(priors, stays, strict=True)]
        starts = [posterior.warm_start(stay, 0) for posterior, stay in zip(posteriors, stays, strict=True)]
