"""Search for the columns of the largest Laplace evidence, by passes over the rows of a table.

At fixed sites the rows say no more about the weights of all candidate columns than a Gram matrix and a vector
do. As many rows as there are columns, with Gaussian noise, have the same two: on them the search of the fit
in memory runs as it is, between two passes over the table.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....basis.blocks import RowBlocks
from ....likelihoods import Gaussian
from ....numerics import add_to_diagonal, robust_cholesky, solve_lower
from ...fitter import Fit, Model
from ...fitters.evidence_search import EvidenceSearch
from ...recipe import Limits, Recipe
from .sums import Columns, SitePass, SiteSums

# Shares of the rows of the parts that lead to all of them, fewest rows for each column of a part, and most
# passes over a part and over all rows; set by hand for time.
_SHARES, _ROWS_A_COLUMN, _PART_PASSES, _MAX_PASSES = (1 / 64, 1 / 16, 1 / 4), 4, 3, 15
# Change of the quadratic log likelihood in nats, in all and for each row, at which passes end; set by hand.
_TOL, _TOL_A_ROW = 1e-2, 1e-7
# Share of the diagonal of a Gram matrix that is added to it; numerical guard.
_JITTER = 1e-10


@dataclass(frozen=True)
class _Sites(Gaussian):
    """Noise of rows that stand for the sites of others; it has no parameters to learn.

    Parameters
    ----------
    saturation_of_rows : float
        Latent value at which the likelihood of the table's rows saturates.
    """

    saturation_of_rows: float = np.inf

    @property
    def saturation(self) -> float:
        """Latent value at which the likelihood of the table's rows saturates."""
        return self.saturation_of_rows

    def reestimate(self, *arguments: Any) -> "_Sites":
        """Noise as it is, since it has no parameters to learn."""
        return self


class GramPool:
    """Candidate columns at rows that have the Gram matrix of all rows of a table.

    Parameters
    ----------
    rows : ndarray of shape (n_weights, n_weights)
        Root R of the Gram matrix RᵀR, the column of the ones first.
    """

    def __init__(self, rows: NDArray) -> None:
        self.rows, self.candidates = rows, np.arange(rows.shape[1] - 1)

    def columns(self, candidates: NDArray) -> NDArray:
        """Some columns."""
        return self.rows[:, 1 + np.asarray(candidates, dtype=int)]

    def design(self, candidates: NDArray) -> NDArray:
        """The column of the ones, and some columns."""
        return np.hstack([self.rows[:, :1], self.columns(candidates)])

    def with_squares(self) -> Iterator[tuple[NDArray, NDArray]]:
        """All columns, and the squares of their entries."""
        yield self.rows[:, 1:], self._squares

    @cached_property
    def _squares(self):
        return np.square(self.rows[:, 1:])

    def without_candidates(self) -> "GramPool":
        """Pool that nothing is drawn from."""
        return GramPool(self.rows[:, :1])


@dataclass(frozen=True)
class ColumnFit:
    """Columns of one latent function with the posterior of their weights.

    Parameters
    ----------
    model : Model
        Model to predict with.
    log_evidence : float
        Laplace evidence of the columns given all rows, before weights are made smaller.
    path : structured ndarray
        Records of the last search.
    n_passes : int
        Passes over all rows.
    converged : bool
        Whether the last pass changed little.
    """

    model: Model
    log_evidence: float
    path: NDArray
    n_passes: int
    converged: bool


