"""Nodes from means and variances of latent functions to probabilities."""

import numpy as np

from ..compiled.numbers import LARGEST_EXPONENT, REACH
from ..links import Link
from .graph import Graph

# Points of the sum over latent values. With them a row whose spreads differ sixfold among ten classes is
# exact to 10⁻⁶.
_N_POINTS = 401


def numbers(graph: Graph, link: Link, mean: str, variance: str) -> tuple[str, str]:
    """Mean and standard deviation of an observation, a column each."""
    if link.blend is not None:
        mean, variance = _blended(graph, link.blend, mean, variance)
    if not link.is_count:
        return mean, graph.node("Sqrt", graph.plus(variance, link.noise_variance))
    rate = _exponential(graph, mean, variance, 1.0, 0.5)
    noise = graph.times(_exponential(graph, mean, variance, 2.0, 2.0), link.excess)
    factor = graph.plus(_exponential(graph, mean, variance, 0.0, 1.0), -1.0)
    spread = graph.node("Mul", _exponential(graph, mean, variance, 2.0, 1.0), factor)
    return rate, graph.node("Sqrt", graph.node("Sum", rate, noise, spread))


def _blended(graph, blend, means, variances):
    """Mean and variance of a mixture of two latent values, a column each."""
    (first, second), (own, other) = ([graph.columns(x, [k]) for k in (0, 1)] for x in (means, variances))
    share = graph.node("Div", graph.double(blend.trusted), graph.plus(own, blend.trusted))
    rest, gap = graph.node("Sub", graph.double(1.0), share), graph.node("Sub", first, second)
    between = graph.node("Mul", share, graph.node("Mul", gap, gap))
    other = graph.node("Add", graph.plus(other, blend.error), between)
    pairs = ((first, second), (own, other))
    return tuple(graph.node("Add", graph.node("Mul", share, a), graph.node("Mul", rest, b)) for a, b in pairs)


def _ordered(graph, link, mean, variance):
    """Probabilities of ordered classes, from differences of the probabilities to lie below a threshold."""
    spread, thresholds = graph.node("Sqrt", graph.plus(variance, 1.0)), link.thresholds
    z = graph.node("Div", graph.node("Sub", graph.double(thresholds), mean), spread)
    below = graph.probability(z)
    zero = graph.times(mean, 0.0)
    lower = graph.node("Concat", zero, below, axis=1)
    return graph.node("Sub", graph.node("Concat", below, graph.plus(zero, 1.0), axis=1), lower)


def _exponential(graph, mean, variance, by_mean, by_variance):
    """Bounded exponential of a sum of multiples of mean and variance."""
    total = graph.node("Add", graph.times(mean, by_mean), graph.times(variance, by_variance))
    return graph.node("Exp", graph.node("Min", total, graph.double(LARGEST_EXPONENT)))


def probabilities(graph: Graph, link: Link, mean: str, variance: str, n_classes: int) -> str:
    """Probability of each class, a column each."""
    if link.scheme == "multinomial":
        return _largest(graph, mean, variance, n_classes)
    if link.scheme == "ordinal":
        return _ordered(graph, link, mean, variance)
    if link.scheme == "odds":
        yes = _log_mixture(graph, link, mean, variance)
        no = _log_mixture(graph, link, graph.node("Neg", mean), variance)
        return graph.softmax(graph.times(graph.node("Sub", yes, no), link.power))
    return _binary(graph, link, mean, variance)


def _arguments(graph, mixture, mean, variance):
    """Arguments of the probits of a mixture, along a new last axis."""
    b = mixture.steepnesses
    spread = graph.node("Sqrt", graph.plus(graph.times(variance, np.square(b)), mixture.unit))
    return graph.node("Div", graph.times(mean, b), spread)


def _binary(graph, link, mean, variance):
    """Probabilities of two classes, exact for the less probable one."""
    mixture = link.terms
    z = _arguments(graph, mixture, graph.node("Neg", graph.node("Abs", mean)), variance)
    shares = graph.double(mixture.shares[:, None])
    less = graph.node("MatMul", graph.node("Exp", graph.log_lower(z)), shares)
    less = graph.plus(graph.times(less, 1 - 2 * mixture.low), mixture.low)
    less = graph.node("Min", less, graph.double(0.5))
    more = graph.node("Sub", graph.double(1.0), less)
    second = graph.node("Greater", mean, graph.double(0.0))
    first_column = graph.node("Where", second, less, more)
    return graph.node("Concat", first_column, graph.node("Where", second, more, less), axis=1)


def _log_mixture(graph, link, mean, variance):
    """Logarithm of the probability of each class against the rest."""
    mixture = link.terms
    z = _arguments(graph, mixture, graph.with_axis(mean, 2), graph.with_axis(variance, 2))
    logs = graph.plus(graph.log_probability(z), np.log(mixture.shares))
    value = graph.without_axis(graph.log_sum(logs, 2), 2)
    if mixture.low:
        mixed = graph.times(graph.node("Exp", value), 1 - 2 * mixture.low)
        value = graph.node("Log", graph.plus(mixed, mixture.low))
    if mixture.jensen:
        scaled = graph.times(mean, mixture.jensen)
        tail = graph.node("Exp", graph.node("Neg", graph.node("Abs", scaled)))
        tail = graph.node("Log", graph.plus(tail, 1.0))
        bound = graph.node("Sub", graph.node("Min", scaled, graph.double(0.0)), tail)
        bound = graph.node("Sub", bound, graph.times(variance, mixture.jensen**2 / 8))
        value = graph.node("Max", value, bound)
    return value


def _largest(graph, mean, variance, n_classes):
    """Probability that each latent value with unit noise is the largest, by a sum over values t."""
    spread = graph.node("Sqrt", graph.plus(variance, 1.0))
    reach = graph.times(spread, REACH)
    lower = graph.largest(graph.node("Sub", mean, reach), 1)
    upper = graph.largest(graph.node("Add", mean, reach), 1)
    width = graph.node("Sub", upper, lower)
    t = graph.node("Add", graph.times(width, np.linspace(0, 1, _N_POINTS)), lower)
    gaps = graph.node("Sub", graph.with_axis(t, 1), graph.with_axis(mean, 2))
    z = graph.node("Div", gaps, graph.with_axis(spread, 2))
    below = graph.probability(z)
    density = graph.node("Exp", graph.times(graph.node("Mul", z, z), -0.5))
    density = graph.node("Div", density, graph.with_axis(spread, 2))
    factors = [graph.node("Gather", below, graph.integers([k]), axis=1) for k in range(n_classes)]
    others = graph.node("Concat", *_products_of_others(graph, factors), axis=1)
    total = graph.total(graph.node("Mul", density, others), 2, keep=False)
    return graph.node("Div", total, graph.total(total, 1))


def _products_of_others(graph, factors):
    """For each factor the product of all others."""
    before, after = [None], [None]
    for factor in factors[:-1]:
        before.append(factor if before[-1] is None else graph.node("Mul", before[-1], factor))
    for factor in factors[:0:-1]:
        after.append(factor if after[-1] is None else graph.node("Mul", after[-1], factor))
    pairs = zip(before, after[::-1], strict=True)
    return [graph.node("Mul", a, b) if a and b else a or b for a, b in pairs]
