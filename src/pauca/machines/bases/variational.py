"""Variational inference in relevance vector machines: posteriors of the precisions, and the lower bound."""

from dataclasses import replace
from functools import partial

import numpy as np

from ...fitting import STARTS, Recipe
from ...priors import Gamma, GammaARD
from ...validation import check_hyperprior, check_number


def check_variational_arguments(machine):
    """Check the arguments that only variational inference uses."""
    check_hyperprior("hyperprior", machine.hyperprior)
    check_number("threshold", machine.threshold, 0)


def variational_recipe(machine, likelihood, engine, warm_start_engine=None):
    """Recipe of weights whose precisions have a Gamma hyperprior."""
    prior = partial(GammaARD, hyperprior=Gamma(*check_hyperprior("hyperprior", machine.hyperprior)))
    recipe = Recipe(likelihood, engine, prior, warm_start_engine=warm_start_engine)
    if machine.start == "random":
        return recipe
    start = STARTS[machine.start]
    if machine.start == "empty":
        return replace(recipe, initial_columns=start, warm_starts=False)
    return replace(recipe, initial_columns=start, warm_starts=False, warm_start_engine=None, selects=False)


class VariationalAttributes:
    """Fitted attributes that exist for ``inference="variational"`` only."""

    expansions_: list
    relevance_: np.ndarray
    log_evidence_: float

    def _need_posteriors(self, name):
        if self.expansions_[0].alpha is None:
            raise AttributeError(f'{name} exists for inference="variational" only.')

    @property
    def lower_bound_(self) -> float:
        """Lower bound on the log evidence of the columns that are kept."""
        self._need_posteriors("lower_bound_")
        return self.log_evidence_

    @property
    def alpha_posterior_(self) -> Gamma:
        """Posteriors of the precisions of ``dual_coef_``: ``shape`` and ``rate`` are arrays of its shape.

        Entries of vectors that a latent function does not use are nan.
        """
        self._need_posteriors("alpha_posterior_")
        shape, rate = (np.full((len(self.expansions_), len(self.relevance_)), np.nan) for _ in range(2))
        for k, expansion in enumerate(self.expansions_):
            alpha = expansion.dual_alpha
            shape[k, expansion.columns], rate[k, expansion.columns] = alpha.shape, alpha.rate
        return Gamma(shape, rate)


class VariationalNoise(VariationalAttributes):
    """Fitted attributes of regressors that exist for ``inference="variational"`` only."""

    @property
    def noise_posterior_(self) -> Gamma:
        """Posterior of the noise precision, for ``inference="variational"`` only."""
        self._need_posteriors("noise_posterior_")
        return self.expansions_[0].likelihood.posterior
