"""A single row of floats through a flat forest, without the checks that cost more than the answer."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Shortcut:
    """All that an answer about one row needs."""

    poll: Callable
    arguments: tuple
    shape: tuple
    classes: np.ndarray
    confidence: float

    def serves(self, X, confidence):
        """Whether X is one row of floats in one piece, to be asked with the same confidence."""
        return (
            X.__class__ is np.ndarray
            and X.shape == self.shape
            and X.dtype.char in "fd"
            and X.flags.c_contiguous
            and confidence == self.confidence
        )


def shortcut_of(voters, confidence):
    """The shortcut, where the members are trees and columns have no names to be checked."""
    ensemble = voters.ensemble
    if voters.forest is None or hasattr(ensemble, "feature_names_in_"):
        return None
    poll, arguments = voters.tally(0, confidence).shortcut(voters.forest)
    return Shortcut(poll, arguments, (1, ensemble.n_features_in_), ensemble.classes_, confidence)
