"""A portable form evaluated on one row, compiled; ``layout`` and ``data`` are those of `packing`.

numba's cache does not notice changes of `link_rows` and `additive_rows`: whoever changes them touches this
file, too. Importing
this module imports numba: do it where the functions are called.
"""

import math

import numpy as np

from ...numerics.jit import compiled
from .additive_rows import additive
from .link_rows import blended, count, largest_of, mixture, odds, ordered


@compiled
def _squares(u, scales, vectors, m, values):
    """Squared distances of a placed row to all vectors."""
    values[:] = 0.0
    for d in range(u.size):
        x, column = u[d], vectors[d * m : (d + 1) * m]
        for j in range(m):
            difference = (x - column[j]) * scales[d]
            values[j] += difference * difference


@compiled
def _distances(u, scales, vectors, m, values):
    """Sums of absolute differences of a placed row to all vectors."""
    values[:] = 0.0
    for d in range(u.size):
        x, column = u[d], vectors[d * m : (d + 1) * m]
        for j in range(m):
            values[j] += abs((x - column[j]) * scales[d])


@compiled
def _products(u, scales, vectors, m, values):
    """Inner products of a placed row with all vectors."""
    values[:] = 0.0
    for d in range(u.size):
        x, column = u[d], vectors[d * m : (d + 1) * m]
        for j in range(m):
            values[j] += x * column[j] * scales[d] * scales[d]


@compiled
def _stationary(code, parameters, u, vectors, m, values):
    """Values of a kernel of distances with all vectors."""
    gamma = parameters[0]
    if code == 4:
        _distances(u, parameters[4:], vectors, m, values)
        for j in range(m):
            values[j] = math.exp(-gamma * values[j])
        return
    _squares(u, parameters[4:], vectors, m, values)
    for j in range(m):
        v = gamma * values[j]
        if code == 0:
            values[j] = math.exp(-v)
        elif code == 1:
            a = math.sqrt(6.0 * v)
            values[j] = (1.0 + a) * math.exp(-a)
        elif code == 2:
            a = math.sqrt(10.0 * v)
            values[j] = (1.0 + a + a * a / 3.0) * math.exp(-a)
        else:
            values[j] = (1.0 + v / parameters[1]) ** -parameters[1]


@compiled
def _elementary(code, parameters, u, vectors, m, values):
    """Values of an elementary kernel with all vectors; k(x, x)."""
    if code <= 4:
        _stationary(code, parameters, u, vectors, m, values)
        return 1.0
    gamma, square = parameters[0], 0.0
    for d in range(u.size):
        square += np.square(u[d] * parameters[4 + d])
    _products(u, parameters[4:], vectors, m, values)
    if code == 5:
        for j in range(m):
            values[j] += gamma
        return square + gamma
    if code == 6:
        for j in range(m):
            values[j] = (gamma * values[j] + parameters[1]) ** parameters[2]
        return (gamma * square + parameters[1]) ** parameters[2]
    length = math.sqrt(square)
    for j in range(m):
        size = 0.0
        for d in range(u.size):
            size += np.square(vectors[d * m + j] * parameters[4 + d])
        size = math.sqrt(size) * length
        values[j] = values[j] / size if size > 0.0 else 0.0
    return 1.0 if length > 0.0 else 0.0


@compiled
def _kernel(codes, parameters, data, u, vectors, m, stack):
    """Kernel values with all vectors in the first row of the stack; k(x, x)."""
    top, diagonal, width = 0, np.zeros(stack.shape[0]), 4 + u.size
    for place in range(codes.size):
        code = codes[place]
        if code < 8 or code == 10:
            part = parameters[width * place : width * (place + 1)]
            if code < 8:
                diagonal[top] = part[3] * _elementary(code, part, u, vectors, m, stack[top])
            else:
                diagonal[top] = part[3] * additive(data[int(part[0]) :], u, vectors, m, stack[top])
            if part[3] != 1.0:
                stack[top] *= part[3]
            top += 1
            continue
        top -= 1
        left, right = stack[top - 1], stack[top]
        if code == 8:
            diagonal[top - 1] += diagonal[top]
            for j in range(m):
                left[j] += right[j]
        else:
            diagonal[top - 1] *= diagonal[top]
            for j in range(m):
                left[j] *= right[j]
    return diagonal[0]


@compiled
def _quadratic(kind, factor, g, product):
    """|F g|², or g·F g for kind 2; F diagonal for kind 3, else a lower triangle column by column."""
    n, place, total = g.size, 0, 0.0
    if kind == 3:
        for i in range(n):
            value = factor[i] * g[i]
            total += value * value
        return total
    product[:n] = 0.0
    for j in range(n):
        value, column, rest = g[j], factor[place : place + n - j], product[j:n]
        for i in range(n - j):
            rest[i] += column[i] * value
        place += n - j
    for i in range(n):
        total += product[i] * (g[i] if kind == 2 else product[i])
    return total


