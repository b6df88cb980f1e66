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


def plot_confidence_curves(shares, curves, *, ax=None, xlabel="share of rows, surest first", ylabel="error"):
    """A value for each share of the rows, a line for each method.

    Parameters
    ----------
    shares : array-like of shape (n,)
        `pauca.evaluation.SHARES`.
    curves : mapping of str to array-like of shape (n,)
    ax : matplotlib axes, optional
    xlabel, ylabel : str

    Returns
    -------
    matplotlib axes
    """
    ax = new_axes() if ax is None else ax
    for place, (method, values) in enumerate(curves.items()):
        marker = _MARKERS[place % len(_MARKERS)]
        ax.plot(shares, values, linewidth=1.3, marker=marker, markersize=4, label=method)
    ax.set(xlim=(0, 1.02), xlabel=xlabel, ylabel=ylabel)
    ax.set_ylim(bottom=0)
    return ax
