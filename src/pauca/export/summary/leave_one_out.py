"""Leave-one-out scores of a machine, from moments of its latent functions without each row."""

import numpy as np
from numpy.typing import NDArray

from ..links import Link

# Probability below which none counts in a log-loss.
_LEAST = 1e-15


def leave_one_out_scores(
    link: Link, left_out: tuple[NDArray, NDArray] | None, y: NDArray, weights: NDArray
) -> dict[str, float]:
    """Scores of the predictions of each row by all others, at fixed hyperparameters and vectors.

    Parameters
    ----------
    link : Link
        From moments of the latent functions to predictions.
    left_out : tuple of two ndarrays of shape (n_rows, n_latent), or None
        Means and variances of the latent functions at each row given the other rows; None: not known.
    y : ndarray of shape (n_rows,)
        Codes of the classes, or numbers; counts with exposures are records.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.

    Returns
    -------
    scores : dict
        "error" and "log-loss" of classes, "R²" and "log-loss" of numbers; none where nothing is known.
    """
    if left_out is None:
        return {}
    share = weights / weights.sum()
    if link.scheme == "number":
        return _of_numbers(link, *left_out, y, share)
    p = link.probabilities(*left_out)
    codes = np.asarray(y, dtype=int)
    own = p[np.arange(len(codes)), codes]
    # A tie is an error.
    others = np.where(np.arange(p.shape[1]) == codes[:, None], -1.0, p).max(axis=1)
    return {
        "error": float(share @ (own <= others)),
        "log-loss": float(-share @ np.log(np.maximum(own, _LEAST))),
    }


def _of_numbers(link, means, variances, y, share):
    """Scores of numbers in the units of the machine."""
    loss = -share @ link.likelihood.log_predictive(y, means[:, 0], variances[:, 0])
    if y.dtype.names is not None:
        return {"log-loss": float(loss)}
    mean, _ = link.numbers(means, variances)
    spread = share @ np.square(y - share @ y)
    rest = share @ np.square(y - mean)
    r2 = {"R²": float(1 - rest / spread)} if spread > 0 else {}
    return {**r2, "log-loss": float(loss)}
