"""Nodes from rows to means and variances of latent functions."""

import numpy as np

from ..form import LARGEST_SCORE, LARGEST_UPPER_SCORE, Portable
from ..inputs import ANY_OTHER, gradient_of
from .graph import DOUBLE, Graph
from .kernels import kernel_values

# Newton steps to a quantile of the normal distribution.
_N_STEPS = 12
_HALF_LOG_TAU = 0.5 * np.log(2 * np.pi)


def moments(graph: Graph, form: Portable, x: str) -> tuple[str, str]:
    """Means and variances of the latent functions at rows of doubles, two matrices of a column for each."""
    placed = _placed(graph, form, x)
    parts, diagonal, inside = [], None, None
    trend = graph.total(graph.node("Mul", placed, placed), 1)
    if form.has_envelope:
        share = graph.times(trend, 1 / form.reach**2)
        envelope = graph.node("Exp", graph.node("Neg", graph.node("Mul", share, share)))
        inside = graph.node("Mul", envelope, envelope)
        parts.append(envelope)
    if len(form.direct):
        direct = graph.columns(placed, form.direct)
        parts.append(graph.node("Mul", direct, envelope) if form.has_envelope else direct)
    if form.kernel is not None:
        values, diagonal = kernel_values(graph, form, graph.times(placed, form.scales))
        parts += [values] if len(form.vectors) else []
    # A model of a constant only still needs as many rows as X has.
    inputs = graph.node("Concat", *parts, axis=1) if parts else graph.times(graph.columns(placed, [0]), 0.0)
    variances_of = (inside, trend, diagonal)
    pairs = [_latent(graph, latent, inputs, variances_of, bool(parts)) for latent in form.latents]
    means, variances = zip(*pairs, strict=True)
    return graph.node("Concat", *means, axis=1), graph.node("Concat", *variances, axis=1)


def _placed(graph, form, x):
    """Placed features."""
    if not form.inputs.are_plain:
        x = _encoded(graph, form.inputs, x)
    return graph.times(graph.plus(x, -form.centre), form.factor)


def given(graph: Graph, form: Portable, names: list[str]) -> str:
    """Rows of doubles, from one input of all columns or an input for each; texts become codes.

    A text that is no category has the code of "any other", where there is one; "" and "nan" are missing.
    """
    if len(names) == 1 and not form.inputs.levels:
        return graph.cast(names[0], DOUBLE)
    return graph.node("Concat", *(_column(graph, form, place, x) for place, x in enumerate(names)), axis=1)


def _column(graph, form, place, x):
    """One given column as doubles."""
    levels = form.inputs.levels.get(place)
    if levels is None:
        return graph.cast(x, DOUBLE)
    known = [level for level in levels if level != ANY_OTHER]
    codes = graph.node(
        "LabelEncoder",
        x,
        op_domain="ai.onnx.ml",
        op_version=2,
        keys_strings=[*known, "", "nan"],
        values_floats=[*map(float, range(len(known))), np.nan, np.nan],
        default_float=float(len(known)),
    )
    return graph.cast(codes, DOUBLE)


def _encoded(graph, inputs, x):
    """Columns that the machine sees."""
    x = graph.columns(x, inputs.source)
    given_x = x
    fills, indicates = ~np.isnan(inputs.fill), ~np.isnan(inputs.equals)
    if fills.any():
        missing = graph.node("And", graph.node("IsNaN", x), graph.booleans(fills))
        x = graph.node("Where", missing, graph.double(np.nan_to_num(inputs.fill)), x)
    if inputs.curves:
        x = _on_curves(graph, inputs, x)
    if indicates.any():
        equal = graph.node("Equal", x, graph.double(np.nan_to_num(inputs.equals)))
        x = graph.node("Where", graph.booleans(indicates), graph.cast(equal, DOUBLE), x)
    if inputs.is_missing is not None:
        missing = graph.cast(graph.node("IsNaN", given_x), DOUBLE)
        x = graph.node("Where", graph.booleans(inputs.is_missing), missing, x)
    return x


def _on_curves(graph, inputs, x):
    """Columns with the images of those that are transformed.

    A curve is its first image, the mean gradient beyond the ends, and a ramp from each point to the next.
    """
    n, parts = len(inputs.source), []
    for place in range(n):
        column = graph.columns(x, [place])
        if place in inputs.curves:
            points, images = inputs.curves[place]
            low = graph.node("Min", graph.plus(column, -points[0]), graph.double(0.0))
            high = graph.node("Max", graph.plus(column, -points[-1]), graph.double(0.0))
            beyond = graph.times(graph.node("Add", low, high), gradient_of(points, images))
            column = graph.plus(beyond, images[0])
            if len(points) > 1:
                ramps = graph.node(
                    "Max", graph.plus(graph.columns(x, [place]), -points[:-1]), graph.double(0.0)
                )
                ramps = graph.node("Min", ramps, graph.double(np.diff(points)))
                steps = graph.double((np.diff(images) / np.diff(points))[:, None])
                column = graph.node("Add", column, graph.node("MatMul", ramps, steps))
        parts.append(column)
    return graph.node("Concat", *parts, axis=1)


