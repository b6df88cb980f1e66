"""Problem that a process is fitted to, trials of hyperparameters, and the fitted processes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis import ColumnMeasure
from ...likelihoods import BinaryLikelihood, Gaussian
from ..data import TrainingRows
from ..fitter import ignore
from ..recipe import Limits
from .copies import evidence_weights
from .posterior import ProcessPosterior
from .process import Process

# Share of the observations among all rows from which on copies do not count less; set by hand.
_FEW_COPIES = 0.95


@dataclass(frozen=True)
class ProcessProblem:
    """Rows, likelihood and candidates of a fit.

    Parameters
    ----------
    data : TrainingRows
        Placed rows and observations.
    likelihood : Likelihood
        Likelihood with the parameters to start from.
    kernels : sequence of Kernel
        Kernels to choose from.
    limits : Limits
        ``min_gain`` of a vector in nats, ``max_iter``, the largest number of vectors, and
        ``max_candidates``.
    trends : sequence of bool
        Whether there is a linear trend; the evidence chooses where there are two values.
    learns_scales : bool
        Whether every group of features may get a scale of its own.
    learns_kernel : bool
        Whether the parameters of the kernel are learned.
    groups : ndarray of int, shape (n_features,), or None
        Group of each feature; None: every feature is a group of its own.
    measures : sequence of ColumnMeasure
        Columns of a table, one for each group, whose main effects and pairs may have kernels of their own.
    constant_variance : float
        Prior variance of the constant, or that to start from.
    learns_constant : bool
        Whether the prior variance of the constant is learned.
    reach : float
        Distance from the origin at which constant and trend end.
    by_ep : bool
        Whether posteriors are by expectation propagation, else by Laplace.
    fixed_base : float or None
        Constant latent value that fits best by itself; None: that of the likelihood.
    fixed_counts : ndarray of shape (n_rows,) or None
        Weights of the rows in the evidence; None: those of the data, where copies of a row count as one.
    start_scales : ndarray of shape (n_groups,) or None
        Scales to start from; None: all are one.
    start : ProcessTrial or None
        Trial from whose hyperparameters the evidence is climbed, in place of a search; None: there is none.
    seed : int
        Seed of the draws of rows.
    report : callable
        Called with every trial.
    """

    data: TrainingRows
    likelihood: Any
    kernels: Sequence[Any]
    limits: Limits
    trends: Sequence[bool] = (False,)
    learns_scales: bool = True
    learns_kernel: bool = True
    groups: NDArray | None = None
    measures: Sequence[ColumnMeasure] = ()
    constant_variance: float = 1.0
    learns_constant: bool = False
    reach: float = np.inf
    by_ep: bool = True
    fixed_base: float | None = None
    fixed_counts: NDArray | None = None
    start_scales: NDArray | None = None
    start: Any = None
    seed: int = 0
    report: Callable = ignore

    @cached_property
    def base(self) -> float:
        """Constant latent value that fits best by itself."""
        if self.fixed_base is not None:
            return self.fixed_base
        return float(self.likelihood.base_latent(self.data.y, self.data.weights))

    @cached_property
    def counts(self) -> NDArray:
        """Weights of the rows in the evidence, where copies of a row count as one."""
        if self.fixed_counts is not None:
            return self.fixed_counts
        return evidence_weights(self.data.X, self.data.y, self.data.weights)

    @cached_property
    def targets(self) -> NDArray:
        """Observations as numbers of mean zero and variance one, shape (n_rows, n_targets).

        They are the derivatives of the log likelihood at the constant latent value that fits best.
        """
        y, weights = self.data.y, self.data.weights
        if y.ndim == 2 and isinstance(self.likelihood, Gaussian):
            return y
        _, score, _ = self.likelihood.expand(y, np.full(len(y), self.base))
        centred = score - np.average(score, weights=weights)
        size = np.sqrt(np.average(np.square(centred), weights=weights))
        return (centred / (size or 1.0))[:, None]

    @cached_property
    def rows(self) -> TrainingRows:
        """Rows of the posterior: their weights keep their ratios and sum to the number of observations.

        Few copies leave the weights as they are: sites of rows of weight one need no quadrature.
        """
        weights, total = self.data.weights, self.data.weights.sum()
        share = self.counts.sum() / total if total else 1.0
        return self.data if share > _FEW_COPIES else replace(self.data, weights=weights * share)

    def level(self, kernel: Any) -> float:
        """Mean of k(x, x) over the rows; one for stationary kernels."""
        if kernel.is_stationary:
            return 1.0
        return float(np.abs(kernel.diagonal(self.data.X)).mean()) or 1.0

    @property
    def n_scales(self) -> int:
        """Number of groups of features."""
        return self.data.X.shape[1] if self.groups is None else int(self.groups.max(initial=-1)) + 1

    @property
    def searches_by_ep(self) -> bool:
        """Whether the evidence is that of expectation propagation: for labels, without parameters."""
        return self.by_ep and isinstance(self.likelihood, BinaryLikelihood)

    def places(self, n_rows: int) -> NDArray:
        """Places of some rows, drawn at random; all of them, if there are no more."""
        n = len(self.data.y)
        rng = np.random.default_rng(self.seed)
        return np.arange(n) if n <= n_rows else np.sort(rng.choice(n, n_rows, replace=False))


@dataclass(frozen=True)
class ProcessTrial:
    """Hyperparameters that were tried.

    Parameters
    ----------
    process : Process
        Process.
    likelihood : Likelihood
        Likelihood with its parameters.
    score : float
        Penalised log evidence in nats.
    log_evidence : float
        Log evidence without penalties.
    """

    process: Process
    likelihood: Any
    score: float
    log_evidence: float

    @property
    def gamma(self) -> float:
        """Kernel parameter; one for kernels without gamma."""
        kernel = self.process.kernel
        return float(kernel.gamma) if kernel.has_gamma else 1.0

    @property
    def record(self) -> tuple:
        """Values of a row of ``trials_``."""
        process = self.process
        scaled = process.scales is not None
        return process.kernel.name, self.gamma, process.trend > 0, scaled, self.score, self.log_evidence


@dataclass(frozen=True)
class ProcessFit:
    """Fitted processes.

    Parameters
    ----------
    posteriors : list of ProcessPosterior
        One for each latent function; they share the vectors.
    likelihood : Likelihood
        Likelihood with its parameters.
    rows : ndarray of int
        Places of the vectors among the training rows.
    trial : ProcessTrial
        Trial that was chosen.
    trials : list of ProcessTrial
        All trials in their order.
    log_evidence : float
        Log evidence of the hyperparameters.
    converged : bool
        Whether no other vector had a gain.
    settled : bool
        Whether inference converged.
    left_out : tuple of two ndarrays of shape (n_rows, n_latent), or None
        Means and variances of the latent values of each training row given all observations but one of it;
        None where they are not known.
    """

    posteriors: list[ProcessPosterior]
    likelihood: Any
    rows: NDArray
    trial: ProcessTrial
    trials: list[ProcessTrial] = field(default_factory=list)
    log_evidence: float = 0.0
    converged: bool = True
    settled: bool = True
    left_out: tuple[NDArray, NDArray] | None = None

    @property
    def process(self) -> Process:
        """Process that all latent functions share."""
        return self.posteriors[0].process


#: Type of a row of ``trials_``.
TRIAL_RECORD = np.dtype(
    [
        ("kernel", "U64"),
        ("gamma", float),
        ("trend", bool),
        ("scaled", bool),
        ("score", float),
        ("log_evidence", float),
    ]
)
