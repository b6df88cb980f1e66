"""What variational inference adds to a machine: posteriors of the precisions, and the lower bound."""

from functools import partial

import numpy as np

from ..learn import Recipe
from ..priors import Gamma, GammaARD
from ..validation import check_hyperprior, check_number


def check_variational_arguments(machine):
    """Arguments that only variational inference uses, but which must be right in any case."""
    check_hyperprior("hyperprior", machine.hyperprior)
    check_number("threshold", machine.threshold, 0)


def variational_recipe(machine, likelihood, engine, pilot=None):
    """The machine whose weights have precisions with a Gamma hyperprior."""
    prior = partial(GammaARD, hyperprior=Gamma(*check_hyperprior("hyperprior", machine.hyperprior)))
    return Recipe(likelihood, engine, prior, machine.threshold, pilot)


class VariationalAttributes:
    """Fitted attributes of machines with ``inference="variational"``."""

    expansions_: list
    relevance_: np.ndarray
    log_evidence_: float

    def _need_posteriors(self, name):
        if self.expansions_[0].alpha is None:
            raise AttributeError(f'{name} exists for inference="variational" only.')

    @property
    def lower_bound_(self):
        """Lower bound on the log evidence of the columns that are kept."""
        self._need_posteriors("lower_bound_")
        return self.log_evidence_

    @property
    def alpha_posterior_(self):
        """Posteriors of the precisions of ``dual_coef_``: ``shape`` and ``rate`` are arrays of its shape.

        Entries of vectors that a machine does not use are nan.
        """
        self._need_posteriors("alpha_posterior_")
        shape, rate = (np.full((len(self.expansions_), len(self.relevance_)), np.nan) for _ in range(2))
        for k, expansion in enumerate(self.expansions_):
            alpha = expansion.dual_alpha
            shape[k, expansion.columns], rate[k, expansion.columns] = alpha.shape, alpha.rate
        return Gamma(shape, rate)
