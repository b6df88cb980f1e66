"""Base of classifiers whose columns have the labels of their centres as signs and positive weights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, ndtr
from sklearn.utils.validation import check_is_fitted

from ...export import Link
from ...fitting import BIAS_PRECISION, one_vs_rest, stacked
from ...likelihoods import MultinomialProbit
from ...validation import check_share
from .generalization import (
    error_bound,
    gaussian_divergence,
    margin_loss,
    truncated_divergence,
)
from .kernel_classifier import VectorClassifier

# Precision of the weights of plain kernel columns before any data (EPCVM 2014, section V).
_PRIOR_PRECISION = 0.5


class SignedClassifier(VectorClassifier):
    """Classifier whose columns have the labels of their centres as signs, and positive weights.

    The latent functions of many classes share gamma and predict in one multinomial probit model, whether or
    not their weights are inferred jointly.
    """

    def _link(self):
        return Link("multinomial") if len(self.expansions_) > 1 else super()._link()

    def _class_probabilities(self, means, variances, quadrature=False):
        return MultinomialProbit().predict(means, variances)

    def _class_log_probabilities(self, means, variances):
        return MultinomialProbit().log_probabilities(means, variances)

    def _class_log_odds(self, means, variances):
        return logit(np.clip(self._class_probabilities(means, variances), 1e-300, 1 - 1e-16))

    def _store(self, data, trial, basis, targets, recipe):
        super()._store(data, trial, basis, targets, recipe)
        self._n_rows = float(data.weights.sum())
        votes = _votes([fit.predictor for fit in trial.fits], trial.joint)
        pairs = zip(targets, votes, strict=True)
        self._margin_losses = [margin_loss(target * vote, data.weights) for target, vote in pairs]
        self._is_joint = trial.joint

    def _store_margins(self, source):
        total = source.total(_MarginPass(self))
        self._n_rows, self._is_joint = float(total[0]), False
        self._margin_losses = [float(loss) for loss in total[1:] / total[0]]

    def generalization_bound(self, delta: float = 0.05) -> NDArray:
        """Upper bound on the error that holds with probability 1 − ``delta``.

        The Rademacher bound of Chen, Tino & Yao (2014): training loss at margin one plus a complexity penalty
        that grows with the divergence of the posterior of the weights from their prior. It is a guide, not a
        certificate, because it does not count that the vectors were chosen by the data; values above one are
        not informative. With more than two classes, the error is that of each class against the rest.

        Parameters
        ----------
        delta : float, default=0.05
            Probability with which the bound may fail.

        Returns
        -------
        bound : ndarray of shape (n_latent,)
            Bound for two classes, else one for each class.
        """
        check_is_fitted(self)
        check_share("delta", delta)
        divergences = [_divergence(expansion) for expansion in self.expansions_]
        if self._is_joint:
            divergences = [sum(divergences)] * len(divergences)
        return np.array(
            [
                error_bound(loss, divergence, self._n_rows, delta)
                for loss, divergence in zip(self._margin_losses, divergences, strict=True)
            ]
        )


@dataclass(frozen=True)
class _MarginPass:
    """Function from a block of rows to their weight, and the summed margin loss of each latent function."""

    machine: SignedClassifier

    def __call__(self, block):
        moments, n_classes = self.machine._latent_moments(block.X), len(self.machine.classes_)
        targets = [block.y] if n_classes == 2 else one_vs_rest(block.y, n_classes)
        total = block.weights.sum()
        losses = [
            total * margin_loss(target * (2 * ndtr(mean / np.sqrt(var)) - 1), block.weights) if total else 0.0
            for target, (mean, var) in zip(targets, moments, strict=True)
        ]
        return np.array([total, *losses])


def _votes(models, is_joint):
    """E[sign f] of each row (EPCVM 2014, section V); with more than two classes E[P(k) − P(not k)]."""
    moments = [model.posterior.latent(model.Phi) for model in models]
    if not is_joint:
        return [2 * ndtr(mean / np.sqrt(var)) - 1 for mean, var in moments]
    return (2 * MultinomialProbit().predict(*stacked(moments)) - 1).T


def _divergence(expansion):
    """KL of the weights of plain kernel columns, cut at zero, and of the bias."""
    precision = 1 / expansion.variances
    weights = truncated_divergence(
        np.abs(expansion.dual_coef), precision[1:] * np.square(expansion.scale), _PRIOR_PRECISION
    )
    return float(weights.sum() + gaussian_divergence(expansion.mean[0], precision[0], BIAS_PRECISION))
