"""Which features matter: their probabilities, their values in all samples, and how stable that is."""

import numpy as np

from .canvas import new_axes
from .summaries import expression, feature_names

# Colours of the heat map saturate so many standard deviations from the mean.
_SATURATED = 2.0
_MAX_NAME = 24


def plot_inclusion(machine, *, which=None, n_named=5, ax=None):
    """Posterior probability of every feature against the prior level (figure 7.1 of the thesis).

    Parameters
    ----------
    machine : SpikeSlabClassifier or SpikeSlabRegressor
        A fitted machine.
    which : int or None, default=None
        Which machine of a problem with more than two classes; None: the largest probability of all.
    n_named : int, default=5
        How many of the most probable features get their names.
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
        title=f"{np.sum(rho >= 0.5)} of {len(rho)} features: probability of at least one half",
    )
    ax.legend()
    return ax


def _name(ax, name, x, y, on_the_left):
    """A small text beside a point."""
    offset, side = ((-4, 0), "right") if on_the_left else ((4, 0), "left")
    ax.annotate(
        name, (x, y), xytext=offset, textcoords="offset points", fontsize="small", ha=side, va="center"
    )


def plot_expression(machine, X, y, *, top=16, ax=None):
    """Heat map of the most probable features in all samples (figure 7.2 of the thesis).

    Samples are grouped by class, features sorted by their mean in the largest class; probabilities are on
    the left and names on the right.

    Parameters
    ----------
    machine : SpikeSlabClassifier
        A fitted machine.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Their classes.
    top : int, default=16
        How many features.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    shown = expression(machine, X, y, top)
    ax = new_axes() if ax is None else ax
    image = ax.imshow(shown.values, aspect="auto", cmap="cividis", vmin=-_SATURATED, vmax=_SATURATED)
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


def _mark_classes(ax, labels):
    """A white line between classes, and their names below."""
    classes, starts, counts = np.unique(labels, return_index=True, return_counts=True)
    for start in np.sort(starts)[1:]:
        ax.axvline(start - 0.5, color="white", linewidth=2)
    ax.set_xticks(
        starts + (counts - 1) / 2, [f"{name} ({count})" for name, count in zip(classes, counts, strict=True)]
    )
    ax.tick_params(axis="x", length=0)


def plot_stability(results, *, ax=None):
    """Agreement of rankings against the number of features (figure 7.3 of the thesis).

    Parameters
    ----------
    results : Stability or dict of str to Stability
        What `stability` returned, for one or for several estimators.
    ax : matplotlib axes, default=None
        Where to draw; by default on new axes.

    Returns
    -------
    ax : matplotlib axes
    """
    named = results if isinstance(results, dict) else {"": results}
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
