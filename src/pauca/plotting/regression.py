"""A fitted curve with its error bars."""

import numpy as np

from .canvas import CIRCLE, new_axes
from .summaries import curve


def plot_fit(machine, X, y, *, truth=None, n_std=2.0, ax=None):
    """Predictive mean and error bars of a regressor of one feature, its rows and its relevance vectors.

    Parameters
    ----------
    machine : regressor
        A fitted machine.
    X : array-like of shape (n_samples, 1)
        Training data.
    y : array-like of shape (n_samples,)
        Targets.
    truth : callable, default=None
        The function behind the data, drawn in grey.
    n_std : float, default=2.0
        Half the width of the band, in standard deviations of a new observation.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    drawn = curve(machine, X)
    ax = new_axes() if ax is None else ax
    x, y = np.asarray(X, dtype=float)[:, 0], np.asarray(y)
    band = drawn.mean - n_std * drawn.std, drawn.mean + n_std * drawn.std
    ax.fill_between(drawn.x, *band, color="tab:blue", alpha=0.2, linewidth=0, label=f"±{n_std:g} std")
    if truth is not None:
        ax.plot(drawn.x, truth(drawn.x), color="grey", label="truth")
    ax.plot(drawn.x, drawn.mean, color="black", label="mean")
    ax.scatter(x, y, s=14, color="tab:blue", label="rows")
    kept = machine.relevance_
    ax.scatter(x[kept], y[kept], **CIRCLE)
    ax.set(xlabel="x", ylabel="y", title=f"{len(kept)} of {len(x)} rows are kept")
    ax.legend()
    return ax