def _latent(graph, latent, inputs, variances_of, has_inputs):
    """Mean and variance of one latent function, a column each."""
    g = graph.columns(inputs, latent.columns) if has_inputs else inputs
    weights = latent.weights if has_inputs else np.array([latent.weights[0], 0.0])
    if latent.draws is not None:
        return _drawn(graph, latent.draws, g, has_inputs)
    mean = graph.plus(graph.node("MatMul", g, graph.double(weights[1:, None])), weights[0])
    zero = graph.times(mean, 0.0)
    if latent.factor is None:
        return mean, zero
    quadratic = _quadratic(graph, latent, g) if has_inputs else graph.plus(zero, _constant_square(latent))
    if latent.prior is None:
        return mean, quadratic
    prior = _prior(graph, latent.prior, zero, *variances_of)
    least = graph.node("Max", graph.times(prior, latent.least_share), graph.double(np.finfo(float).tiny))
    return mean, graph.node("Max", graph.node("Sub", prior, quadratic), least)


def _prior(graph, prior, zero, inside, trend, diagonal):
    """Prior variance as a column."""
    total = graph.plus(zero, prior.constant)
    if prior.trend:
        total = graph.node("Add", total, graph.times(trend, prior.trend))
    if inside is not None:
        total = graph.node("Mul", total, inside)
    if prior.amplitude:
        total = graph.node("Add", total, graph.times(diagonal, prior.amplitude))
    return total


def _constant_square(latent):
    return 0.0 if latent.bilinear else float(np.square(latent.factor.ravel()[0]))


def _quadratic(graph, latent, g):
    """|F (1, g)|², or g·F g, whose constant plays no part."""
    factor = latent.factor
    if factor.ndim == 1:
        product = graph.times(g, factor[1:])
        return graph.plus(graph.total(graph.node("Mul", product, product), 1), factor[0] ** 2)
    if latent.bilinear:
        product = graph.node("MatMul", g, graph.double(factor[1:, 1:].T))
        return graph.total(graph.node("Mul", product, g), 1)
    product = graph.plus(graph.node("MatMul", g, graph.double(factor[:, 1:].T)), factor[:, 0])
    return graph.total(graph.node("Mul", product, product), 1)


def _drawn(graph, draws, g, has_inputs):
    """Mean and variance of the latent value that stands for draws of the weights."""
    weights = draws.weights[:, 1:] if has_inputs else np.zeros((len(draws.weights), 1))
    f = graph.plus(graph.node("MatMul", g, graph.double(weights.T)), draws.weights[:, 0])
    share = 1 / len(weights)
    mean = graph.times(graph.total(f, 1), share)
    gaps = graph.node("Sub", f, mean)
    variance = graph.times(graph.total(graph.node("Mul", gaps, gaps), 1), share)
    if draws.kind == "moments":
        return mean, variance
    z = _quantile(graph, f, np.log(share))
    if draws.kind == "probability":
        low, high = graph.double(-LARGEST_SCORE), graph.double(LARGEST_UPPER_SCORE)
        return graph.node("Max", low, graph.node("Min", z, high)), graph.times(variance, 0.0)
    return graph.node("Mul", z, graph.node("Sqrt", graph.plus(variance, 1.0))), variance


def _quantile(graph, f, log_share):
    """z with Ψ(z) equal to the mean of Ψ(f), by Newton's method on log Ψ, which never passes the root."""
    logs = [
        graph.plus(graph.log_sum(graph.log_probability(each), 1), log_share)
        for each in (f, graph.node("Neg", f))
    ]
    less = graph.node("Min", graph.node("Min", *logs), graph.double(0.0))
    z = graph.node("Neg", graph.node("Sqrt", graph.times(less, -2.0)))
    for _ in range(_N_STEPS):
        value = graph.log_probability(z)
        square = graph.times(graph.node("Mul", z, z), -0.5)
        derivative = graph.node("Exp", graph.plus(graph.node("Sub", square, value), -_HALF_LOG_TAU))
        z = graph.node("Sub", z, graph.node("Div", graph.node("Sub", value, less), derivative))
    return graph.node("Where", graph.node("Less", *logs), z, graph.node("Neg", z))
