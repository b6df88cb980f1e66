"""Likelihoods p(y | f): how a latent value becomes an observation."""

from .base import BinaryLikelihood, Likelihood
from .counts import EXPOSED_COUNT, CountLikelihood, exposed_counts
from .gaussian import GammaGaussian, Gaussian
from .label_noise import LabelNoise, UncertainClass
from .logit import Logit
from .multinomial import MultinomialProbit, Softmax
from .negative_binomial import NegativeBinomial
from .ordinal import CumulativeProbit
from .poisson import Poisson
from .predictive import ContinuousPredictive, DiscretePredictive, NumericLikelihood, Predictive
from .probit import Probit
from .student_t import StudentT

__all__ = [
    "EXPOSED_COUNT",
    "BinaryLikelihood",
    "ContinuousPredictive",
    "CountLikelihood",
    "CumulativeProbit",
    "DiscretePredictive",
    "GammaGaussian",
    "Gaussian",
    "LabelNoise",
    "Likelihood",
    "Logit",
    "MultinomialProbit",
    "NegativeBinomial",
    "NumericLikelihood",
    "Poisson",
    "Predictive",
    "Probit",
    "Softmax",
    "StudentT",
    "UncertainClass",
    "exposed_counts",
]
