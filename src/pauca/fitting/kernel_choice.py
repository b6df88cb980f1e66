"""One search over the logarithm of a hyperparameter, and the choice of a kernel by it for all fitters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..basis import scale_gamma
from .data import TrainingRows
from .feature_scales import choose_scales
from .fitter import Trial, complete

RULES = ("evidence", "loo", "cv", "scale")
# The kernel is chosen on at most this many rows, drawn at random; set by hand for the time of a fit.
SEARCH_ROWS = 4000


@dataclass(frozen=True)
class LogSearch:
    """Options of the search over a hyperparameter: its grid, and how the best point is refined.

    Parameters
    ----------
    multiples : ndarray
        Grid as multiples of a reference value, ascending.
    start : int
        Index of the grid point where the search starts.
    refinements : sequence of float
        Factors by which the best value is divided and multiplied, in turn, after the grid.
    patience : float
        The walk along the grid ends when the scores since the best one have lost more nats than this
        together.
    tie_margin : float
        Scores within this many nats of the best count as equal; the smallest value among them is taken.
    """

    multiples: NDArray
    start: int = 0
    refinements: Sequence[float] | NDArray = ()
    patience: float = 0.0
    tie_margin: float = 0.0


def maximise(fit: Callable[..., Any], reference: float, search: LogSearch) -> tuple[Any, list]:
    """Trial with the largest score around a ``reference`` value, and all trials made.

    ``fit(value, trials)`` makes the trial at a value, warm-started from the trials so far. The grid is
    walked upwards from its start while the ``patience`` lasts, and downwards if that brought nothing. A score
    that is not finite counts as minus infinity.
    """
    grid = reference * np.asarray(search.multiples)
    values: list[float] = []
    scores: list[float] = []
    trials: list = []

    def try_values(candidates, patience):
        lost = 0.0
        for value in candidates:
            trials.append(fit(value, trials))
            values.append(value)
            scores.append(trials[-1].score if np.isfinite(trials[-1].score) else -np.inf)
            best = max(scores)
            lost = lost + best - scores[-1] if np.isfinite(best) and scores[-1] < best else 0.0
            if lost > patience:
                break

    try_values(grid[search.start :], search.patience)
    if np.argmax(scores) == 0:
        try_values(grid[: search.start][::-1], search.patience)
    for step in search.refinements:
        middle = values[np.argmax(scores)]
        try_values([middle / step, middle * step], np.inf)
    equal = [k for k, score in enumerate(scores) if score >= max(scores) - search.tie_margin]
    return trials[min(equal, key=values.__getitem__)], trials


def choose_kernel(
    fitter_of: Callable[[TrainingRows], Any],
    data: TrainingRows,
    kernel: Any,
    gamma: str | float,
    *,
    feature_scales: bool = False,
    seed: int = 0,
) -> tuple[Trial, list[Trial]]:
    """Chosen trial on all rows, and the trials made on the way.

    Parameters
    ----------
    fitter_of : callable
        Fitter of some training rows.
    data : TrainingRows
        All training rows.
    kernel : Kernel
        Kernel without its gamma.
    gamma : str or float
        A value, "scale", or a rule by which the fitter scores values around the kernel's reference.
    feature_scales : bool
        Whether each feature may get a scale of its own.
    seed : int
        Seed of the draw of rows where there are more than 4000.
    """
    fitter = fitter_of(data)
    if not kernel.has_gamma or gamma not in ("evidence", "loo", "cv"):
        value = scale_gamma(data.X) if isinstance(gamma, str) else float(gamma)
        only = complete(fitter, fitter.fit(value))
        return only, list(only.restarts or (only,))
    if len(data.y) > SEARCH_ROWS:
        part = data.sample(SEARCH_ROWS, np.random.default_rng(seed))
        chosen, trials = choose_kernel(fitter_of, part, kernel, gamma, feature_scales=feature_scales)
        return fitter.refit(chosen), trials
    best, trials = maximise(fitter.fit, kernel.reference_gamma(data.X), fitter.search)
    best = complete(fitter, best)
    if not feature_scales or not 1 < fitter.problem.varies.sum() <= len(data.y):
        return best, trials
    best, scaled = choose_scales(fitter, best, trials)
    return best, [*trials, *scaled]
