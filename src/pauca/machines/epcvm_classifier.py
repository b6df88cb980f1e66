"""Efficient probabilistic classification vector machine."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.utils.validation import check_is_fitted

from ..basis import Kernel
from ..fitting import STARTS, Limits, Recipe, signs_of
from ..inference import ep, hmc, laplace
from ..likelihoods import Logit, Probit
from ..priors import SoftTruncated, Truncated
from ..selection import CRITERIA, Criterion
from ..validation import check_number, check_option, check_seed
from .bases.kernel_classifier import SHRINKAGE_NATS
from .bases.signed_classifier import SignedClassifier
from .expansion import DrawnExpansion, to_arviz
from .in_blocks import BlockVectorClassifier

# Largest R-hat of chains that have mixed; customary.
_MIXED = 1.1


class EPCVMClassifier(BlockVectorClassifier, SignedClassifier):
    """Sparse Bayesian kernel classifier whose weights have the signs of the labels.

    A model f(x) = w_0 + Σ_j w_j y_j k(x, x_j) with weights w_j ≥ 0: each vector raises the probability of its
    own label only, which keeps the model stable where the kernel parameter is not at its best. Vectors are
    added, deleted and re-estimated one after the other so that the evidence rises; ``predict_proba``
    integrates over the posterior of the weights. The kernel parameter is learned by the evidence, without
    cross-validation.

    With more than two classes one latent function is fitted for each class against the rest, and the class of
    a row is that of the largest f + ε, ε ~ N(0, 1).

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        Kernel: "rbf", "laplacian", "matern32", "matern52", "rational_quadratic", "poly", "linear", "cosine",
        "precomputed", a kernel of `pauca.basis` such as ``RBF() + Linear()``, or a function of two matrices
        that returns the matrix of kernel values.
    gamma : {"evidence", "loo", "cv", "scale"} or float, default="evidence"
        Kernel parameter, for kernels that have one. "evidence" maximises the log evidence less a penalty for
        the choice of the columns, "loo" the leave-one-out log density (each row without the column centred on
        it), "cv" the log density of held-out rows in five folds. "scale" is 1 / (n_features * X.var()). With
        more than 4000 rows the search uses 4000 of them, drawn at random.
    feature_scales : {"evidence"} or None, default="evidence"
        "evidence" learns a scale for every feature in the distances of the "rbf" kernel, if
        ``gamma="evidence"`` and there are no more features than rows. The scales are kept if they raise the
        penalised log evidence by at least 1.5 nats for each feature and 10 nats in all, times the square root
        of n_classes if there are more than two classes. None: no scales.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant of the "poly" kernel.
    inference : {"laplace", "ep", "hmc"}, default="laplace"
        Approximation of the posterior of the weights. "laplace": a Gaussian at the mode, weights kept
        positive by a soft factor. "ep": a Gaussian with the moments of expectation propagation, weights
        truncated at zero; fewer vectors, in two to three times the time. "hmc": vectors and precisions as by
        "ep", then draws from the exact posterior of their weights; slow, a reference for the other two.
    n_chains : int, default=4
        Number of Markov chains; ``inference="hmc"`` only.
    n_draws : int, default=1000
        Number of draws of each chain, after a warm-up of half as many that adapts the step size;
        ``inference="hmc"`` only.
    start : {"random", "empty"}, default="random"
        First model of the search: a few random columns, or the constant term alone, as in the paper.
    counts_sign : bool, default=False
        Whether columns enter and stay by the evidence of truncated weights, as in the paper, to which the
        sign of each weight adds log 2 nats; else the sign is no gain, because the labels give it away.
    criterion : {"evidence", "loo_error", "loo_probability"} or None, default=None
        Which model of the path is kept: None the last one, "loo_error" that with the smallest leave-one-out
        error, as in the paper for "ep". The criteria "loo_error" and "loo_probability" need "ep" or "hmc".
    shrinkage : bool, default=True
        Whether predictions use larger precisions than the search, as ``log_evidence_`` says, and the constant
        alone where the evidence does not pay for the choice of the vectors, as with labels drawn at random.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn; only their ratios matter.
    min_gain : float, default=0.01
        Increase of the log evidence, in nats, that a vector must bring to enter and to stay; larger values
        give fewer vectors.
    tol : float, default=0.001
        Increase of the log evidence, in nats, below which a round that only re-estimates ends the search.
    max_iter : int, default=500
        Limit on the number of rounds.
    max_candidates : int or None, default=500
        Number of training rows, drawn at random, that may become relevance vectors; None: all of them. Memory
        grows as n_samples * max_candidates.
    random_state : int, RandomState instance or None, default=0
        Seed or generator of the random start and of the draws of candidates, rows and chains.
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
        Weights of the kernel columns, as posterior means: positive for vectors of the class (two classes: of
        the second class), else negative. ``n_latent`` is 1 for two classes, else n_classes.
    intercept_ : ndarray of shape (n_latent,)
        Posterior means of the constant terms.
    coef_ : ndarray of shape (n_latent, n_features)
        Weights of the features; for ``kernel="linear"`` only.
    gamma_ : float
        Kernel parameter in use.
    feature_scales_ : ndarray of shape (n_features,)
        Factors of the features in the kernel, with mean square one; all are one where no scales were kept.
        Missing for ``feature_scales=None``.
    log_evidence_ : float
        Maximum of the log evidence over the precisions of the weights, summed over latent functions.
        Predictions use larger precisions, at a loss of 0.4 nats for each vector and learned scale, more where
        the classes separate, because vectors that are picked among many for their fit have weights that are
        too large.
    path_ : structured ndarray
        One record for each round: machine (index of the latent function), log_evidence, n_terms, n_added,
        n_removed; for "ep" and "hmc" also loo_error, loo_probability and loo_log_density, leave-one-out
        estimates as means over rows.
    trials_ : structured ndarray
        One record for each gamma that was tried: gamma, score, log_evidence, n_terms and scaled (whether the
        features had scales).
    n_iter_ : int
        Number of rounds.
    converged_ : bool
        Whether the search ended before ``max_iter`` and, for "hmc", whether all chains mixed (R-hat below
        1.1).
    chains_ : list of Chains
        Draws of each latent function, for "hmc" only: ``draws`` of shape (n_chains, n_draws, 1 + number of
        its vectors) of the constant term and of the weights of columns with variance one; ``r_hat``,
        ``effective_samples``, ``acceptance`` and ``step``.
    expansions_ : list of length n_latent
        Posterior of the weights of each latent function.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, if they were all strings.

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
        kernel: str | Kernel | Callable = "rbf",
        gamma: str | float = "evidence",
        *,
        feature_scales: str | None = "evidence",
        degree: float = 3,
        coef0: float = 1.0,
        inference: str = "laplace",
        n_chains: int = 4,
        n_draws: int = 1000,
        start: str = "random",
        counts_sign: bool = False,
        criterion: str | None = None,
        shrinkage: bool = True,
        class_weight: dict | str | None = None,
        min_gain: float = 1e-2,
        tol: float = 1e-3,
        max_iter: int = 500,
        max_candidates: int | None = 500,
        random_state: int | RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.feature_scales = feature_scales
        self.degree = degree
        self.coef0 = coef0
        self.inference = inference
        self.n_chains = n_chains
        self.n_draws = n_draws
        self.start = start
        self.counts_sign = counts_sign
        self.criterion = criterion
        self.shrinkage = shrinkage
        self.class_weight = class_weight
        self.min_gain = min_gain
        self.tol = tol
        self.max_iter = max_iter
        self.max_candidates = max_candidates
        self.random_state = random_state
        self.verbose = verbose

    def _check_arguments(self) -> None:
        super()._check_arguments()
        check_number("min_gain", self.min_gain, 0)
        check_number("tol", self.tol, 0)
        check_option("inference", self.inference, ("laplace", "ep", "hmc"))
        check_number("n_chains", self.n_chains, 1, kind=Integral)
        check_number("n_draws", self.n_draws, 4, kind=Integral)
        check_option("start", self.start, ("random", "empty"))
        if self.criterion is not None:
            check_option("criterion", self.criterion, CRITERIA)
            if self.inference == "laplace" and self.criterion != "evidence":
                raise ValueError(f"criterion={self.criterion!r} needs inference='ep' or 'hmc'.")

    def _recipe(self) -> Recipe:
        if self.inference in ("ep", "hmc"):
            prior = partial(Truncated, counts_sign=self.counts_sign)
            recipe = Recipe(Probit(), ep, prior, signed=True, records_loo=True)
        else:
            soft = partial(SoftTruncated, counts_sign=self.counts_sign)
            recipe = Recipe(Logit.like_probit(), laplace, soft, signed=True)
        return replace(
            recipe,
            shrinkage_nats=SHRINKAGE_NATS if self.shrinkage else 0.0,
            may_be_null=self.shrinkage,
            criterion=Criterion(self.criterion) if self.criterion else None,
            initial_columns=STARTS[self.start],
            warm_starts=self.start == "random",
        )

    def _limits(self) -> Limits:
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

    def _largest_r_hat(self) -> float:
        return max(np.max(chains.r_hat) for chains in self.chains_)

    def _complaint(self) -> str:
        if self.inference == "hmc" and not self._largest_r_hat() < _MIXED:
            return f"has chains that did not mix (R-hat {self._largest_r_hat():.3g}); raise n_draws."
        return super()._complaint()

    def to_arviz(self) -> Any:
        """Draws of ``inference="hmc"`` as an ArviZ data set; needs the extra ``mcmc``.

        Returns
        -------
        InferenceData or DataTree
            A variable ``weights_k`` for each latent function k.
        """
        check_is_fitted(self)
        if not hasattr(self, "chains_"):
            raise AttributeError('Draws exist for inference="hmc" only.')
        return to_arviz(self.chains_)
