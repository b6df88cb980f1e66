"""Base of machines whose columns are selected: training rows, fitter, stored expansion."""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ...basis import KernelBasis, PrecomputedBasis, is_precomputed
from ...export.summary import leave_one_out_scores
from ...fitting import RULES, FitProblem, Limits, Recipe, TrainingRows, Trial, choose_kernel, signs_of
from ...fitting.fitters import ARDFitter
from ...inference import leave_one_out
from ...numerics import threads_for
from ...reporting import tell
from ...validation import check_gamma, check_number, check_option, check_size
from ..expansion import Expansion
from ..extrapolation import BaseRates, ExtraBasis
from .kernel_machine import KernelMachine

_TRIAL_RECORD = np.dtype(
    [("gamma", float), ("score", float), ("log_evidence", float), ("n_terms", int), ("scaled", bool)]
)


class VectorMachine(KernelMachine):
    """Estimator whose kernel columns are selected; subclasses define targets, recipe and limits."""

    _gamma_rules: tuple = RULES
    # Scores within this many nats (odds of 50 to 1) count as equal, and the widest kernel is preferred;
    # chosen by `benchmarks regret`.
    _tie_margin = 4.0
    # None for estimators without an argument of this name, which learn no scales.
    feature_scales: str | None = None
    # False for estimators without an argument of this name.
    extra_basis: bool = False
    fallback: bool = False
    _extra: list
    _base_rates: BaseRates | None = None
    _extra_rows: Any
    max_iter: int
    max_candidates: int | None
    gamma_: float
    log_evidence_: float
    converged_: bool

    def _check_arguments(self) -> None:
        self._check_kernel_arguments()
        check_gamma(self.gamma, self._gamma_rules)
        if self.feature_scales is not None:
            check_option("feature_scales", self.feature_scales, ("evidence",))
        if self.extra_basis and is_precomputed(self.kernel):
            raise ValueError("extra_basis needs k(x, x) of new rows, which kernel='precomputed' has not.")
        check_number("max_iter", self.max_iter, 1, kind=Integral)
        check_number("max_candidates", self.max_candidates, 1, kind=Integral, optional=True)

    @abstractmethod
    def _limits(self) -> Limits:
        """Thresholds at which columns enter and leave, and limits of the search."""

    def _fit_expansions(
        self,
        X: Any,
        y: NDArray,
        weights: NDArray,
        targets_of: Callable[[TrainingRows], list],
        recipe: Recipe,
    ) -> None:
        """Fit and store one latent function for each target that ``targets_of`` makes of the rows."""
        data = self._training_rows(X, y, weights)
        data = data.labelled() if recipe.signed else data
        self._set_kernel(data)
        seed = self._seed()
        fitter_of = partial(self._fitter_of, targets_of, recipe, seed)
        with threads_for(len(data.y) * (self.max_candidates or len(data.y))):
            rule, scaled = self._rule(data, seed), self._learns_scales()
            search = partial(choose_kernel, feature_scales=scaled, seed=seed)
            best, trials = search(fitter_of, data, self._kernel, rule)
        self._store(data, best, self._basis(data, best.gamma, best.scales), targets_of(data), recipe)
        self.trials_ = np.array([_trial_record(trial) for trial in trials], dtype=_TRIAL_RECORD)
        self._trial_weight = trials[0].weight
        moments = [leave_one_out(fit.predictor.Phi, fit.predictor.posterior) for fit in best.fits]
        means, variances = (np.column_stack(part) for part in zip(*moments, strict=True))
        self._left_out = leave_one_out_scores(self._link(), (means, variances), data.y, data.weights)
        if not self.converged_:
            warnings.warn(f"{type(self).__name__} {self._complaint()}", ConvergenceWarning, stacklevel=4)

    def _fitter_of(self, targets_of, recipe, seed, data):
        """Fitter of some training rows."""
        report = self._report
        basis_at = partial(self._basis, data)
        problem = FitProblem(data, targets_of(data), basis_at, recipe, self._limits(), seed, report)
        return self._fitter(problem)

    def _fitter(self, problem: FitProblem) -> Any:
        """Fitter of a problem; by default with a precision for every weight."""
        return ARDFitter(problem, self.gamma if self._searches_gamma() else None, self._tie_margin)

    def _rule(self, data: TrainingRows, seed: int) -> str | float:
        """Value of gamma, or name of the rule that chooses it."""
        return self.gamma

    def _complaint(self) -> str:
        """Text of the warning where the fit did not converge, with a remedy."""
        return f"did not converge in {self.max_iter} rounds; raise max_iter or tol."

    def _basis(self, data, gamma, scales=None):
        """Candidate columns of some training rows."""
        if self._kernel.is_precomputed:
            return PrecomputedBasis(data.X, _rows_of_columns(data))
        X = self._placed(data.X, scales)
        return KernelBasis(X, self._kernel.with_gamma(gamma), data.owners, Z=X[data.centres])

    def _latent_moments(self, X):
        """Mean and variance of each latent function at checked rows, as they are far from the data, too."""
        moments = super()._latent_moments(X)
        if self._base_rates is None and not self.extra_basis:
            return moments
        placed = self._placed(X, self._scales)
        if self._base_rates is not None:
            vectors = self._placed(self.relevance_vectors_, self._scales)
            moments = self._base_rates.shrunk(moments, placed, vectors)
        if not self.extra_basis:
            return moments
        columns = self._kernel_values(X)
        values = self._kernel(placed, self._placed(self._extra_rows, self._scales))
        own = self._kernel.diagonal(placed)
        for part in (columns, values, own):
            check_size("the kernel of extra_basis", part)
        return [
            extra.corrected(each.design(columns), each.factor, values, own, mean, var)
            for extra, each, (mean, var) in zip(self._extra, self.expansions_, moments, strict=True)
        ]

    def _searches_gamma(self) -> bool:
        return self._kernel.has_gamma and self.gamma in ("evidence", "loo", "cv")

    def _learns_scales(self) -> bool:
        """Whether scales of features may be learned: for the "rbf" kernel with gamma by evidence."""
        return self.gamma == self.feature_scales == "evidence" and self._kernel.name == "rbf"

    def _report(self, trial):
        choice = f"gamma {trial.gamma:.4g}" + ("" if trial.scales is None else " and scales")
        tell(f"{choice}: {trial.n_terms} terms, log evidence {trial.log_evidence:.2f}")

    def _store(self, data: TrainingRows, trial: Trial, basis: Any, targets: list, recipe: Recipe) -> None:
        """Store the active centres and the posterior."""
        fits = trial.fits
        used = np.unique(np.concatenate([fit.model.active for fit in fits]))
        self.gamma_ = trial.gamma
        if self.feature_scales is not None:
            self.feature_scales_ = np.ones(data.X.shape[1]) if trial.scales is None else trial.scales
        self._kernel, self._scales = self._kernel.with_gamma(trial.gamma), trial.scales
        signs = [signs_of(basis, target) if recipe.signed else None for target in targets]
        self.expansions_ = [
            _expansion(basis.signed(sign), fit.predictor, used) for fit, sign in zip(fits, signs, strict=True)
        ]
        self._extra, self._base_rates = [], None
        if self.extra_basis:
            pairs = zip(fits, signs, strict=True)
            self._extra = [
                _extra_basis(basis.signed(sign), fit.predictor, data.weights) for fit, sign in pairs
            ]
            self._extra_rows = data.X
        if self._columns_are_given:
            self.relevance_, self.relevance_vectors_ = used, np.empty((0, 0))
        else:
            rows = data.centres[used]
            self.relevance_, self.relevance_vectors_ = data.rows[rows], data.X[rows]
        self.log_evidence_ = trial.log_evidence
        self.path_ = _path_of(trial)
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.converged_ = all(fit.converged for fit in fits)


