"""Class schemes: whose weights are inferred together, those of one latent function or of all classes.

A scheme holds the targets of its latent functions and gives the ``final`` posteriors for lists with one
prior, design and warm start for each of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inference import WarmStart, joint_ep, leave_one_out
from ..likelihoods import MultinomialProbit, Softmax
from ..priors import ARD
from ..selection import loo_estimates
from .recipe import BIAS_PRECISION, Recipe


def one_vs_rest(codes: NDArray, n_classes: int) -> list[NDArray]:
    """Targets in {-1, +1}: one latent function for two classes, else one for each class against the rest.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows,)
        Class of each row.
    n_classes : int
        Number of classes.
    """
    positive = range(n_classes) if n_classes > 2 else (1,)
    return [np.where(codes == code, 1.0, -1.0) for code in positive]


def majority_targets(weights: NDArray) -> tuple[list[NDArray], list[NDArray]]:
    """Signs of the heavier label of each row, and the weights of both labels, the heavier first.

    There is one latent function for two classes, else one for each class against the rest.

    Parameters
    ----------
    weights : ndarray of shape (n_rows, n_classes)
        Weights of the labels of each class.

    Returns
    -------
    targets : list of ndarray of shape (n_rows,)
        Targets in {-1, +1} of each latent function.
    votes : list of ndarray of shape (n_rows, 2)
        Weights of the labels that agree with the target, and of the others.
    """
    n_classes = weights.shape[1]
    targets, votes = [], []
    for code in range(n_classes) if n_classes > 2 else (1,):
        own = weights[:, code]
        rest = np.delete(weights, code, axis=1).sum(axis=1)
        targets.append(np.where(own >= rest, 1.0, -1.0))
        votes.append(np.column_stack([np.maximum(own, rest), np.minimum(own, rest)]))
    return targets, votes


def signs_of(basis: Any, target: NDArray) -> NDArray:
    """Label of the centre of each column, zero where it is not known.

    Parameters
    ----------
    basis : Basis
        Candidate columns.
    target : ndarray of shape (n_rows,)
        Labels in {-1, +1}.
    """
    return np.where(basis.centre_rows >= 0, target[basis.centre_rows], 0.0)


@dataclass(frozen=True)
class Binary:
    """One latent function with the likelihood and engine of a recipe; Laplace while columns are selected."""

    recipe: Recipe
    y: NDArray
    weights: NDArray

    is_joint = False

    @property
    def targets(self) -> list[NDArray]:
        """Labels in {-1, +1}, or numbers."""
        return [self.y]

    @property
    def parts(self) -> list["Binary"]:
        """Schemes whose weights are inferred apart."""
        return [self]

    @property
    def likelihood(self) -> Any:
        """Likelihood of the models that are kept."""
        return self.recipe.likelihood

    def final(self, priors, Phis, starts):
        """Posterior of the columns that are kept."""
        return self._by(self.recipe.engine, priors, Phis, starts)

    def _by(self, engine, priors, Phis, starts):
        start = None if starts is None else starts[0]
        return [engine(self.likelihood, priors[0], Phis[0], self.y, self.weights, start)]

    def log_density(self, moments):
        """log p(y) of each row, given mean and variance of its latent value."""
        return self.likelihood.log_predictive(self.y, *moments[0])

    def loo_estimates(self, models, tail_scale=1.0):
        """Leave-one-out estimates of the model, None where the recipe does not record them."""
        if not self.recipe.records_loo:
            return None
        mean, var = leave_one_out(models[0].Phi, models[0].posterior)
        return loo_estimates(models[0].likelihood, self.y, self.weights, mean, var, tail_scale)


@dataclass(frozen=True)
class OneVsRest:
    """A latent function for each class against the rest, each inferred by itself."""

    recipe: Recipe
    targets: list
    weights: NDArray

    is_joint = False

    @property
    def parts(self) -> list[Binary]:
        """Schemes whose weights are inferred apart."""
        return [Binary(self.recipe, target, self.weights) for target in self.targets]


@dataclass(frozen=True)
class Joint:
    """A latent function for each class in one multinomial probit model.

    Weights are at the mode that their engine found; the Gaussian at that mode is far too wide for many
    classes, so that the posterior has the moments of expectation propagation.
    """

    recipe: Recipe
    targets: list
    weights: NDArray
    likelihood: MultinomialProbit = field(default_factory=MultinomialProbit)

    is_joint = True

    @cached_property
    def codes(self) -> NDArray:
        """Class of each row, from the labels in {-1, +1} of each class against the rest."""
        return np.argmax(self.targets, axis=0)

    def final(self, priors, Phis, starts):
        """Posteriors of the columns that are kept, warm-started with the curvatures at the mode as sites."""
        if all(start.sites is None for start in starts):
            starts = self._with_sites(Phis, starts)
        return joint_ep(self.likelihood, priors, Phis, self.codes, self.weights, starts)

    def _with_sites(self, Phis, starts):
        softmax = Softmax.like_probit(len(self.targets))
        F = np.column_stack([Phi @ start.mean for Phi, start in zip(Phis, starts, strict=True)])
        gradient, curvatures = softmax.derivatives(self.codes, F)
        sites = np.stack([curvatures, gradient + curvatures * F])
        return [replace(start, sites=sites[:, :, k]) for k, start in enumerate(starts)]

    def log_density(self, moments):
        """log p(y) of each row, given means and variances of its latent values, a pair for each class."""
        return self.likelihood.log_predictive(self.codes, *stacked(moments))


def classes_of(targets: list, weights: NDArray, recipe: Recipe) -> Binary | OneVsRest | Joint:
    """Scheme of some targets: the one place that decides whose weights are inferred together."""
    if len(targets) == 1:
        return Binary(recipe, targets[0], weights)
    return (Joint if recipe.joint else OneVsRest)(recipe, targets, weights)


def stacked(moments: Sequence) -> list[NDArray]:
    """Arrays of means and of variances with a column for each class.

    Parameters
    ----------
    moments : sequence of (ndarray, ndarray)
        Means and variances of the latent values of each class.
    """
    return [np.column_stack(part) for part in zip(*moments, strict=True)]


def null_moments(classes: Binary | Joint) -> list:
    """Means and variances of the latent values of all rows in the model without columns."""
    ones, prior = np.ones((len(classes.weights), 1)), ARD(np.array([BIAS_PRECISION]))
    n_latent = len(classes.targets)
    starts = [WarmStart(np.zeros(1))] * n_latent
    posteriors = classes.final([prior] * n_latent, [ones] * n_latent, starts)
    return [posterior.latent(ones) for posterior in posteriors]
