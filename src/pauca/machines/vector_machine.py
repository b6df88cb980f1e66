"""What all kernel machines with sequential selection share: from checked data to a stored expansion."""

import sys
import warnings
from functools import partial
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from ..basis import (
    KERNELS,
    KernelBasis,
    Linear,
    PrecomputedBasis,
    as_kernel,
    is_precomputed,
    multiplied,
    scale_gamma,
    takes_sparse,
)
from ..learn import Settings
from ..numerics import threads_for
from ..validation import check_gamma, check_kernel, check_number, check_option, check_seed, check_size
from . import gamma as kernel_parameter
from .column_search import ColumnSearch
from .expansion import Expansion
from .feature_scales import tuned, varying
from .kernel_prior import KernelPrior
from .labels import signs_of
from .rows_and_targets import RowsAndTargets
from .training import training_rows

_SEARCH_ROWS = 4000
# What a column must be worth, in nats of log evidence, where nothing else is said.
_MIN_GAIN = 1e-2
_TRIAL_RECORD = np.dtype(
    [("gamma", float), ("score", float), ("log_evidence", float), ("n_terms", int), ("scaled", bool)]
)


class VectorMachine(BaseEstimator):
    """Fit and store a sparse kernel expansion; subclasses say what the targets mean."""

    # Whether columns carry the labels of their centres.
    _is_signed = False
    _gamma_rules: tuple = kernel_parameter.RULES
    # Differences of scores, in nats (odds of 50 to 1), within which a wider kernel is preferred.
    _as_good = 4.0
    # Some machines have an argument of this name, and may learn scales.
    feature_scales: str | None = None
    _scales: np.ndarray | None = None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = takes_sparse(self.kernel)
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        return tags

    def _check_arguments(self):
        check_kernel(self.kernel, KERNELS)
        check_gamma(self.gamma, self._gamma_rules)
        if self.feature_scales is not None:
            check_option("feature_scales", self.feature_scales, ("evidence",))
        check_number("degree", self.degree, 0, strict=True)
        check_number("coef0", self.coef0, -np.inf)
        check_number("max_iter", self.max_iter, 1, kind=Integral)
        check_number("max_candidates", self.max_candidates, 1, kind=Integral, optional=True)

    def _check_X(self, X, y="no_validation", **kwargs):
        """X (and y) as float arrays, with the message users of sparse matrices need."""
        sparse_ok = self.__sklearn_tags__().input_tags.sparse
        if sparse.issparse(X) and not sparse_ok:
            raise ValueError(
                f"kernel={self.kernel!r} does not take sparse X; use X.toarray() or a named kernel."
            )
        accept = "csr" if sparse_ok else False
        return validate_data(self, X, y, accept_sparse=accept, dtype=np.float64, **kwargs)

    def _check_training_X(self, X):
        """What fit asks of X beyond what predict does."""
        if is_precomputed(self.kernel) and X.shape[0] != X.shape[1]:
            raise ValueError(f"X must be a square matrix for kernel='precomputed'; got shape {X.shape}.")
        check_size("X", X)

    def _fit_machines(self, X, y, weights, targets_of, recipe):
        """Fit one machine for each target that ``targets_of`` makes of the distinct rows.

        Sets the fitted attributes that all machines share.
        """
        self._check_training_X(X)
        data = training_rows(X, y, weights, merge=not is_precomputed(self.kernel))
        data = data.labelled() if self._is_signed else data
        self._set_kernel(data)
        seed = check_seed(self.random_state).randint(np.iinfo(np.int32).max)
        with threads_for(len(data.y) * (self.max_candidates or len(data.y))):
            best, trials = self._run_trials(data, targets_of, recipe, seed)
        self._store(data, best, self._basis(data, best.gamma, best.scales), targets_of(data))
        self.trials_ = np.array([_trial_record(trial) for trial in trials], dtype=_TRIAL_RECORD)
        self._trial_weight = trials[0].weight
        if not self.converged_:
            warnings.warn(f"{type(self).__name__} {self._complaint()}", ConvergenceWarning, stacklevel=3)

    def _complaint(self):
        """What did not converge, and what to do about it."""
        return f"did not converge in {self.max_iter} rounds; raise max_iter or tol."

    def _set_kernel(self, data):
        """Kernel without its gamma yet, and the origin that keeps distances exact."""
        self._kernel = as_kernel(self.kernel, degree=self.degree, coef0=self.coef0)
        dense = not sparse.issparse(data.X)
        self._origin = data.X.mean(axis=0) if dense and self._kernel.is_stationary else None

    @property
    def _columns_are_given(self):
        """Whether the columns of X are those of the model, in place of kernel values."""
        return self._kernel.is_precomputed

    def _shifted(self, X):
        return X if self._origin is None else X - self._origin

    def _placed(self, X, scales):
        """Rows as the kernel sees them: around the origin, features times their scales."""
        return self._shifted(X) if scales is None else multiplied(self._shifted(X), scales)

    def _basis(self, data, gamma, scales=None):
        if self._kernel.is_precomputed:
            return PrecomputedBasis(data.X, _rows_of_columns(data))
        X = self._placed(data.X, scales)
        return KernelBasis(X, self._kernel.with_gamma(gamma), data.owners, Z=X[data.centres])

    def _settings(self, recipe):
        """How the search goes."""
        return Settings(
            _MIN_GAIN if self.min_gain is None else self.min_gain,
            self.tol,
            self.max_iter,
            recipe.threshold,
            caution=recipe.caution,
            judged=recipe.judged,
        )

    def _searches_gamma(self):
        return self._kernel.has_gamma and self.gamma in ("evidence", "loo", "cv")

    def _run_trials(self, data, targets_of, recipe, seed):
        """The chosen trial and all that were made; gamma is searched on a part of many rows."""
        search = self._search(data, targets_of(data), recipe, seed)
        if not self._searches_gamma():
            by_name = isinstance(self.gamma, str)
            only = search.at(scale_gamma(data.X) if by_name else float(self.gamma))
            return only, [only]
        if len(data.y) > _SEARCH_ROWS:
            part = data.sample(_SEARCH_ROWS, np.random.default_rng(seed))
            chosen, trials = self._run_trials(part, targets_of, recipe, seed)
            return search.again(chosen), trials
        chosen, trials = search.around(self._kernel.reference_gamma(data.X))
        if not self._searches_scales(data):
            return chosen, trials
        best, tries = tuned(chosen, search.starts(chosen, trials), search.climbs())
        return best, [*trials, *tries]

    def _search(self, data, targets, recipe, seed):
        """How gamma, columns and weights are found."""
        basis_at, varies = partial(self._basis, data), varying(data.X)
        given = RowsAndTargets(
            *(basis_at, targets, data.weights, recipe, self._is_signed, varies),
            *(seed, self.max_candidates, self._report),
        )
        if self._has_kernel_prior():
            return KernelPrior(given, self.max_iter, self.min_gain)
        rule = self.gamma if self._searches_gamma() else None
        return ColumnSearch(given, self._settings(recipe), rule, self._as_good)

    def _has_kernel_prior(self):
        """Whether the vectors share the prior of a Gaussian process."""
        return False

    def _searches_scales(self, data):
        """Whether scales can be learned, and as many can be worth what they cost."""
        rule = self.gamma == self.feature_scales == "evidence"
        return rule and self._kernel.name == "rbf" and 1 < varying(data.X).sum() <= len(data.y)

    def _report(self, trial):
        if self.verbose:
            choice = f"gamma {trial.gamma:.4g}" + ("" if trial.scales is None else " and scales")
            outcome = f"{trial.n_terms} terms, log evidence {trial.log_evidence:.2f}"
            print(f"[{type(self).__name__}] {choice}: {outcome}", file=sys.stderr, flush=True)

    def _store(self, data, trial, basis, targets):
        """Keep the active centres and the posterior, nothing else."""
        fits = trial.fits
        used = np.unique(np.concatenate([fit.model.active for fit in fits]))
        self.gamma_ = trial.gamma
        if self.feature_scales is not None:
            self.feature_scales_ = np.ones(data.X.shape[1]) if trial.scales is None else trial.scales
        self._kernel, self._scales = self._kernel.with_gamma(trial.gamma), trial.scales
        signs = [signs_of(basis, target) if self._is_signed else None for target in targets]
        self.expansions_ = [
            _expansion(basis.signed(sign), fit.predictor, used) for fit, sign in zip(fits, signs, strict=True)
        ]
        if self._columns_are_given:
            self.relevance_, self.relevance_vectors_ = used, np.empty((0, 0))
        else:
            rows = data.centres[used]
            self.relevance_, self.relevance_vectors_ = data.rows[rows], data.X[rows]
        self.log_evidence_ = trial.log_evidence
        self.path_ = _path_of(fits)
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.converged_ = all(fit.converged for fit in fits)

    def _kernel_values(self, X):
        """Kernel values of checked rows against all relevance vectors."""
        if self._columns_are_given:
            values = X[:, self.relevance_]
            return values.toarray() if sparse.issparse(values) else values
        if len(self.relevance_) == 0:
            return np.empty((X.shape[0], 0))
        vectors = self._placed(self.relevance_vectors_, self._scales)
        return self._kernel(self._placed(X, self._scales), vectors)

    def _latent(self, X):
        """Mean and variance of the latent value of every machine: two arrays (n_rows, n_machines)."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        with threads_for(X.shape[0] * len(self.relevance_)):
            K = self._kernel_values(X)
            means, variances = zip(*(expansion.latent(K) for expansion in self.expansions_), strict=True)
        return np.column_stack(means), np.column_stack(variances)

    @property
    def dual_coef_(self):
        """Weights of the kernel columns, shape (n_machines, n_relevance_vectors)."""
        coef = np.zeros((len(self.expansions_), len(self.relevance_)))
        for row, expansion in zip(coef, self.expansions_, strict=True):
            row[expansion.columns] = expansion.dual_coef
        return coef

    @property
    def intercept_(self):
        """Constant terms, shape (n_machines,)."""
        return np.array([expansion.intercept for expansion in self.expansions_])

    @property
    def coef_(self):
        """Weights of the features (``kernel="linear"`` only), shape (n_machines, n_features)."""
        if self.kernel not in ("linear", Linear()):
            raise AttributeError("coef_ exists for kernel='linear' only.")
        return np.asarray(self.dual_coef_ @ self.relevance_vectors_)


def _rows_of_columns(data):
    """For a precomputed kernel: the kept row behind each column, -1 where its row had weight zero."""
    place = np.full(data.X.shape[1], -1)
    known = data.rows < len(place)
    place[data.rows[known]] = np.flatnonzero(known)
    return place


def _expansion(basis, model, used):
    """The model as weights of plain kernel columns: signs go from the columns to their weights."""
    _, shift, scale = basis.columns(model.active)
    signs = np.ones(len(shift)) if basis.signs is None else basis.signs[model.active]
    flips = np.append(1.0, signs)
    posterior = model.posterior
    return Expansion(
        np.searchsorted(used, model.active),
        shift * signs,
        scale,
        posterior.mean * flips,
        posterior.factor * np.outer(flips, flips),
        model.likelihood,
        model.prior.posterior,
    )


def _path_of(fits):
    """The paths of all machines; one that they have gone together is that of the first."""
    paths = [fit.path for fit in fits]
    if all(path is paths[0] for path in paths):
        paths = paths[:1]
    return np.concatenate([_numbered(k, path) for k, path in enumerate(paths)])


def _numbered(machine, path):
    numbered = np.empty(len(path), dtype=[("machine", int), *path.dtype.descr])
    numbered["machine"] = machine
    for field in path.dtype.names:
        numbered[field] = path[field]
    return numbered


def _trial_record(trial):
    return trial.gamma, trial.score, trial.log_evidence, trial.n_terms, trial.scales is not None
