"""Confusion between classes: posterior of the labels of each true class."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from ...likelihoods import MultinomialProbit


@dataclass(frozen=True)
class Confusion:
    """Dirichlet posteriors of the labels of each true class.

    Parameters
    ----------
    concentrations : ndarray of shape (n_classes, n_classes)
        Dirichlet parameters, a row for each true class.
    """

    concentrations: NDArray

    @property
    def mean(self) -> NDArray:
        """Expected share of each label among the rows of each true class."""
        return self.concentrations / self.concentrations.sum(axis=1, keepdims=True)

    @property
    def noise(self) -> NDArray:
        """Beta parameters of the share of wrong labels of each true class, shape (n_classes, 2)."""
        right = np.diag(self.concentrations)
        return np.column_stack([self.concentrations.sum(axis=1) - right, right])

    def true_classes(self, means: NDArray, variances: NDArray, codes: NDArray) -> tuple[NDArray, NDArray]:
        """Probability of each true class given a label, and the log probability of the label.

        Parameters
        ----------
        means, variances : ndarray of shape (n_rows, n_classes)
            Moments of the latent values.
        codes : ndarray of shape (n_rows,)
            Codes of the labels.
        """
        joint = MultinomialProbit().log_probabilities(means, variances) + np.log(self.mean[:, codes]).T
        log_label = logsumexp(joint, axis=1)
        return np.exp(joint - log_label[:, None]), log_label
