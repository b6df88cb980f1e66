"""What a machine predicts far from all of its vectors."""

from dataclasses import dataclass, replace

import numpy as np

from ..form import Portable
from ..inputs import Inputs

# Distances from the data in units of the spread of the vectors, and directions; set by hand.
_DISTANCES, _N_DIRECTIONS = (1e3, 1e4), 50
# Probability beyond which predictions are called certain.
_CERTAIN = 0.99


@dataclass(frozen=True)
class FarAway:
    """Text about predictions far away, and whether classes are nearly certain there."""

    text: str
    is_certain: bool = False


def behaviour_far_away(form: Portable) -> FarAway:
    """Predictions at rows far from the data in random directions with a fixed seed."""
    near, far = (_rows(form, distance) for distance in _DISTANCES)
    form = replace(form, inputs=Inputs.plain(form.n_features))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        try:
            moments = [form.latent(rows) for rows in (near, far)]
        except ValueError:
            return FarAway("kernel values overflow")
    if form.classes is not None:
        return _classes(form, *moments[1])
    return _numbers(form, moments)


def _rows(form, distance):
    directions = np.random.default_rng(0).normal(size=(_N_DIRECTIONS, form.n_features))
    directions /= np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-300)
    spread = np.ones(form.n_features)
    if len(form.vectors) > 1:
        scaled = form.vectors.std(axis=0)
        spread = np.divide(scaled, form.scales, out=np.ones(form.n_features), where=form.scales > 0)
    factor = np.where(form.factor == 0, 1.0, form.factor)
    return form.centre + distance * np.maximum(spread, 1e-12) * directions / factor


def _classes(form, means, variances):
    """Range of the probabilities of the classes."""
    p = form.link.probabilities(means, variances)
    names = list(map(str, form.classes))
    certain = float((p.max(axis=1) > _CERTAIN).mean())
    if len(names) == 2:
        low, high = p[:, 1].min(), p[:, 1].max()
        span = f"{low:.2f}" if high - low < 5e-3 else f"{low:.2f} to {high:.2f}"
        return FarAway(f"probability of {names[1]}: {span}", certain > 0.5)
    low, high = p.max(axis=1).min(), p.max(axis=1).max()
    span = f"{low:.2f}" if high - low < 5e-3 else f"{low:.2f} to {high:.2f}"
    return FarAway(f"probability of the most probable class: {span}", certain > 0.5)


def _numbers(form, moments):
    """Mean and standard deviation, or their growth."""
    pairs = [form.link.numbers(*each) for each in moments]
    (_, first), (mean, std) = pairs
    low, high = mean.min(), mean.max()
    grows = np.median(std) > 2 * np.median(first)
    deviation = "deviation grows with the distance" if grows else f"deviation {np.median(std):.4g}"
    span = f"mean {low:.4g}" if high - low < 1e-3 * np.median(std) else "mean follows the trend"
    return FarAway(f"{span}, {deviation}")
