"""Labels that may be wrong, in the plane."""

import numpy as np

from .surface import draw_probabilities


def plot_suspects(machine, X, y, *, threshold=0.5, truth=None, ax=None):
    """P(second class) of a Bayes machine of two classes and two features, with suspicious labels flagged.

    Parameters
    ----------
    machine : BayesMachineClassifier or SparseBayesMachineClassifier
        A fitted machine.
    X : array-like of shape (n_samples, 2)
        Training data.
    y : array-like of shape (n_samples,)
        Labels.
    threshold : float, default=0.5
        Rows are flagged whose label is wrong with at least this probability.
    truth : callable, default=None
        True probabilities of rows, for the best possible boundary.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    ax = draw_probabilities(machine, X, y, truth, ax)
    suspects = X[machine.flip_probability_ >= threshold]
    ax.scatter(
        suspects[:, 0],
        suspects[:, 1],
        s=130,
        marker="X",
        facecolors="none",
        edgecolors="black",
        label="suspects",
    )
    noise = f"{100 * machine.noise_:.1f} %"
    ax.set_title(f"{len(suspects)} of {len(X)} labels are suspicious; noise {noise}")
    return ax
