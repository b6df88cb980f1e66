"""What a machine is made of, and when its search stops."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..priors import ARD
from ..selection import Criterion

# Prior precision of the constant term: nearly flat beside latent values of order one; set by hand, not tuned.
BIAS_PRECISION = 1e-3


@dataclass(frozen=True)
class Recipe:
    """Parts of a machine: likelihood, inference engine, prior of the weights, and how columns are used.

    Parameters
    ----------
    likelihood : Likelihood
        Likelihood at the start of the search; its own parameters may be re-estimated.
    engine : callable
        Inference engine: (likelihood, prior, Phi, y, weights, start) -> Posterior.
    prior : callable
        Prior of the weights as a function of their precisions.
    signed : bool
        Whether every column is multiplied by the label of the row it is centred on.
    joint : bool
        Whether the weights of more than two classes are inferred in one model, else one-vs-rest.
    warm_start_engine : callable or None
        Engine of a first search with known precisions, from whose columns the search proper starts.
    shrinkage_nats : float
        Loss of log evidence, in nats for each column, that predictions may spend on larger precisions.
    may_be_null : bool
        Whether predictions are by the bias alone where no model on the path has an evidence that pays for the
        choice of its columns.
    records_loo : bool
        Whether leave-one-out estimates of every model on the path are recorded.
    criterion : Criterion or None
        Criterion that chooses the model among those of the path; None: the last one.
    initial_columns : callable or None
        Candidates and precisions to start from, as a function of the search; None: a few random ones.
    warm_starts : bool
        Whether a search at one gamma starts from the columns found at the next smaller one.
    selects : bool
        Whether columns enter and leave by the evidence; False keeps all that the search starts from.
    """

    likelihood: Any
    engine: Callable[..., Any]
    prior: Callable[..., ARD] = ARD
    signed: bool = False
    joint: bool = False
    warm_start_engine: Callable[..., Any] | None = None
    shrinkage_nats: float = 0.0
    may_be_null: bool = False
    records_loo: bool = False
    criterion: Criterion | None = None
    initial_columns: Callable | None = None
    warm_starts: bool = True
    selects: bool = True


def no_columns(search: Any) -> tuple[NDArray, NDArray]:
    """Start of a search from the constant term alone."""
    return np.empty(0, dtype=int), np.empty(0)


def all_columns(search: Any) -> tuple[NDArray, NDArray]:
    """Start of a search from all of its candidates, with precision one each."""
    return search.pool.candidates, np.ones(len(search.pool.candidates))


#: Columns that a search starts from, by name: a few random ones, the constant term alone, all candidates.
STARTS: dict[str, Callable | None] = {"random": None, "empty": no_columns, "all": all_columns}


@dataclass(frozen=True)
class Limits:
    """When columns enter and leave, and when a search stops.

    Parameters
    ----------
    min_gain : float
        Rise of the objective, in nats, that a column must bring to enter and to stay.
    tol : float
        Rise of the objective, in nats, below which a round that changes no column ends the search.
    max_iter : int
        Limit on the number of rounds.
    max_candidates : int or None
        Number of candidate columns, drawn at random; None: all of them.
    max_actions : int or None
        Limit on the columns that a round may change; None: no limit.
    min_weight : float or None
        Mean weight below which a column leaves after the search, where precisions have posteriors.
    """

    min_gain: float = 1e-2
    tol: float = 1e-3
    max_iter: int = 500
    max_candidates: int | None = None
    max_actions: int | None = None
    min_weight: float | None = None