def fit_columns(
    source: RowBlocks,
    columns: Columns,
    recipe: Recipe,
    limits: Limits,
    *,
    positive: int = 1,
    signs: NDArray | None = None,
    start: tuple[NDArray, NDArray] | None = None,
    seed: int = 0,
) -> ColumnFit:
    """Columns of the largest evidence given all rows, by passes over larger and larger parts of them.

    Parameters
    ----------
    source : RowBlocks
        Rows and targets.
    columns : Columns
        Candidate columns, standardised.
    recipe : Recipe
        Likelihood, the Laplace engine and the prior of the weights.
    limits : Limits
        When columns enter and leave, and when a search stops.
    positive : int
        Target of the rows of the label +1.
    signs : ndarray of shape (n_columns,), optional
        Signs of the columns in the model; by default all are one.
    start : tuple of two ndarrays, optional
        Columns and precisions to start from.
    seed : int
        Seed of the parts.

    Returns
    -------
    fit : ColumnFit
    """
    flips = np.append(1.0, np.ones(len(columns.centres)) if signs is None else signs)
    search = _Passes(columns, recipe, limits, positive, flips, np.random.default_rng(seed), start)
    for share in _SHARES:
        if share * source.n_rows >= _ROWS_A_COLUMN * columns.n_weights:
            search.settle(source.part(share, seed), _PART_PASSES)
    return search.final(source)


class _Passes:
    """Search and weights so far."""

    def __init__(self, columns, recipe, limits, positive, flips, rng, start) -> None:
        self.columns, self.limits, self.positive, self.flips, self.rng = columns, limits, positive, flips, rng
        self.likelihood, self.start = recipe.likelihood, start
        sites = _Sites(saturation_of_rows=float(recipe.likelihood.saturation))
        plain = {"records_loo": False, "criterion": None, "initial_columns": None, "warm_start_engine": None}
        # So many rows need no doubt whether there is a signal.
        self.recipe = replace(recipe, likelihood=sites, may_be_null=False, **plain)
        self.mean = np.zeros(columns.n_weights)

    def settle(self, source: RowBlocks, max_passes: int) -> tuple[Fit, float, int, bool]:
        """Last search on sites of some rows, constant of its evidence, passes, and whether it settled."""
        n_passes, settled = 0, False
        while not settled and n_passes < max_passes:
            sums, search, constant = self._expanded(source)
            fit = search.run(self.rng, self.start)
            self.start = fit.terms
            settled = self._move(fit.model, sums) <= max(_TOL, _TOL_A_ROW * sums.weight)
            n_passes += 1
        return fit, constant, n_passes, settled

    def final(self, source: RowBlocks) -> ColumnFit:
        """Columns given all rows, their weights made smaller as the recipe says, at the mode of these."""
        fit, constant, n_passes, settled = self.settle(source, _MAX_PASSES)
        model = fit.predictor
        precision, is_settled = model.prior.precision[1:], model is fit.model
        while not is_settled and n_passes < 2 * _MAX_PASSES:
            self.mean = self._weights(model)
            sums, search, _ = self._expanded(source)
            model, n_passes = search.model_of(model.active, precision), n_passes + 1
            is_settled = self._move(model, sums) <= max(_TOL, _TOL_A_ROW * sums.weight)
        evidence = constant + fit.model.log_evidence
        return ColumnFit(model, evidence, fit.path, n_passes, bool(settled and is_settled and fit.converged))

    def _expanded(self, source: RowBlocks) -> tuple[SiteSums, EvidenceSearch, float]:
        """Sums of a pass at the present weights, the search on rows that stand for all, and its constant."""
        sums = source.total(SitePass(self.columns, self.likelihood, self.positive, self.flips * self.mean))
        gram = sums.gram * np.outer(self.flips, self.flips)
        root = robust_cholesky(add_to_diagonal(gram, _JITTER * np.diag(gram).max()))
        target, n = solve_lower(root, self.flips * sums.linear), len(root)
        search = EvidenceSearch(GramPool(root.T), target, np.ones(n), self.recipe, self.limits)
        return sums, search, sums.constant + 0.5 * (target @ target + n * np.log(2 * np.pi))

    def _weights(self, model: Model) -> NDArray:
        """Weights of all columns, zero outside the model."""
        mean = np.zeros(len(self.mean))
        mean[0], mean[1 + model.active] = model.posterior.mean[0], model.posterior.mean[1:]
        return mean

    def _move(self, model: Model, sums: SiteSums) -> float:
        """Move to the weights of a model; half the squared length of the step in nats."""
        after = self._weights(model)
        step = self.flips * (after - self.mean)
        self.mean = after
        return float(0.5 * step @ sums.gram @ step)
