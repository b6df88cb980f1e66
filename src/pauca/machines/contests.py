"""Whose weights are inferred together: those of one machine of two classes, or of all classes of many.

Both have the ``targets`` of their machines, make posteriors of priors, designs and starts (lists with one
entry for each machine), ``roughly`` while vectors are chosen and ``closely`` of those that are kept, and
judge models by leaving out single rows. A vector must be worth a ``share`` of what is asked to each machine.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from ..inference import WarmStart, joint_ep, joint_laplace, laplace, leave_one_out
from ..learn import Recipe, judgement
from ..likelihoods import MultinomialProbit, Softmax
from ..priors import ARD
from ..selection import judge_probabilities

# The mode on the way, where the decrement of Newton's method need not be smaller.
_ROUGH = 1e-3


@dataclass(frozen=True)
class TwoClasses:
    """One machine, with the likelihood and the engine of a recipe; the way there is that of Laplace."""

    recipe: Recipe
    y: np.ndarray
    weights: np.ndarray

    share = 1.0

    @property
    def targets(self):
        """Labels in {-1, +1}."""
        return [self.y]

    @property
    def likelihood(self):
        """Of the models that are kept."""
        return self.recipe.likelihood

    def roughly(self, priors, Phis, starts):
        """The posterior on the way."""
        return self._by(partial(laplace, tol=_ROUGH), priors, Phis, starts)

    def closely(self, priors, Phis, starts):
        """The posterior at the end."""
        return self._by(self.recipe.engine, priors, Phis, starts)

    def _by(self, engine, priors, Phis, starts):
        start = None if starts is None else starts[0]
        return [engine(self.likelihood, priors[0], Phis[0], self.y, self.weights, start)]

    def log_density(self, moments):
        """log p(y) of each row, given mean and variance of its latent value."""
        return self.likelihood.log_predictive(self.y, *moments[0])

    def judgement(self, models):
        """Leave-one-out estimates, where they are wanted."""
        return judgement(models[0], self.y, self.weights) if self.recipe.judged else None


@dataclass(frozen=True)
class ManyClasses:
    """A machine for each class in one multinomial probit model of their latent values.

    On the way a softmax with the same slopes stands for it, at the mode of all weights. Around that mode
    Laplace's Gaussian is far too cautious for many classes; at the end moments are matched instead.
    """

    targets: list
    weights: np.ndarray
    judged: bool = False
    likelihood: MultinomialProbit = field(default_factory=MultinomialProbit)

    # A vector speaks for its class and against others: its worth is spread over their machines.
    share = 0.25

    @cached_property
    def codes(self):
        """The class of each row; ``targets`` are labels in {-1, +1} of each class against the rest."""
        return np.argmax(self.targets, axis=0)

    @cached_property
    def _softmax(self):
        return Softmax.like_probit(len(self.targets))

    def roughly(self, priors, Phis, starts):
        """Posteriors on the way."""
        return joint_laplace(self._softmax, priors, Phis, self.codes, self.weights, starts, _ROUGH)

    def closely(self, priors, Phis, starts):
        """Posteriors at the end, with the curvatures at the mode as first sites."""
        if all(start.sites is None for start in starts):
            starts = self._with_sites(Phis, starts)
        return joint_ep(self.likelihood, priors, Phis, self.codes, self.weights, starts)

    def _with_sites(self, Phis, starts):
        F = np.column_stack([Phi @ start.mean for Phi, start in zip(Phis, starts, strict=True)])
        slopes, curvatures = self._softmax.derivatives(self.codes, F)
        sites = np.stack([curvatures, slopes + curvatures * F])
        return [replace(start, sites=sites[:, :, k]) for k, start in enumerate(starts)]

    def log_density(self, moments):
        """log p(y) of each row, given means and variances of its latent values, a pair for each class."""
        return self.likelihood.log_predictive(self.codes, *stacked(moments))

    def judgement(self, models):
        """Leave-one-out estimates, where they are wanted."""
        if not self.judged:
            return None
        moments = stacked([leave_one_out(model.Phi, model.posterior) for model in models])
        return judge_probabilities(self.likelihood.predict(*moments), self.codes, self.weights)


def stacked(moments):
    """Arrays of means and of variances with a column for each class."""
    return [np.column_stack(part) for part in zip(*moments, strict=True)]


def contest_of(targets, weights, recipe):
    """That of one machine, or of the machines of all classes."""
    if len(targets) == 1:
        return TwoClasses(recipe, targets[0], weights)
    return ManyClasses(targets, weights, recipe.judged)


def null_moments(contest, bias_precision):
    """Means and variances of latent values that are the same for all rows."""
    ones, prior = np.ones((len(contest.weights), 1)), ARD(np.array([bias_precision]))
    n_machines = len(contest.targets)
    starts = [WarmStart(np.zeros(1))] * n_machines
    posteriors = contest.closely([prior] * n_machines, [ones] * n_machines, starts)
    return [posterior.latent(ones) for posterior in posteriors]
