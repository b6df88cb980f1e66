"""What is asked of a fitted model in some of the hostile cases: files, copies, exports, further rows."""

import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.base import ClassifierMixin, clone

import pauca


def wrong_output(name, values):
    values = np.asarray(values)
    if values.dtype.kind != "f":
        return None
    if np.isnan(values).any() or (name != "predict_log_proba" and not np.isfinite(values).all()):
        return f"{name} is not finite"
    if name == "std" and (values < 0).any():
        return "std is negative"
    if name == "predict_proba":
        valid = (values >= 0).all() and np.allclose(values.sum(axis=1), 1, atol=1e-6)
        return None if valid else "predict_proba is no probability"
    return None


def _saved_and_loaded(estimator, rows, training):
    """Complaint if a model that was saved and loaded predicts anything else."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        pauca.save(estimator, path)
        return _same("loaded", estimator, pauca.load(path), rows)


def _pickled(estimator, rows, training):
    """Complaint if a pickled model predicts anything else; functions need not pickle."""
    try:
        copy = pickle.loads(pickle.dumps(estimator))
    except (AttributeError, pickle.PicklingError) as error:
        return None if "lambda" in str(error) else f"{type(error).__name__}: {error}"
    return _same("unpickled", estimator, copy, rows)


def _fitted_again(estimator, rows, training):
    """Complaint if a second fit with the same seed predicts anything else."""
    return _same("fitted again", estimator, clone(estimator).fit(**training), rows)


def _exported(estimator, rows, training):
    """C of the model, or an error that says why there is none."""
    return None if "double" in pauca.export.to_c(estimator) else "C without a double"


def _summarised(estimator, rows, training):
    """Text of the model where it has one, and its displays in notebooks."""
    if hasattr(estimator, "summary"):
        estimator.summary().to_markdown()
    return None if isinstance(repr(estimator) + estimator._repr_html_(), str) else "no text"


def _compiled(estimator, rows, training):
    """Complaint if the compiled model predicts anything else."""
    if not hasattr(estimator, "compiled"):
        return None
    one, other = estimator.predict(rows), estimator.compiled().predict(rows)
    if isinstance(estimator, ClassifierMixin):
        same = np.array_equal(one, other) or _tied(estimator, rows, one, other)
        return None if same else "the compiled model predicts other classes"
    near = np.allclose(one, other, rtol=1e-6, atol=1e-6 * np.abs(one).max(initial=0))
    return None if near else "the compiled model predicts something else"


def _tied(estimator, rows, one, other):
    """Whether two predictions differ only among classes of one probability, up to rounding."""
    p, classes = estimator.predict_proba(rows), list(estimator.classes_)
    places = np.arange(len(p))
    chosen = (p[places, [classes.index(label) for label in labels]] for labels in (one, other))
    return np.allclose(*chosen, rtol=0, atol=1e-12)


def _learned_more(estimator, rows, training):
    """Complaint about predictions after further training on the rows of the first."""
    if hasattr(estimator, "calibrate"):
        estimator.calibrate(training["X"])
    for name in ("update", "partial_fit"):
        if hasattr(estimator, name):
            getattr(estimator, name)(**training)
    return wrong_output("predict, after more rows,", estimator.predict(rows))


# What else models tell of rows.
_ANSWERS: dict[str, Callable] = {
    "novelty": lambda model, rows: model.novelty(rows),
    "flip_probability": lambda model, rows: model.flip_probability(rows, model.predict(rows)),
    "generalization_bound": lambda model, rows: model.generalization_bound(),
    "predict_distribution": lambda model, rows: model.predict_distribution(rows).mean(),
    "predict_uncertainty": lambda model, rows: model.predict_uncertainty(rows)[0],
    "sample_y": lambda model, rows: model.sample_y(rows, 3, random_state=0),
    "tolerance_for": lambda model, rows: model.tolerance_for(rows),
    "effects": lambda model, rows: model.effects(rows).contributions,
}


def _asked(estimator, rows, training):
    """Complaint about what else a model tells of rows."""
    known = (name for name in _ANSWERS if hasattr(estimator, name))
    complaints = (wrong_output(name, _ANSWERS[name](estimator, rows)) for name in known)
    return next(filter(None, complaints), None)


def _distribution(estimator, rows, training):
    """Complaint about the predictive distribution of a regressor."""
    if not hasattr(estimator, "predict_distribution"):
        return None
    found = estimator.predict_distribution(rows)
    low, high = found.interval(0.9)
    answers = {"interval": np.append(low, high), "median": found.median(), "cdf": found.cdf(0.0)}
    answers |= {"ppf": found.ppf(0.99), "sf": found.sf(low), "rvs": found.rvs(random_state=0)}
    complaints = [wrong_output(name, values) for name, values in answers.items()]
    ordered = None if (low <= high).all() else "an interval ends before it begins"
    return next(filter(None, [*complaints, ordered]), None)


def _explained(estimator, rows, training):
    """Complaint about scores, selected features, curves and explanations of single rows."""
    score = estimator.score(training["X"], training["y"])
    # Targets beyond the root of the largest number have squares that are infinite, and their ratio is none.
    if np.isnan(score) and not _has_infinite_squares(training["y"]):
        return "score is not a number"
    if hasattr(estimator, "transform"):
        estimator.inverse_transform(estimator.transform(rows))
    if hasattr(estimator, "effect_curve") and hasattr(estimator, "feature_names_in_"):
        label = estimator.classes_[-1] if hasattr(estimator, "classes_") else None
        curve = estimator.effect_curve(estimator.feature_names_in_[0], label)
        return wrong_output("effect_curve", curve.mean)
    return None


def _converted(estimator, rows, training):
    """ONNX of the model, or an error that says why there is none."""
    return None if pauca.export.to_onnx(estimator).ByteSize() else "an empty file"


# Rows that no model was trained on, each made from the training rows.
_OTHER_ROWS = (
    *(
        lambda X: X[:0],
        lambda X: X[0],
        lambda X: np.hstack([X, X]),
        lambda X: X[:, :-1],
        lambda X: X * np.nan,
    ),
    *(lambda X: X * 1e200, lambda X: X * 1e-200, lambda X: X + 1e6, lambda X: X.astype(str), lambda X: -X),
    *(
        lambda X: X.tolist(),
        lambda X: None,
        lambda X: [],
        lambda X: "rows",
        lambda X: np.full_like(X, np.inf),
    ),
)


def _has_infinite_squares(y):
    y = np.asarray(y)
    return y.dtype.kind == "f" and bool(np.nanmax(np.abs(y), initial=0.0) > 1e150)


def _asked_about_other_rows(estimator, rows, training):
    """Complaint about predictions of rows of another kind, or an error that names X."""
    X = training["X"]
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind != "f":
        X = np.ones((len(training["y"]), 2))
    other = _OTHER_ROWS[len(training["y"]) % len(_OTHER_ROWS)](np.asarray(X, dtype=float))
    for name in ("predict", "predict_proba", "decision_function"):
        found = wrong_output(name, getattr(estimator, name)(other)) if hasattr(estimator, name) else None
        if found:
            return f"{found} on other rows"
    return None


FURTHER = (
    *(_saved_and_loaded, _pickled, _fitted_again, _exported, _summarised, _compiled, _learned_more),
    *(_asked, _distribution, _explained, _converted, _asked_about_other_rows, _asked_about_other_rows),
)


def _same(how, one, other, rows):
    if one.get_params().get("random_state", 0) is None:
        return None
    same = np.array_equal(one.predict(rows), other.predict(rows))
    return None if same else f"the {how} model predicts something else"
