"""Likelihoods p(y | f): how a latent value becomes an observation."""

from .base import BinaryLikelihood, Likelihood
from .gaussian import GammaGaussian, Gaussian
from .label_noise import LabelNoise
from .logit import Logit
from .multinomial import MultinomialProbit, Softmax
from .probit import Probit

__all__ = [
    "BinaryLikelihood",
    "GammaGaussian",
    "Gaussian",
    "LabelNoise",
    "Likelihood",
    "Logit",
    "MultinomialProbit",
    "Probit",
    "Softmax",
]
