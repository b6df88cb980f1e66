"""Nodes from placed rows to kernel values."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..additive import AdditiveTables, tables_of
from ..form import Portable
from ..programs import JOINS, STATIONARY, Operation, program_of
from .graph import DOUBLE, Graph


def kernel_values(graph: Graph, form: Portable, u: str) -> tuple[str, str]:
    """Kernel values with the vectors, and k(x, x) as a column."""
    stack: list = []
    pair: Any
    for operation in program_of(form.kernel):
        if operation.name in JOINS:
            right, left = stack.pop(), stack.pop()
            kind = "Add" if operation.name == "sum" else "Mul"
            stack.append(tuple(graph.node(kind, a, b) for a, b in zip(left, right, strict=True)))
            continue
        make = _elementary if operation.additive is None else _additive
        pair = make(graph, operation, form.vectors, u)
        if operation.amplitude != 1:
            pair = tuple(graph.times(each, operation.amplitude) for each in pair)
        stack.append(pair)
    return stack[0]


def _elementary(graph: Graph, operation: Operation, vectors: NDArray, u: str) -> tuple[str, str]:
    """Values and diagonal of one kernel."""
    name, parameters = operation.name, operation.parameters
    if operation.scales is not None:
        u, vectors = graph.times(u, operation.scales), vectors * operation.scales
    squares = graph.total(graph.node("Mul", u, u), 1)
    if name in STATIONARY:
        one = graph.plus(graph.times(squares, 0.0), 1.0)
        distance = (
            _manhattan(graph, u, vectors) if name == "laplacian" else _squared(graph, u, vectors, squares)
        )
        return _profile(graph, name, graph.times(distance, parameters[0]), parameters), one
    products = graph.node("MatMul", u, graph.double(vectors.T))
    if name == "linear":
        return graph.plus(products, parameters[0]), graph.plus(squares, parameters[0])
    if name == "poly":
        gamma, coef0, degree = parameters
        pair = [graph.plus(graph.times(each, gamma), coef0) for each in (products, squares)]
        first, second = (graph.node("Pow", each, graph.double(degree)) for each in pair)
        return first, second
    lengths = np.sqrt(np.square(vectors).sum(axis=1))
    unit = np.divide(1.0, lengths, out=np.zeros(len(vectors)), where=lengths > 0)
    is_row = graph.node("Greater", squares, graph.double(0.0))
    own = graph.node("Sqrt", graph.node("Where", is_row, squares, graph.double(1.0)))
    return graph.node("Div", graph.times(products, unit), own), graph.cast(is_row, DOUBLE)


def _squared(graph, u, vectors, squares):
    """Squared distances to the vectors."""
    products = graph.node("MatMul", u, graph.double(vectors.T))
    ends = graph.node("Add", squares, graph.double(np.square(vectors).sum(axis=1)))
    distance = graph.node("Add", graph.times(products, -2.0), ends)
    return graph.node("Max", distance, graph.double(0.0))


def _manhattan(graph, u, vectors):
    """Sums of absolute differences to the vectors."""
    gaps = graph.node("Sub", graph.with_axis(u, 1), graph.double(vectors[None]))
    return graph.total(graph.node("Abs", gaps), 2, keep=False)


def _profile(graph, name, u, parameters):
    """Stationary kernel of a scaled distance."""
    if name in ("rbf", "laplacian"):
        return graph.node("Exp", graph.node("Neg", u))
    if name == "rational_quadratic":
        base = graph.plus(graph.times(u, 1 / parameters[1]), 1.0)
        return graph.node("Pow", base, graph.double(-parameters[1]))
    a = graph.node("Sqrt", graph.times(u, 6.0 if name == "matern32" else 10.0))
    front = graph.plus(a, 1.0)
    if name == "matern52":
        front = graph.node("Add", front, graph.times(graph.node("Mul", a, a), 1 / 3))
    return graph.node("Mul", front, graph.node("Exp", graph.node("Neg", a)))


def _additive(graph: Graph, operation: Operation, vectors: NDArray, u: str) -> tuple[str, str]:
    """Values and diagonal of main effects and pairs, column by column."""
    tables = tables_of(operation.additive, vectors)
    parts = [_column(graph, tables, c, vectors, u) for c in range(len(tables.places))]
    values, diagonals = (list(part) for part in zip(*parts, strict=True))
    return _orders(graph, tables, values), _orders(graph, tables, diagonals)


def _orders(graph: Graph, tables: AdditiveTables, parts: list[str]) -> str:
    """σ₁ Σ k + ½ σ₂ ((Σ k)² - Σ k²)."""
    total = _sum(graph, parts)
    squares = _sum(graph, [graph.node("Mul", part, part) for part in parts])
    pairs = graph.node("Sub", graph.node("Mul", total, total), squares)
    both = graph.times(total, tables.orders[0]), graph.times(pairs, 0.5 * tables.orders[1])
    return graph.node("Add", *both)


def _sum(graph: Graph, parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else graph.node("Sum", *parts)


def _column(graph: Graph, tables: Any, c: int, vectors: NDArray, u: str) -> tuple[str, str]:
    """Kernel of one column with the vectors and with itself, less what its mean explains."""
    places = np.arange(tables.places[c], tables.places[c] + tables.widths[c])
    points = slice(tables.first[c], tables.first[c] + tables.n_points[c])
    x, p = graph.columns(u, places), tables.probabilities[points, None]
    if tables.is_category[c]:
        level = graph.node("ArgMax", x, axis=1, keepdims=1)
        own = graph.cast(
            graph.node("Equal", level, graph.integers(np.arange(tables.widths[c])[None])), DOUBLE
        )
        values = graph.cast(graph.node("Equal", level, graph.integers(tables.levels[c][None])), DOUBLE)
    else:
        of = _squared_gaps if tables.is_squared else _manhattan
        rate = -tables.inverse_widths[c]
        own = graph.node("Exp", graph.times(of(graph, x, tables.points[points, : tables.widths[c]]), rate))
        values = graph.node("Exp", graph.times(of(graph, x, vectors[:, places]), rate))
    mean = graph.node("MatMul", own, graph.double(p))
    explained = graph.node("MatMul", mean, graph.double(tables.means[c][None]))
    square = graph.times(graph.node("Mul", mean, mean), -1 / tables.total[c])
    value = graph.times(graph.node("Sub", values, explained), tables.amplitudes[c])
    return value, graph.times(graph.plus(square, 1.0), tables.amplitudes[c])


def _squared_gaps(graph, x, points):
    """Squared distances of entries to points."""
    gaps = graph.node("Sub", graph.with_axis(x, 1), graph.double(points[None]))
    return graph.total(graph.node("Mul", gaps, gaps), 2, keep=False)
