"""Gaussian sites exp(shift·u − ½ precision·u²) of one variable, in natural parameters.

An empty site is precision = shift = 0, so nothing is ever infinite. All functions are elementwise.
"""

import numpy as np

__all__ = ["cavity", "log_scale"]


def cavity(mean, var, precision, shift):
    """Mean and variance of N(mean, var) with a site taken out; the variance is not positive when none is left."""
    slack = 1 - precision * var
    return (mean - var * shift) / slack, var / slack


def log_scale(log_z, precision, shift, mean, var):
    """log C of the site C exp(shift·u − ½ precision·u²) whose integral against the cavity N(mean, var) is Ẑ."""
    spread = 1 + precision * var
    exponent = (2 * shift * mean + np.square(shift) * var - precision * np.square(mean)) / spread
    return log_z + 0.5 * np.log(spread) - 0.5 * exponent