def _extra_basis(basis, model, weights):
    """Extra basis of a model whose columns have the signs of a basis."""
    signs = np.ones(len(model.active)) if basis.signs is None else basis.signs[model.active]
    return ExtraBasis.of(model, np.append(1.0, signs), weights)


def _rows_of_columns(data):
    """For a precomputed kernel: the kept row behind each column, -1 where its row had weight zero."""
    place = np.full(data.X.shape[1], -1)
    known = data.rows < len(place)
    place[data.rows[known]] = np.flatnonzero(known)
    return place


def _expansion(basis, model, used):
    """Expansion with weights of plain kernel columns: signs go from the columns to their weights."""
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


def _path_of(trial):
    """Paths of all latent functions, numbered; classes that are inferred jointly share one."""
    fits = trial.fits[:1] if trial.joint else trial.fits
    return np.concatenate([_numbered(k, fit.path) for k, fit in enumerate(fits)])


def _numbered(machine, path):
    """Path with the index of its latent function in a leading field."""
    numbered = np.empty(len(path), dtype=[("machine", int), *path.dtype.descr])
    numbered["machine"] = machine
    for field in path.dtype.names:
        numbered[field] = path[field]
    return numbered


def _trial_record(trial):
    return trial.gamma, trial.score, trial.log_evidence, trial.n_terms, trial.scales is not None
