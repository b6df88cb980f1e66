"""What a search for a sub-ensemble of one size finds."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SubEnsemble:
    """Members to keep, in rising order, their criterion, and a bound below the criterion of any as many."""

    selected: np.ndarray
    criterion: float
    lower_bound: float
