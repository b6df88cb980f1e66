"""Factor of the latent means of classes by which labels left out are most probable."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from ....basis import GivenRows
from ....inference import ClassFits
from ....likelihoods import MultinomialProbit
from ..problem import ProcessProblem

# Bounds of the logarithm of the factor, its tolerance, and the standard deviation of its normal prior around
# none; set by hand, on half splits 0-1 of 8 sets.
_BOUNDS, _TOLERANCE, _STD = (-0.7, 1.1), 0.02, 0.5


def sharpness(fits: ClassFits, left: NDArray, offsets: NDArray, problem: ProcessProblem) -> float:
    """Factor of the deviations of the latent means from their prior means.

    Joint propagation is too cautious where classes separate. The factor maximises the log probability of
    each label given all others, whose latent values are the cavities of propagation. Labels of copies know
    each other: where rows have copies it is one, and where the kernel is given. Probabilities far from all
    data stay as they are.
    """
    data = problem.rows
    is_given = not problem.learns_kernel or isinstance(problem.kernels[0], GivenRows)
    if data is not problem.data or is_given:
        return 1.0
    whole = fits._replace(sites=data.weights[:, None] * fits.sites)
    mean, variance = whole.left_out(np.ones(len(data.y)))
    likelihood, total = MultinomialProbit(), np.maximum(variance, 0.0) + left

    def loss(log_factor: float) -> float:
        log_p = likelihood.log_predictive(data.y, offsets + np.exp(log_factor) * mean, total)
        return 0.5 * (log_factor / _STD) ** 2 - data.weights @ log_p

    found = minimize_scalar(loss, bounds=_BOUNDS, method="bounded", options={"xatol": _TOLERANCE})
    return float(np.exp(found.x)) if found.fun < loss(0.0) else 1.0
