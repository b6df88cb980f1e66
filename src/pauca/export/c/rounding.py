"""Which long arrays of a C file may be rounded to 4 bytes a number without changing its predictions."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..form import Latent, Portable
from ..inputs import Inputs

# Largest integer of a rounded number.
_LARGEST = 2**31 - 1
# Largest change of a probability, or of a number in units of its deviation, that rounding may make.
_TOLERANCE = 1e-6
# Rows on which that is measured: the vectors, rows between and around them.
_N_PROBES, _SPREAD = 300, 1.5
# Arrays that may be rounded, the most first.
_CHOICES = (("vectors", "variance"), ("vectors",), ())


def to_integers(values: NDArray, rows: NDArray) -> tuple[NDArray, NDArray]:
    """Integers of 4 bytes, and the factor of each row that gives the values back.

    ``rows`` has the row of every value. The error is 2⁻³² of the largest entry of its row; single precision
    would lose 256 times as much.
    """
    largest = np.zeros(rows.max(initial=-1) + 1)
    np.maximum.at(largest, rows, np.abs(values))
    step = np.where(largest > 0, largest, 1.0) / _LARGEST
    return np.clip(np.rint(values / step[rows]), -_LARGEST, _LARGEST).astype(np.int64), step


def may_be_rounded(form: Portable) -> tuple[str, ...]:
    """Kinds of arrays, of "vectors" and "variance", whose rounding leaves the predictions as they are."""
    rows = _probes(form)
    exact = _predictions(form, rows)
    for choice in _CHOICES[:-1]:
        change = np.abs(_predictions(_rounded(form, choice), rows) - exact)
        if change.max(initial=0.0) <= _TOLERANCE:
            return choice
    return _CHOICES[-1]


def _rounded(form, choice):
    """Form with rounded arrays."""
    vectors, latents = form.vectors, form.latents
    if "vectors" in choice and vectors.size:
        features = np.broadcast_to(np.arange(form.n_features), vectors.shape)
        integers, step = to_integers(vectors.ravel(), features.ravel())
        vectors = (integers * step[features.ravel()]).reshape(vectors.shape)
    if "variance" in choice:
        latents = tuple(_rounded_latent(latent) for latent in latents)
    return replace(form, vectors=vectors, latents=latents)


def _rounded_latent(latent: Latent) -> Latent:
    if latent.factor is None or latent.factor.ndim == 1:
        return latent
    rows = np.broadcast_to(np.arange(len(latent.factor))[:, None], latent.factor.shape).ravel()
    integers, step = to_integers(latent.factor.ravel(), rows)
    return replace(latent, factor=(integers * step[rows]).reshape(latent.factor.shape))


def _probes(form):
    """Rows of columns as the machine sees them, among the vectors and around them."""
    rng, n = np.random.default_rng(0), form.n_features
    if form.kernel is None or not len(form.vectors):
        placed = _SPREAD * rng.normal(size=(_N_PROBES, n))
    else:
        places = np.divide(form.vectors, form.scales, out=np.zeros(form.vectors.shape), where=form.scales > 0)
        pairs = places[rng.integers(len(places), size=(2, _N_PROBES))]
        noise = _SPREAD * places.std(axis=0) * rng.normal(size=(_N_PROBES, n))
        placed = np.vstack([places, pairs.mean(axis=0), pairs[0] + noise])
    return form.centre + np.divide(placed, form.factor, out=np.zeros(placed.shape), where=form.factor > 0)


def _predictions(form, rows):
    """Probabilities, or means and deviations in units of the noise."""
    means, variances = replace(form, inputs=Inputs.plain(form.n_features)).latent(rows)
    if form.classes is not None:
        return form.link.probabilities(means, variances)
    mean, std = form.link.numbers(means, variances)
    if form.link.is_count:
        return np.column_stack([np.log1p(mean), np.log1p(std)])
    return np.column_stack([mean, std]) / np.sqrt(form.link.noise_variance)
