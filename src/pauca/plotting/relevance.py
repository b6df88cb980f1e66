"""Which columns and features matter, and how surely."""

import numpy as np

from .canvas import new_axes
from .summaries import feature_names, log_precisions, weights


def plot_precisions(machine, *, bins=20, ax=None):
    """Histogram of log10⟨α⟩ of the weights that are kept.

    Parameters
    ----------
    machine : estimator
        A machine fitted with ``inference="variational"``.
    bins : int, default=20
        Number of bins.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    values = log_precisions(machine)
    ax = new_axes() if ax is None else ax
    ax.hist(values, bins=bins, color="tab:blue")
    ax.set(
        xlabel=r"$\log_{10}\langle\alpha\rangle$", ylabel="weights", title=f"{len(values)} weights are kept"
    )
    return ax


def plot_weights(machine, *, which=0, ax=None):
    """Stems of the mean weights over the rows on which their columns are centred.

    Parameters
    ----------
    machine : estimator
        A fitted machine.
    which : int, default=0
        Which machine of a problem with more than two classes.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    rows, coef = weights(machine, which)
    ax = new_axes() if ax is None else ax
    ax.axhline(0.0, color="grey", linewidth=0.8)
    if len(rows):
        ax.stem(rows, coef, basefmt=" ")
    ax.set(xlabel="row of the training data", ylabel="mean weight", title=f"{len(rows)} weights are not zero")
    return ax


def plot_feature_scales(machine, *, top=20, ax=None):
    """Bars of the scales that the features have in the kernel, largest first.

    Parameters
    ----------
    machine : estimator
        A fitted machine with ``feature_scales_``.
    top : int, default=20
        How many features are shown.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    scales = machine.feature_scales_
    best = np.argsort(-scales, kind="stable")[:top]
    ax = new_axes() if ax is None else ax
    ax.barh(np.arange(len(best)), scales[best], color="tab:blue")
    ax.axvline(1.0, color="grey", linewidth=0.8)
    ax.set_yticks(np.arange(len(best)), feature_names(machine, best))
    ax.invert_yaxis()
    ax.set(xlabel="scale in the kernel", ylabel="feature", title=f"{len(best)} of {len(scales)} features")
    return ax
