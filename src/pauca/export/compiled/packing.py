"""A portable form as two flat arrays, which compiled functions take."""

import numpy as np
from numpy.typing import NDArray

from ..additive import AdditiveTables, tables_of
from ..form import Latent, Portable
from ..links import Link
from ..programs import depth, program_of

_SCHEMES = {"binary": 0, "odds": 1, "multinomial": 2, "number": 3, "ordinal": 6}
_COUNT, _BLEND = 4, 5


def _scheme(link):
    if link.scheme != "number":
        return _SCHEMES[link.scheme]
    return _BLEND if link.blend is not None else _COUNT if link.is_count else _SCHEMES["number"]


def packed(form: Portable) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Numbers of entries and places, and all constants.

    Raises
    ------
    ValueError
        If the form has a kernel or draws that compiled functions do not know.

    Notes
    -----
    Tables of additive kernels come after the latent functions; the first parameter of such an operation is
    their place.
    """
    program = program_of(form.kernel)
    if any(latent.draws is not None for latent in form.latents):
        raise ValueError("Draws of the weights are not compiled.")
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
    for row, operation in zip(parameters, program, strict=True):
        if operation.additive is not None:
            row[0] = sum(len(part) for part in data)
            data.append(_additive(tables_of(operation.additive, form.vectors)))
    data[4] = parameters.ravel()
    return np.array(layout, dtype=np.int64), np.concatenate([*data, terms]).astype(float)


def _additive(tables: AdditiveTables) -> NDArray:
    """Tables of an additive kernel: sizes and amplitudes, eight numbers a column, points and vectors."""
    main, pairs = tables.orders
    n_points, width = tables.points.shape
    head = [len(tables.places), width, float(tables.is_squared), main, pairs, n_points]
    columns = [tables.places, tables.widths, tables.is_category, tables.amplitudes]
    columns += [tables.inverse_widths, tables.total, tables.first, tables.n_points]
    parts = np.column_stack(columns), tables.points, tables.probabilities, tables.means, tables.levels
    return np.concatenate([head, *(np.asarray(part, dtype=float).ravel() for part in parts)])


def _factor(latent: Latent) -> tuple[int, NDArray]:
    """Kind of the factor of a variance, and its entries column by column."""
    if latent.factor is None:
        return 0, np.empty(0)
    if latent.factor.ndim == 1:
        return 3, latent.factor
    return 2 if latent.bilinear else 1, latent.factor.T[np.triu_indices(len(latent.factor))]


def link_terms(link: Link) -> NDArray:
    """Constants of a link: unit, low, jensen and power, then shares and steepnesses in turns.

    For numbers the first is the variance of the noise, for counts the excess of their variance; a mixture of
    two latent values adds its own. Ordered classes have thresholds in the place of shares.
    """
    if link.scheme == "number":
        blend = [0.0, 0.0] if link.blend is None else [link.blend.trusted, link.blend.error]
        return np.array([link.excess if link.is_count else link.noise_variance, *blend, 0.0])
    if link.scheme == "ordinal":
        thresholds = link.thresholds
        pairs = np.column_stack([thresholds, np.zeros(len(thresholds))])
        return np.concatenate([np.zeros(4), pairs.ravel()])
    if link.scheme == "multinomial":
        return np.zeros(4)
    mixture = link.terms
    head = [mixture.unit, mixture.low, mixture.jensen, link.power]
    return np.concatenate([head, np.column_stack([mixture.shares, mixture.steepnesses]).ravel()])
