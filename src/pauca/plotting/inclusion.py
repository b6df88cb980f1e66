"""Relevant features: inclusion probabilities, heat maps of their values, and stability of rankings."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .canvas import new_axes
from .summaries import expression, feature_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..evaluation import Stability
    from ..machines import SpikeSlabClassifier, SpikeSlabRegressor

# Distance from the mean, in standard deviations, at which the colours of the heat map saturate. Set by hand.
_SATURATED = 2.0
# Characters of a feature's name that are drawn.
_MAX_NAME = 24


def plot_inclusion(
    machine: "SpikeSlabClassifier | SpikeSlabRegressor",
    *,
    which: int | None = None,
    n_named: int = 5,
    ax: "Axes | None" = None,
) -> "Axes":
    """Posterior inclusion probability of every feature, beside the prior probability.

    Parameters
    ----------
    machine : SpikeSlabClassifier or SpikeSlabRegressor
        A fitted machine.
    which : int or None, default=None
        Index of the class, with more than two classes; None: the largest probability over classes.
    n_named : int, default=5
        Number of features whose names are drawn, most probable first.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    rho = machine.inclusion_probabilities_ if which is None else machine.inclusion_by_class_[which]
    ax = new_axes() if ax is None else ax
    ax.vlines(
        np.arange(len(rho)), np.minimum(rho, machine.prior_inclusion_), rho, color="tab:blue", linewidth=1
    )
    level = f"prior: {machine.prior_inclusion_:.2g}"
    ax.axhline(machine.prior_inclusion_, color="black", linestyle="dashed", linewidth=0.8, label=level)
    best = np.argsort(-rho, kind="stable")[:n_named]
    for feature, name in zip(best, feature_names(machine, best), strict=True):
        _name(ax, name[:_MAX_NAME], feature, rho[feature], on_the_left=feature > 0.8 * len(rho))
    ax.set(
        xlabel="feature",
        ylabel="inclusion probability",
        ylim=(0, min(1.15 * max(rho.max(), machine.prior_inclusion_), 1.05)),
        title=f"{np.sum(rho >= 0.5)} of {len(rho)} features have a probability of at least 0.5",
    )
    ax.legend()
    return ax


def _name(ax: Any, name: str, x: float, y: float, on_the_left: bool) -> None:
    """Write a small text beside a point."""
    offset, side = ((-4, 0), "right") if on_the_left else ((4, 0), "left")
    ax.annotate(
        name, (x, y), xytext=offset, textcoords="offset points", fontsize="small", ha=side, va="center"
    )


def plot_expression(
    machine: "SpikeSlabClassifier", X: ArrayLike, y: ArrayLike, *, top: int = 16, ax: "Axes | None" = None
) -> "Axes":
    """Heat map of the most probable features in all samples.

    Samples are grouped by class, features sorted by their mean in the largest class; probabilities are on
    the left and names on the right.

    Parameters
    ----------
    machine : SpikeSlabClassifier
        A fitted machine.
    X : array-like of shape (n_samples, n_features)
        Samples to draw.
    y : array-like of shape (n_samples,)
        Class labels of the samples.
    top : int, default=16
        Number of features, most probable first.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    shown = expression(machine, X, y, top)
    ax = new_axes() if ax is None else ax
    colours: Any = {"cmap": "cividis", "vmin": -_SATURATED, "vmax": _SATURATED}
    image = ax.imshow(shown.values, aspect="auto", interpolation="nearest", **colours)
    rows = np.arange(len(shown.features))
    ax.set_yticks(rows, [f"{p:.2f}" for p in machine.inclusion_probabilities_[shown.features]])
    names = ax.secondary_yaxis("right")
    names.set_yticks(rows, [name[:_MAX_NAME] for name in feature_names(machine, shown.features)])
    for side in (ax, names):
        side.tick_params(axis="y", labelsize="small", length=0)
    _mark_classes(ax, shown.labels)
    ax.set(ylabel="inclusion probability", title=f"The {len(rows)} most probable features")
    ax.figure.colorbar(image, ax=ax, label="standardised value", pad=0.02, extend="both")
    return ax


def _mark_classes(ax: Any, labels: np.ndarray) -> None:
    """Draw a white line between classes, and write their names below."""
    classes, starts, counts = np.unique(labels, return_index=True, return_counts=True)
    for start in np.sort(starts)[1:]:
        ax.axvline(start - 0.5, color="white", linewidth=2)
    ax.set_xticks(
        starts + (counts - 1) / 2, [f"{name} ({count})" for name, count in zip(classes, counts, strict=True)]
    )
    ax.tick_params(axis="x", length=0)


def plot_stability(results: "Stability | Mapping[str, Stability]", *, ax: "Axes | None" = None) -> "Axes":
    """Kuncheva's stability index of rankings against the number of features.

    Parameters
    ----------
    results : Stability or mapping of str to Stability
        Results of `pauca.stability`, for one or for several estimators.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    named = results if isinstance(results, Mapping) else {"": results}
    ax = new_axes() if ax is None else ax
    for name, result in named.items():
        ax.plot(result.sizes, result.index, marker="o", markersize=4, label=name)
    ax.axhline(0.0, color="grey", linewidth=0.8)
    ax.set(
        xscale="log",
        xlabel="features taken from the top",
        ylabel="Kuncheva's stability index",
        ylim=(-0.05, 1.05),
    )
    sizes = np.unique(np.concatenate([result.sizes for result in named.values()]))
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.minorticks_off()
    if len(named) > 1 or "" not in named:
        ax.legend()
    return ax
