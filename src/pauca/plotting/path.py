"""The way of a search: what every round thinks of its model."""

import numpy as np

from .canvas import new_axes

_CURVES = {
    "log_evidence": "log evidence",
    "loo_probability": "probability of error\nwithout the row",
    "loo_error": "share of errors\nwithout the row",
    "n_terms": "terms",
}


def plot_path(machine, *, which=0, test_error=None, ax=None):
    """Evidence, leave-one-out estimates and number of terms along the path, the chosen round marked.

    Parameters
    ----------
    machine : ARDClassifier, EPCVMClassifier or RVMClassifier
        A fitted machine; the last two with ``inference="ep"``.
    which : int, default=0
        Which machine of a problem with more than two classes; those learned together have one path.
    test_error : array-like of shape (n_rounds,), default=None
        Errors on other rows to draw beside the leave-one-out errors.
    ax : array of four matplotlib axes, default=None
        Where to draw; by default on new axes, one above the other.

    Returns
    -------
    ax : array of four matplotlib axes
    """
    if "loo_error" not in machine.path_.dtype.names:
        raise ValueError(
            'machine has no leave-one-out estimates along its path: those with inference="ep" and '
            "ARDClassifier have."
        )
    path = machine.path_[machine.path_["machine"] == which]
    if len(path) == 0:
        raise ValueError(f"which must be at most {machine.path_['machine'].max()}; got {which!r}.")
    chosen = machine.chosen_rounds_[which] if hasattr(machine, "chosen_rounds_") else len(path) - 1
    axes = np.ravel(new_axes(len(_CURVES)) if ax is None else ax)
    if len(axes) != len(_CURVES):
        raise ValueError(f"ax must be {len(_CURVES)} axes; got {len(axes)}.")
    for panel, (name, label) in zip(axes, _CURVES.items(), strict=True):
        panel.plot(path[name], color="tab:blue")
        panel.axvline(chosen, color="tab:orange", linestyle="--")
        panel.set_ylabel(label)
        panel.label_outer()
    if test_error is not None:
        axes[2].plot(np.asarray(test_error), color="tab:grey", label="other rows")
        axes[2].legend()
    axes[-1].set_xlabel("round")
    axes[0].set_title(f"{len(path)} rounds, round {chosen} is kept")
    axes[0].figure.align_ylabels(axes)
    return axes
