"""What machines share whose vectors speak for their own class."""

import numpy as np
from scipy.special import logit, ndtr
from sklearn.utils.validation import check_is_fitted

from ..learn import BIAS_PRECISION
from ..likelihoods import MultinomialProbit
from ..validation import check_share
from .carriers import precision_of_weights, with_that_of_the_bias
from .contests import stacked
from .generalization import (
    correlated_divergence,
    error_bound,
    gaussian_divergence,
    margin_loss,
    truncated_divergence,
)
from .labels import signs_of
from .vector_classifier import VectorClassifier

# Precision of the weights of plain kernel columns before any data (EPCVM 2014, section V).
_PRIOR_PRECISION = 0.5


class SignedClassifier(VectorClassifier):
    """Columns carry the labels of their centres and have positive weights.

    The machines of many classes share gamma; their latent values compete in one multinomial probit model, in
    which their weights are learned together unless each has a path of its own.
    """

    _is_signed = True

    def _combined(self, means, variances, quadrature):
        return MultinomialProbit().predict(means, variances)

    def _many_decisions(self, means, variances):
        return logit(np.clip(self._combined(means, variances, False), 1e-300, 1 - 1e-16))

    def _store(self, data, trial, basis, targets):
        super()._store(data, trial, basis, targets)
        self._n_rows = float(data.weights.sum())
        votes = _votes([fit.predictor for fit in trial.fits])
        pairs = zip(targets, votes, strict=True)
        self._margin_losses = [margin_loss(target * vote, data.weights) for target, vote in pairs]
        self._learned_together = _learned_together(trial.fits[0].predictor)
        self._divergences = _divergences_of_carriers(trial, basis, targets) if trial.amplitudes else None

    def generalization_bound(self, delta=0.05):
        """Upper bound on the error that holds with probability 1 − ``delta``, for each machine.

        Of many classes, the error of telling a class from the rest.

        The Rademacher bound of the paper: training loss at margin one plus a complexity that grows with the
        divergence of the posterior of the weights from their prior. The vectors were chosen by the data
        and those left out are not counted, so that it is a guide, not a certificate; values above one
        say nothing.

        Parameters
        ----------
        delta : float, default=0.05
            Probability with which the bound may fail.

        Returns
        -------
        bound : ndarray of shape (n_machines,)
        """
        check_is_fitted(self)
        check_share("delta", delta)
        divergences = self._divergences or [_divergence(expansion) for expansion in self.expansions_]
        if self._learned_together:
            divergences = [sum(divergences)] * len(divergences)
        return np.array(
            [
                error_bound(loss, divergence, self._n_rows, delta)
                for loss, divergence in zip(self._margin_losses, divergences, strict=True)
            ]
        )


def _learned_together(model):
    """Whether the weights of all classes belong to one model."""
    return isinstance(model.likelihood, MultinomialProbit)


def _votes(models):
    """E[sign f] for each row (EPCVM 2014, section V); of many classes E[P(k) − P(not k)]."""
    moments = [model.posterior.latent(model.Phi) for model in models]
    if not _learned_together(models[0]):
        return [2 * ndtr(mean / np.sqrt(var)) - 1 for mean, var in moments]
    return (2 * MultinomialProbit().predict(*stacked(moments)) - 1).T


def _divergences_of_carriers(trial, basis, targets):
    """KL of the weights of standardised columns, and of the bias, with the prior of the kernel."""
    divergences = []
    for fit, target, amplitude in zip(trial.fits, targets, trial.amplitudes.values, strict=True):
        active, posterior = fit.model.active, fit.model.posterior
        signed = basis.signed(signs_of(basis, target))
        precision = precision_of_weights(signed, active, signed.columns(active)[2], amplitude)
        whole = with_that_of_the_bias(precision)
        divergences.append(float(correlated_divergence(posterior.mean, posterior.factor, whole)))
    return divergences


def _divergence(expansion):
    """KL of the weights of plain kernel columns, cut at zero, and of the bias."""
    precision = 1 / expansion.variances
    weights = truncated_divergence(
        np.abs(expansion.dual_coef), precision[1:] * np.square(expansion.scale), _PRIOR_PRECISION
    )
    return float(weights.sum() + gaussian_divergence(expansion.mean[0], precision[0], BIAS_PRECISION))
