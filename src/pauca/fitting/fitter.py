"""Protocol that every machine is fitted by, and what passes through it: problems, models, trials."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..inference import Posterior
from .classes import classes_of, signs_of
from .data import TrainingRows, varying_features
from .recipe import Limits, Recipe


@dataclass(frozen=True)
class Model:
    """One point of a search: bias and active columns, their prior, the likelihood and the posterior.

    Parameters
    ----------
    active : ndarray of int
        Candidates in the model.
    Phi : ndarray of shape (n_rows, 1 + n_active)
        Ones and the active columns.
    prior : Prior
        Prior of the weights, the bias first.
    likelihood : Likelihood
        Likelihood of the targets.
    posterior : Posterior
        Posterior of the weights.
    bound_penalty : float
        Nats that unknown precisions and noise cost a lower bound.
    """

    active: NDArray
    Phi: NDArray
    prior: Any
    likelihood: Any
    posterior: Posterior
    bound_penalty: float = 0.0

    @property
    def log_evidence(self) -> float:
        """Log evidence of the active columns, or its lower bound where precisions are not known."""
        return self.posterior.log_evidence - self.bound_penalty

    @property
    def size_penalty(self) -> float:
        """Penalty in nats for weights so large that they make an observation nearly certain."""
        return self.prior.size_penalty(self.likelihood.saturation)


@dataclass(frozen=True)
class Fit:
    """Model that a search has found, and the path to it.

    Parameters
    ----------
    model : Model
        The model.
    path : structured ndarray
        One record a round.
    converged : bool
        Whether the search ended before its limit.
    chosen : int
        Round at which the model was met.
    shrink : callable or None
        Function that makes the model to predict with, where that is another one.
    """

    model: Model
    path: NDArray
    converged: bool
    chosen: int = -1
    shrink: Callable[[], Model] | None = None

    @cached_property
    def predictor(self) -> Model:
        """Model to predict with."""
        return self.model if self.shrink is None else self.shrink()

    @property
    def n_iter(self) -> int:
        """Number of rounds."""
        return len(self.path) - 1

    @property
    def terms(self) -> tuple[NDArray, NDArray]:
        """Active candidates and their precisions, to start another search from."""
        return self.model.active, self.model.prior.precision[1:]


@dataclass(frozen=True)
class Trial:
    """Outcome of one value of gamma: its score in nats, and the fits of all latent functions.

    Parameters
    ----------
    gamma : float
        Kernel parameter.
    score : float
        Score in nats by which trials are compared.
    log_evidence : float
        Log evidence in nats, summed over latent functions.
    n_terms : int
        Number of columns, summed over latent functions.
    fits : tuple
        Fits of all latent functions, empty where only the evidence of the kernel was computed.
    scales : ndarray or None
        Scales of the features; None: all are one.
    weight : float
        Summed weight of the rows that the trial saw.
    joint : bool
        Whether the weights of all classes belong to one model.
    restarts : tuple
        Trials from which this one was chosen, where there were several starts.
    """

    gamma: float
    score: float
    log_evidence: float
    n_terms: int
    fits: tuple = ()
    scales: NDArray | None = None
    weight: float = 0.0
    joint: bool = False
    restarts: tuple = ()

    @classmethod
    def of_fits(cls, gamma: float, fits: Sequence[Fit], score: float, **options: Any) -> "Trial":
        """Trial whose log evidence and number of terms are summed over its fits."""
        log_evidence = float(sum(fit.model.log_evidence for fit in fits))
        n_terms = sum(len(fit.model.active) for fit in fits)
        return cls(gamma, score, log_evidence, n_terms, tuple(fits), **options)


def ignore(trial: Any) -> None:
    """Report nothing about a trial."""


@dataclass(frozen=True)
class FitProblem:
    """Training rows, one target for each latent function, and the recipe of their machines.

    Parameters
    ----------
    data : TrainingRows
        Training rows.
    targets : list of ndarray
        One target for each latent function.
    basis_at : callable
        Columns of the rows as a function of gamma and of the feature scales.
    recipe : Recipe
        Parts of the machine.
    limits : Limits
        When the search stops.
    seed : int
        Seed of the draws of candidates.
    report : callable
        Called with every trial.
    """

    data: TrainingRows
    targets: list
    basis_at: Callable
    recipe: Recipe
    limits: Limits
    seed: int = 0
    report: Callable = ignore

    @property
    def weights(self) -> NDArray:
        """Weights of the rows."""
        return self.data.weights

    @cached_property
    def varies(self) -> NDArray:
        """Boolean mask of the features that may have scales of their own."""
        return varying_features(self.data.X)

    @cached_property
    def classes(self) -> Any:
        """Scheme that says whose weights are inferred together."""
        return classes_of(self.targets, self.weights, self.recipe)

    def signed(self, columns: Any, target: NDArray) -> Any:
        """Basis or pool of candidates with the signs of one target, where the recipe has signs."""
        basis = getattr(columns, "basis", columns)
        return columns.signed(signs_of(basis, target)) if self.recipe.signed else columns

    def rng(self, draw: int = 0) -> np.random.Generator:
        """Random generator of one ``draw`` of candidates."""
        return np.random.default_rng(self.seed + draw)


class Fitter(Protocol):
    """How one kind of machine is fitted at one value of its hyperparameter.

    The hyperparameter is the kernel's gamma, or for spike-and-slab machines the expected number of features.
    """

    def fit(self, value: float, known: Sequence = (), scales: Any = None, draw: int = 0) -> Any:
        """Trial at one value, warm-started from the ``known`` ones where that helps.

        Features have ``scales`` where they are given; ``draw`` numbers the draw of candidate columns.
        """
        ...

    def refit(self, trial: Any) -> Any:
        """Complete trial on this fitter's rows at the hyperparameters of a trial, perhaps of other rows."""
        ...


class ScalableFitter(Fitter, Protocol):
    """Fitter of a machine that may learn a scale for every feature."""

    problem: FitProblem
    # Rise of the score, in nats for each scale, that scales must bring.
    scale_penalty: float

    def scale_starts(self, chosen: Trial, trials: Sequence[Trial]) -> list[Trial]:
        """Trials from which the search for scales starts."""
        ...

    def evidence_gradient(self, trial: Trial) -> list[Callable]:
        """Log evidence of a trial's columns and its gradient as functions of the scales, one for each fit."""
        ...


def complete(fitter: Fitter, trial: Trial) -> Trial:
    """Trial with fits: the trial itself, or the fitter's refit where it has only the evidence of a kernel."""
    return trial if trial.fits else fitter.refit(trial)
