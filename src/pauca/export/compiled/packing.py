"""A portable form as two flat arrays, which compiled functions take."""

import numpy as np
from numpy.typing import NDArray

from ..form import Latent, Portable
from ..links import Link
from ..programs import depth, program_of

_SCHEMES = {"binary": 0, "odds": 1, "multinomial": 2, "number": 3}
_COUNT = 4


def _scheme(link):
    return _COUNT if link.scheme == "number" and link.is_count else _SCHEMES[link.scheme]


def packed(form: Portable) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Numbers of entries and places, and all constants.

    Raises
    ------
    ValueError
        If the form has a kernel or draws that compiled functions do not know.
    """
    program = program_of(form.kernel)
    if any(latent.draws is not None for latent in form.latents):
        raise ValueError("Draws of the weights are not compiled.")
    if any(operation.additive is not None for operation in program):
        raise ValueError("Main effects of columns are not compiled.")
    terms = link_terms(form.link)
    n_terms = max(len(terms) - 4, 0) // 2
    head = [form.n_features, len(form.direct), len(form.vectors), len(program), len(form.latents)]
    layout = [*head, depth(program), _scheme(form.link), n_terms, int(form.has_envelope)]
    layout += [*form.direct]
    layout += [operation.code for operation in program]
    parameters = np.ones((len(program), 4 + form.n_features))
    for row, operation in zip(parameters, program, strict=True):
        row[: len(operation.parameters)] = operation.parameters
        row[3] = operation.amplitude
        row[4:] = 1.0 if operation.scales is None else operation.scales
    reach = np.array([form.reach if form.has_envelope else 1.0])
    data = [reach, form.centre, form.factor, form.scales, parameters.ravel(), form.vectors.T.ravel()]
    for latent in form.latents:
        kind, factor = _factor(latent)
        layout += [len(latent.columns), kind, int(latent.prior is not None), len(factor), *latent.columns]
        prior = latent.prior
        before = [prior.constant, prior.trend, prior.amplitude] if prior is not None else [0.0] * 3
        data += [np.array([*before, latent.least_share]), latent.weights, factor]
    return np.array(layout, dtype=np.int64), np.concatenate([*data, terms]).astype(float)


def _factor(latent: Latent) -> tuple[int, NDArray]:
    """Kind of the factor of a variance, and its entries column by column."""
    if latent.factor is None:
        return 0, np.empty(0)
    if latent.factor.ndim == 1:
        return 3, latent.factor
    return 2 if latent.bilinear else 1, latent.factor.T[np.triu_indices(len(latent.factor))]


def link_terms(link: Link) -> NDArray:
    """Constants of a link: unit, low, jensen and power, then shares and steepnesses in turns.

    For numbers the first is the variance of the noise, for counts the excess of their variance.
    """
    if link.scheme == "number":
        return np.array([link.excess if link.is_count else link.noise_variance, 0.0, 0.0, 0.0])
    if link.scheme == "multinomial":
        return np.zeros(4)
    mixture = link.terms
    head = [mixture.unit, mixture.low, mixture.jensen, link.power]
    return np.concatenate([head, np.column_stack([mixture.shares, mixture.steepnesses]).ravel()])
