"""Linear algebra, quadrature, special functions and compilation that the rest of the library builds on."""

from .averages import steady_average, steady_units
from .distinct import all_entries, few_entries
from .fixed_point import Accelerator
from .linalg import (
    add_to_diagonal,
    half_log_det,
    inverse_diagonal,
    inverse_of_factor,
    robust_cholesky,
    solve_lower,
    solve_upper,
    solve_with_factor,
    squared_lengths_within,
    threads_for,
    weighted_normal_equations,
)
from .normal import (
    inverse_mills,
    log_ndtr,
    log_ndtr_by_mills,
    mills_curvature,
    mills_terms,
    probit_quantile,
)
from .quadrature import gauss_hermite, gaussian_expectation, log_gaussian_expectation
from .votes import votes

__all__ = [
    "Accelerator",
    "add_to_diagonal",
    "all_entries",
    "few_entries",
    "gauss_hermite",
    "gaussian_expectation",
    "half_log_det",
    "inverse_diagonal",
    "inverse_mills",
    "inverse_of_factor",
    "log_gaussian_expectation",
    "log_ndtr",
    "log_ndtr_by_mills",
    "mills_curvature",
    "mills_terms",
    "probit_quantile",
    "robust_cholesky",
    "solve_lower",
    "solve_upper",
    "solve_with_factor",
    "squared_lengths_within",
    "steady_average",
    "steady_units",
    "threads_for",
    "votes",
    "weighted_normal_equations",
]
