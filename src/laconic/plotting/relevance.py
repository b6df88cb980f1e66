"""Which columns matter, and how surely."""

from .canvas import new_axes
from .summaries import log_precisions, weights


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
