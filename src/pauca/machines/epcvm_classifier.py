"""Efficient probabilistic classification vector machine."""

from dataclasses import replace
from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..fitting import Limits, Recipe, signs_of
from ..inference import ep, hmc, laplace
from ..likelihoods import Logit, Probit
from ..priors import SoftTruncated, Truncated
from ..validation import check_number, check_option, check_seed
from .bases.kernel_classifier import SHRINKAGE_NATS
from .bases.signed_classifier import SignedClassifier
from .expansion import DrawnExpansion, to_arviz

# Chains with a larger R-hat have not mixed.
_MIXED = 1.1


class EPCVMClassifier(SignedClassifier):
    """Sparse Bayesian kernel classifier whose vectors vote for their own class.

    A model f(x) = w_0 + Σ_j w_j y_j k(x, x_j) with weights w_j ≥ 0: a vector can only speak for its own
    label, which keeps the machine stable where the kernel parameter is not the best one. Vectors are added,
    deleted and re-estimated one after the other. ``predict_proba`` integrates over the posterior of the
    weights. No cross-validation is needed: the kernel parameter is learned with the rest.

    With more than two classes one machine is fitted for each class against the rest, and the class of a row
    is that of the largest f + ε, ε ~ N(0, 1).

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", or a kernel of `pauca.basis` such as ``RBF() + Linear()``. A callable takes two
        matrices and returns the matrix of kernel values.
    gamma : {"evidence", "loo", "cv", "scale"} or float, default="evidence"
        Kernel parameter, if there is one. "evidence" maximises the log evidence
        less a penalty for the choice of the columns, "loo" the leave-one-out log density (each row
        without the column centred on it), "cv" the log density of five held-out folds. "scale" is
        1 / (n_features * X.var()).
    feature_scales : {"evidence"} or None, default="evidence"
        Whether each feature gets a scale of its own in the distances of the "rbf" kernel, with
        ``gamma="evidence"`` and no more features than rows: the scales that maximise the evidence, if they
        raise the penalised log evidence by 1.5 nats each and 10 in all, else none.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    inference : {"laplace", "ep", "hmc"}, default="laplace"
        How the posterior of the weights is found. "laplace": a Gaussian at its mode, weights kept positive
        by a soft factor. "ep": a Gaussian with its moments, weights that are exactly positive; fewer
        vectors, two or three times the time. "hmc": vectors and precisions as by "ep", then draws from the
        exact posterior of their weights: slow, a reference for the others.
    n_chains : int, default=4
        Number of chains of "hmc".
    n_draws : int, default=1000
        Number of draws of each chain, after a warm-up of half as many that adapts the step.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios count.
    min_gain : float, default=0.01
        Increase of the log evidence, in nats, that a vector must bring to enter and to stay; larger values
        give smaller machines.
    tol : float, default=0.001
        The search ends when a round that only re-estimates raises the log evidence by less.
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
        Log evidence of the vectors that are kept, at its maximum, summed over machines. Predictions
        are made with larger precisions of the weights, at a loss of 0.4 nats a vector (and a learned scale),
        more where classes separate: vectors picked among many because they fit best would have weights that
        are too large.
    path_ : structured ndarray
        One record a round: machine, log_evidence, n_terms, n_added, n_removed; except for "laplace" also
        loo_error, loo_probability, loo_log_density, leave-one-out estimates as means over rows.
    trials_ : structured ndarray
        One record for each gamma tried: gamma, score, log_evidence, n_terms, scaled (whether the features had
        scales).
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the search ended before ``max_iter``.
    chains_ : list of Chains
        For "hmc", the draws of each machine: ``draws`` (n_chains, n_draws, 1 + number of its vectors) of the
        constant term and of the weights of columns with variance one, ``r_hat``, ``effective_samples``,
        ``acceptance``, ``step``.

    References
    ----------
    Chen, Tino & Yao, "Efficient probabilistic classification vector machine with incremental basis function
    selection", IEEE Transactions on Neural Networks and Learning Systems 25 (2014).

    Examples
    --------
    >>> from pauca import EPCVMClassifier
    >>> from pauca.datasets import make_ripley
    >>> X, y = make_ripley(250, random_state=0)
    >>> machine = EPCVMClassifier().fit(X, y)
    >>> labels = machine.classes_[(machine.dual_coef_[0] > 0).astype(int)]
    >>> bool((labels == y[machine.relevance_]).all())
    True
    """

    # Tie margin in nats: signed columns lose less by narrow kernels; chosen by `benchmarks regret`.
    _tie_margin = 1.0

    def __init__(
        self,
        kernel="rbf",
        gamma="evidence",
        *,
        feature_scales="evidence",
        degree=3,
        coef0=1.0,
        inference="laplace",
        n_chains=4,
        n_draws=1000,
        class_weight=None,
        min_gain=1e-2,
        tol=1e-3,
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
        self.n_chains = n_chains
        self.n_draws = n_draws
        self.class_weight = class_weight
        self.min_gain = min_gain
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self):
        super()._check_arguments()
        check_number("min_gain", self.min_gain, 0)
        check_number("tol", self.tol, 0)
        check_option("inference", self.inference, ("laplace", "ep", "hmc"))
        check_number("n_chains", self.n_chains, 1, kind=Integral)
        check_number("n_draws", self.n_draws, 4, kind=Integral)

    def _recipe(self):
        if self.inference in ("ep", "hmc"):
            by_ep = Recipe(Probit(), ep, Truncated, signed=True, records_loo=True)
            return replace(by_ep, shrinkage_nats=SHRINKAGE_NATS)
        by_laplace = Recipe(Logit.like_probit(), laplace, SoftTruncated, signed=True)
        return replace(by_laplace, shrinkage_nats=SHRINKAGE_NATS)

    def _limits(self):
        return Limits(self.min_gain, self.tol, self.max_iter, self.max_candidates)

    def _store(self, data, trial, basis, targets, recipe):
        super()._store(data, trial, basis, targets, recipe)
        if self.inference == "hmc":
            self._draw(data, [fit.predictor for fit in trial.fits], basis, targets)

    def _draw(self, data, models, basis, targets):
        """Replace the Gaussian posteriors by draws."""
        rng = np.random.default_rng(check_seed(self.random_state).randint(np.iinfo(np.int32).max))
        self.chains_ = []
        for k, (model, target) in enumerate(zip(models, targets, strict=True)):
            chains = hmc(
                *(model.likelihood, model.prior, model.Phi, target, data.weights, model.posterior, rng),
                n_chains=self.n_chains,
                n_draws=self.n_draws,
                n_warmup=self.n_draws // 2,
            )
            self.chains_.append(chains)
            signs = np.append(1.0, signs_of(basis, target)[model.active])
            self.expansions_[k] = DrawnExpansion.of(self.expansions_[k], chains.flat * signs)
        self.converged_ = self.converged_ and self._largest_r_hat() < _MIXED

    def _largest_r_hat(self):
        return max(np.max(chains.r_hat) for chains in self.chains_)

    def _complaint(self):
        if self.inference == "hmc" and not self._largest_r_hat() < _MIXED:
            return f"has chains that did not mix (R-hat {self._largest_r_hat():.3g}); raise n_draws."
        return super()._complaint()

    def to_arviz(self):
        """The draws of ``inference="hmc"`` for ArviZ (extra ``mcmc``), a variable for each machine."""
        check_is_fitted(self)
        if not hasattr(self, "chains_"):
            raise AttributeError('Only machines with inference="hmc" have draws.')
        return to_arviz(self.chains_)
