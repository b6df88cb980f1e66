"""Pictures of predictions: are probabilities right, and where are the errors?"""

from .canvas import new_axes

_MARKERS = "osD^vPX*<>"


def plot_reliability(curves, *, ax=None):
    """Observed frequency against stated probability, a line for each method.

    Parameters
    ----------
    curves : mapping of str to (stated, happened, rows)
        For example from `pauca.evaluation.pooled_calibration`; fuller bins have larger marks.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    ax = new_axes() if ax is None else ax
    ax.plot([0, 1], [0, 1], color="#999999", linestyle="--", linewidth=1, label="calibrated")
    for place, (method, (stated, happened, rows)) in enumerate(curves.items()):
        (line,) = ax.plot(stated, happened, linewidth=1.3, label=method)
        sizes = 12 + 60 * rows / rows.max()
        marker = _MARKERS[place % len(_MARKERS)]
        ax.scatter(stated, happened, s=sizes, color=line.get_color(), marker=marker, zorder=3)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xlabel="stated probability", ylabel="observed frequency")
    ax.set_aspect("equal")
    return ax


def plot_risk_coverage(
    coverage,
    curves,
    *,
    ax=None,
    xlabel="coverage (most confident rows first)",
    ylabel="error rate",
):
    """Risk-coverage curves: error among the most confident predictions, a line for each method.

    Parameters
    ----------
    coverage : array-like of shape (n,)
        Fractions of the rows.
    curves : mapping of str to array-like of shape (n,)
        Error among each fraction of the rows, by method.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.
    xlabel : str, default="coverage (most confident rows first)"
        Label of the horizontal axis.
    ylabel : str, default="error rate"
        Label of the vertical axis.

    Returns
    -------
    matplotlib axes
    """
    ax = new_axes() if ax is None else ax
    for place, (method, values) in enumerate(curves.items()):
        marker = _MARKERS[place % len(_MARKERS)]
        ax.plot(coverage, values, linewidth=1.3, marker=marker, markersize=4, label=method)
    ax.set(xlim=(0, 1.02), xlabel=xlabel, ylabel=ylabel)
    ax.set_ylim(bottom=0)
    return ax
