"""Weights, precisions and feature scales of a fitted machine, and the path of its search."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .canvas import new_axes
from .summaries import feature_names, log_precisions, weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Panels of the path: names of its columns, and labels.
_PATH_PANELS = {
    "log_evidence": "log evidence",
    "loo_probability": "leave-one-out\nprobability of error",
    "loo_error": "leave-one-out\nerror rate",
    "n_terms": "terms",
}


def plot_precisions(machine: Any, *, bins: int = 20, ax: "Axes | None" = None) -> "Axes":
    """Histogram of the posterior mean precisions α of the kept weights, as log10⟨α⟩.

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


def plot_weights(machine: Any, *, which: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Stem plot of the mean weights over the training rows on which their columns are centred.

    Parameters
    ----------
    machine : estimator
        A fitted machine.
    which : int, default=0
        Index of the class, with more than two classes.
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


def plot_feature_scales(machine: Any, *, top: int = 20, ax: "Axes | None" = None) -> "Axes":
    """Bars of the scales that multiply the features in the kernel, largest first.

    Parameters
    ----------
    machine : estimator
        A fitted machine with ``feature_scales_``.
    top : int, default=20
        Number of features that are shown.
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


def plot_path(
    machine: Any, *, which: int = 0, test_error: ArrayLike | None = None, ax: Any = None
) -> np.ndarray:
    """Evidence, leave-one-out estimates and number of terms along the path, the chosen round marked.

    Parameters
    ----------
    machine : ARDClassifier, EPCVMClassifier, RVMClassifier or SparseGPClassifier
        A fitted machine; other than ARDClassifier with ``inference="ep"``.
    which : int, default=0
        Index of the class, with more than two classes; classes that are inferred jointly have one path.
    test_error : array-like of shape (n_rounds,), default=None
        Error rates on test rows to draw beside the leave-one-out error rates.
    ax : array of four matplotlib axes, default=None
        Where to draw; by default on new axes, one above the other.

    Returns
    -------
    ax : array of four matplotlib axes
    """
    path, chosen = _path(machine, which)
    axes = np.ravel(new_axes(len(_PATH_PANELS)) if ax is None else ax)
    if len(axes) != len(_PATH_PANELS):
        raise ValueError(f"ax must be {len(_PATH_PANELS)} axes; got {len(axes)}.")
    for panel, (name, label) in zip(axes, _PATH_PANELS.items(), strict=True):
        panel.plot(path[name], color="tab:blue")
        panel.axvline(chosen, color="tab:orange", linestyle="--")
        panel.set_ylabel(label)
        panel.label_outer()
    if test_error is not None:
        axes[2].plot(np.asarray(test_error), color="tab:grey", label="test rows")
        axes[2].legend()
    axes[-1].set_xlabel("round")
    axes[0].set_title(f"{len(path)} rounds, round {chosen} is kept")
    axes[0].figure.align_ylabels(axes)
    return axes


def _path(machine: Any, which: int) -> tuple[np.ndarray, int]:
    """Rounds of one class with their leave-one-out estimates, and the index of the chosen round."""
    if "loo_error" not in machine.path_.dtype.names:
        raise ValueError(
            'machine has no leave-one-out estimates along its path: those with inference="ep" and '
            "ARDClassifier have."
        )
    path = machine.path_[machine.path_["machine"] == which]
    if len(path) == 0:
        raise ValueError(f"which must be at most {machine.path_['machine'].max()}; got {which!r}.")
    chosen = machine.chosen_rounds_[which] if hasattr(machine, "chosen_rounds_") else len(path) - 1
    return path, chosen
