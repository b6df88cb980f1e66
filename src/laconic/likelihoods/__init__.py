"""Likelihoods p(y | f): how a latent value becomes an observation."""

from .base import BinaryLikelihood, Likelihood
from .gaussian import GammaGaussian, Gaussian
from .label_noise import LabelNoise
from .logit import Logit
from .multinomial import multinomial_probit
from .probit import Probit

__all__ = [
    "BinaryLikelihood",
    "GammaGaussian",
    "Gaussian",
    "LabelNoise",
    "Likelihood",
    "Logit",
    "Probit",
    "multinomial_probit",
]
