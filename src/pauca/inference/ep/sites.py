"""Gaussian sites exp(shift·u − ½ precision·u²) of one variable, in natural parameters.

An empty site is precision = shift = 0, so nothing is ever infinite. All functions are elementwise.
"""

import numpy as np

__all__ = ["cavity", "log_scale"]


def cavity(mean, var, precision, shift):
    """Mean and variance of N(mean, var) without a site; none exists where the variance is not positive."""
    slack = 1 - precision * var
    return (mean - var * shift) / slack, var / slack


def log_scale(log_z, precision, shift, mean, var):
    """log C such that C exp(shift·u − ½ precision·u²) has the integral Ẑ against the cavity N(mean, var)."""
    spread = 1 + precision * var
    exponent = (2 * shift * mean + np.square(shift) * var - precision * np.square(mean)) / spread
    return log_z + 0.5 * np.log(spread) - 0.5 * exponent
