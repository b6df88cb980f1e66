"""Facts about a fitted machine, from its attributes and its portable form."""

from inspect import getdoc
from typing import Any

import numpy as np

from ...tables import CONSTANT, IDENTIFIER
from ..errors import CannotExport
from ..form import Portable
from ..programs import program_of
from .far import behaviour_far_away
from .page import Summary

# Features that are listed by name.
_N_LISTED = 8
# Share of the largest importance below which a feature has no influence.
_NEGLIGIBLE = 1e-6
# Formats of leave-one-out scores.
_FORMATS = {"error": ".1%", "log-loss": ".3f", "R²": ".3f"}
# Columns of a table that have a line each.
_N_COLUMNS = 30


def summary_of(machine: Any) -> Summary:
    """Summary of a fitted machine."""
    form, reason = _form(machine)
    sections = {
        "Machine": _machine(machine),
        "Data": _data(machine),
        **_columns(machine),
        "Model": _model(machine, form),
        "Fit": _fit(machine),
        "Predictions": _predictions(form, reason),
    }
    facts = {name: {key: str(value) for key, value in part.items()} for name, part in sections.items()}
    return Summary(type(machine).__name__, facts, _warnings(machine, form))


def _form(machine):
    """Portable form, and why there is none for other languages."""
    try:
        form = machine._portable()
    except CannotExport as error:
        return None, str(error)
    try:
        program_of(form.kernel)
    except CannotExport as error:
        return form, str(error)
    return form, ""


def _machine(machine):
    """What the machine is."""
    documentation = (getdoc(type(machine)) or "").split("\n\n")[0].replace("\n", " ")
    default = type(machine)().get_params()
    changed = {
        name: value for name, value in machine.get_params().items() if not _same(value, default.get(name))
    }
    arguments = ", ".join(f"{name}={value!r}" for name, value in changed.items()) or "all at their defaults"
    return {"Kind": documentation, "Arguments": arguments}


def _same(value, other):
    return value is other or (type(value) is type(other) and np.array_equal(value, other))


def _data(machine):
    """Rows and columns seen."""
    n_seen = _rows_seen(machine)
    facts = {} if n_seen is None else {"Rows": f"{n_seen}"}
    names = list(map(str, getattr(machine, "feature_names_in_", ())))
    listed = ", ".join(names[:_N_LISTED]) + (", ..." if len(names) > _N_LISTED else "")
    facts["Columns"] = f"{machine.n_features_in_}" + (f": {listed}" if names else "")
    classes = getattr(machine, "classes_", None)
    if classes is not None:
        listed = ", ".join(map(str, classes[:_N_LISTED])) + (", ..." if len(classes) > _N_LISTED else "")
        facts["Classes"] = f"{len(classes)}: {listed}"
    return facts


def _rows_seen(machine):
    """Number of training rows, None where it is not known."""
    return getattr(machine, "_n_seen", getattr(machine, "_n_training_rows", None))


def _columns(machine):
    """A section on what was decided about each column of a table, the largest effects first."""
    columns = getattr(machine, "_columns", None)
    if columns is None:
        return {}
    found, sizes = columns.records(), machine._effect_sizes
    order = np.argsort(-sizes, kind="stable")
    facts = {
        found["column"][place]: _decision({key: values[place] for key, values in found.items()}, sizes[place])
        for place in order[:_N_COLUMNS]
    }
    if len(order) > _N_COLUMNS:
        facts["..."] = f"{len(order) - _N_COLUMNS} more, in columns_"
    return {"Columns of the table": facts}


def _decision(column, size):
    """Kind, transform, levels, missing cells and size of the main effect of one column."""
    parts = [column["kind"] + (" by ranks" if column["transform"] == "rank-normal" else "")]
    if column["levels"]:
        parts.append(f"{column['levels']} level{'s' if column['levels'] > 1 else ''}")
    if column["missing"]:
        parts.append(f"{column['missing']:.1%} missing")
    is_left_out = column["kind"] in (CONSTANT, IDENTIFIER)
    parts.append("left out" if is_left_out else f"main effect {size:.2g} (root mean square)")
    return ", ".join(parts)


def _model(machine, form):
    """Vectors, kernel, scales, noise."""
    facts: dict[str, Any] = {}
    if hasattr(machine, "relevance_"):
        n_kept = len(machine.relevance_)
        what = "Vectors" if form is None or form.kernel is not None else "Columns in use"
        n_seen = _rows_seen(machine)
        share = f" ({n_kept / n_seen:.1%} of the rows)" if n_seen and what == "Vectors" else ""
        facts[what] = f"{n_kept}{share}"
    if form is not None and form.kernel is not None:
        facts["Kernel"] = _kernel(form)
    if form is not None and len(form.latents) > 1:
        what = "one for each class" if form.link.blend is None else "the machine and a linear model"
        facts["Latent functions"] = f"{len(form.latents)}, {what}"
    facts |= _importances(machine)
    if hasattr(machine, "amplitude_"):
        facts["Amplitude"] = f"{machine.amplitude_:.4g} (prior standard deviation of the function)"
    if hasattr(machine, "has_trend_"):
        facts["Linear trend"] = "yes" if machine.has_trend_ else "no"
    return facts | _noise(machine)


