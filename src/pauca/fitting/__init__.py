"""Fitting: the one place where basis, likelihoods, priors, inference and selection meet.

A machine is a `Recipe` of parts. Its `Fitter` makes a `Trial` at one value of the kernel parameter;
`choose_kernel` searches over that parameter, and `choose_scales` over a scale for every feature.
"""

from .classes import majority_targets, one_vs_rest, signs_of, stacked
from .data import TrainingRows, training_rows, wide_rows
from .fitter import Fit, FitProblem, Fitter, Model, Trial
from .kernel_choice import RULES, SEARCH_ROWS, choose_kernel
from .recipe import BIAS_PRECISION, STARTS, Limits, Recipe
from .scores import subset_penalty

__all__ = [
    "BIAS_PRECISION",
    "RULES",
    "SEARCH_ROWS",
    "STARTS",
    "Fit",
    "FitProblem",
    "Fitter",
    "Limits",
    "Model",
    "Recipe",
    "TrainingRows",
    "Trial",
    "choose_kernel",
    "majority_targets",
    "one_vs_rest",
    "signs_of",
    "stacked",
    "subset_penalty",
    "training_rows",
    "wide_rows",
]