@compiled
def _inputs(x, layout, data, inputs):
    """Enter the inputs of the latent functions: selected placed features, then kernel values.

    Returns the squared envelope, the sum of the squared placed features, and k(x, x).
    """
    n, n_direct, m, n_codes, ahead = layout[0], layout[1], layout[2], layout[3], layout[8]
    centre, factor, scales = data[1 : n + 1], data[n + 1 : 2 * n + 1], data[2 * n + 1 : 3 * n + 1]
    end = 1 + 3 * n + (4 + n) * n_codes
    placed, trend, diagonal, envelope = np.empty(n), 0.0, 0.0, 1.0
    for d in range(n):
        placed[d] = (x[d] - centre[d]) * factor[d]
        trend += placed[d] * placed[d]
    if ahead:
        share = trend / (data[0] * data[0])
        envelope = math.exp(-share * share)
        inputs[0] = envelope
    for place in range(n_direct):
        inputs[ahead + place] = envelope * placed[layout[9 + place]]
    if n_codes:
        for d in range(n):
            placed[d] *= scales[d]
        codes, stack = layout[9 + n_direct : 9 + n_direct + n_codes], np.empty((layout[5], m))
        diagonal = _kernel(codes, data[3 * n + 1 : end], data, placed, data[end : end + n * m], m, stack)
        inputs[ahead + n_direct :] = stack[0]
    return envelope * envelope, trend, diagonal


@compiled
def moments(x, layout, data, means, variances):
    """Enter mean and variance of every latent function at one row of the columns that the machine sees."""
    n, n_direct, m, n_codes, n_latent = layout[0], layout[1], layout[2], layout[3], layout[4]
    inputs = np.empty(layout[8] + n_direct + m)
    inside, trend, diagonal = _inputs(x, layout, data, inputs)
    g, product = np.empty(inputs.size + 1), np.empty(inputs.size + 1)
    at, place = 9 + n_direct + n_codes, 1 + 3 * n + (4 + n) * n_codes + n * m
    for k in range(n_latent):
        n_columns, kind, has_prior, n_factor = layout[at], layout[at + 1], layout[at + 2], layout[at + 3]
        columns = layout[at + 4 : at + 4 + n_columns]
        prior, weights = data[place : place + 4], data[place + 4 : place + 5 + n_columns]
        place += 5 + n_columns
        g[0], mean, variance = 1.0, weights[0], 0.0
        for j in range(n_columns):
            g[j + 1] = inputs[columns[j]]
            mean += weights[j + 1] * g[j + 1]
        if kind:
            variance = _quadratic(kind, data[place : place + n_factor], g[: n_columns + 1], product)
        if has_prior:
            before = inside * (prior[0] + prior[1] * trend) + prior[2] * diagonal
            variance = max(before - variance, max(prior[3] * before, 2.2250738585072014e-308))
        means[k], variances[k] = mean, variance
        at, place = at + 4 + n_columns, place + n_factor


@compiled
def predict_rows(X, layout, data, out):
    """Enter at every row the probabilities of the classes, or the mean and the standard deviation."""
    n_latent, scheme, n_terms = layout[4], layout[6], layout[7]
    means, variances = np.empty(n_latent), np.empty(n_latent)
    terms = data[data.size - 4 - 2 * n_terms :]
    for row in range(X.shape[0]):
        x, y = X[row], out[row]
        moments(x, layout, data, means, variances)
        if scheme == 0:
            less = mixture(terms, n_terms, -abs(means[0]), variances[0])
            y[0], y[1] = (less, 1.0 - less) if means[0] > 0.0 else (1.0 - less, less)
        elif scheme == 1:
            odds(terms, n_terms, means, variances, y)
        elif scheme == 2:
            largest_of(means, variances, y)
        elif scheme == 3:
            y[0], y[1] = means[0], math.sqrt(variances[0] + terms[0])
        elif scheme == 4:
            y[0], y[1] = count(means[0], variances[0], terms[0])
        elif scheme == 5:
            y[0], y[1] = blended(terms, means, variances)
        else:
            ordered(terms, n_terms, means[0], variances[0], y)


@compiled
def moments_of_rows(X, layout, data, means, variances):
    """Enter mean and variance of every latent function at every row."""
    for row in range(X.shape[0]):
        moments(X[row], layout, data, means[row], variances[row])