def _kernel(form: Portable) -> str:
    try:
        parts = [
            operation.name + _listed(operation.parameters)
            for operation in program_of(form.kernel)
            if operation.name not in ("sum", "product")
        ]
    except CannotExport:
        return getattr(form.kernel, "name", type(form.kernel).__name__)
    name = getattr(form.kernel, "name", "")
    return name if len(parts) > 1 else parts[0].replace(f"{name}(", f"{name}, gamma = ").rstrip(")")


def _listed(parameters):
    """Parameters in brackets; nothing for none."""
    return "(" + ", ".join(f"{value:.4g}" for value in parameters) + ")" if parameters else ""


def _importances(machine):
    """The features that matter most."""
    values = getattr(machine, "feature_importances_", getattr(machine, "inclusion_probabilities_", None))
    if values is None or len(values) == 0:
        return {}
    names = getattr(machine, "feature_names_in_", None)
    names = names if names is not None else [f"column {place}" for place in range(len(values))]
    best = np.argsort(-values, kind="stable")[:_N_LISTED]
    listed = ", ".join(f"{names[place]} {values[place]:.2g}" for place in best)
    more = ", ..." if len(values) > _N_LISTED else ""
    title = "Importances" if hasattr(machine, "feature_importances_") else "Inclusion probabilities"
    return {title: listed + more}


def _has(machine, name):
    """Whether an attribute exists; machines may refuse some in words."""
    try:
        return getattr(machine, name) is not None
    except (AttributeError, ValueError):
        return False


def _noise(machine):
    """Noise of targets or labels."""
    if _has(machine, "noise_std_"):
        return {"Noise": f"standard deviation {machine.noise_std_:.4g} in the units of y"}
    if hasattr(machine, "noise_"):
        shares = ", ".join(f"{share:.1%}" for share in np.atleast_1d(machine.noise_))
        return {"Noise": f"{shares} of the labels are wrong (posterior mean)"}
    return {}


def _fit(machine):
    """Evidence, leave-one-out scores, convergence."""
    facts = {}
    if hasattr(machine, "log_evidence_"):
        facts["Log evidence"] = f"{machine.log_evidence_:.2f} nats"
    facts["Leave-one-out"] = _leave_one_out(machine)
    if hasattr(machine, "trials_"):
        facts["Trials"] = f"{len(machine.trials_)} settings of the hyperparameters"
    if hasattr(machine, "converged_"):
        facts["Converged"] = "yes" if machine.converged_ else "no"
    return facts


def _leave_one_out(machine):
    """Scores at fixed hyperparameters and vectors, or why there are none."""
    scores = _along_path(machine) or machine.__dict__.get("_left_out")
    if scores is None:
        return "not known for this kind of machine"
    if not scores:
        return "not known, since rows came in blocks or were added to the fit"
    texts = [f"{name} {value:{_FORMATS[name]}}" for name, value in scores.items()]
    scaled = " for y of standard deviation one" if _has(machine, "noise_std_") else ""
    return f"{', '.join(texts)} nats{scaled}"


def _along_path(machine):
    """Scores of the model that is kept, where the fit recorded them for every model; else None."""
    path = getattr(machine, "path_", None)
    names = getattr(getattr(path, "dtype", None), "names", None) or ()
    if path is None or "loo_error" not in names or not len(path):
        return None
    lasts = [path[path["machine"] == k][-1] for k in np.unique(path["machine"])]
    chosen = getattr(machine, "chosen_rounds_", None)
    if chosen is not None:
        lasts = [path[path["machine"] == k][round_] for k, round_ in enumerate(chosen)]
    error = np.mean([last["loo_error"] for last in lasts])
    density = np.mean([last["loo_log_density"] for last in lasts])
    return {"error": float(error), "log-loss": -float(density)}


def _predictions(form, reason):
    """Behaviour far from the data, and size."""
    if form is None:
        return {"Export": reason}
    numbers = sum(latent.weights.size + _n_factors(latent) for latent in form.latents)
    return {
        "Far from all data": behaviour_far_away(form).text,
        "Constants": f"{form.vectors.size + numbers} numbers",
        "Export": reason or "ONNX, C99, compiled",
    }


def _n_factors(latent):
    """Numbers behind a variance."""
    if latent.factor is None:
        return 0
    n = len(latent.factor)
    return n if latent.factor.ndim == 1 else n * (n + 1) // 2


def _warnings(machine, form):
    """What a user should know before relying on the machine."""
    warnings = []
    if not getattr(machine, "converged_", True):
        what = "max_vectors" if "max_vectors" in machine.get_params() else "max_iter or tol"
        warnings.append(f"The fit did not converge; predictions may be rough. Raise {what}.")
    if form is not None and behaviour_far_away(form).is_certain:
        warnings.append(
            "Far from all data the predictions are nearly certain: check first how far new rows are."
        )
    importances = getattr(machine, "feature_importances_", None)
    if importances is not None and len(importances) > 1:
        unused = int((importances < _NEGLIGIBLE * importances.max()).sum())
        if unused:
            warnings.append(f"{unused} of {len(importances)} columns have no influence on the kernel.")
    return warnings
