"""C code of kernel values: one loop over vectors for each elementary kernel, then sums and products."""

import numpy as np

from ..form import Portable
from ..programs import JOINS, SQUARED, depth, program_of
from .additive import additive_lines
from .constants import Constants, number

_ACCUMULATE = {
    "squares": "double e = (u[d] - {z}){s}; v[j] += e * e;",
    "distances": "v[j] += fabs((u[d] - {z}){s});",
    "products": "v[j] += u[d] * {z}{s}{s};",
}
_VALUE = {
    "rbf": "v[j] = exp(-{0} * v[j]);",
    "matern32": "double a = sqrt({0} * 6.0 * v[j]); v[j] = (1.0 + a) * exp(-a);",
    "matern52": "double a = sqrt({0} * 10.0 * v[j]); v[j] = (1.0 + a + a * a / 3.0) * exp(-a);",
    "rational_quadratic": "v[j] = pow(1.0 + {0} * v[j] / {1}, -{1});",
    "laplacian": "v[j] = exp(-{0} * v[j]);",
    "linear": "v[j] += {0};",
    "poly": "v[j] = pow({0} * v[j] + {1}, {2});",
    "cosine": "v[j] *= length * {name}_unit{op}[j];",
}
_DIAGONAL = {
    "linear": "square + {0}",
    "poly": "pow({0} * square + {1}, {2})",
    "cosine": "(square > 0.0 ? 1.0 : 0.0)",
}


def kernel_code(form: Portable, constants: Constants) -> str:
    """Function that enters kernel values with all vectors and returns k(x, x); its constants are added."""
    program, m, name = program_of(form.kernel), len(form.vectors), constants.name
    if m and any(operation.additive is None and operation.name not in JOINS for operation in program):
        features = np.repeat(np.arange(form.n_features), m)
        constants.rounded("vectors", "vectors", form.vectors.T.ravel(), features)
    lines = [f"static double {name}_kernel(const double *u{', double *k' if m else ''})", "{"]
    lines.append(f"    double diagonal[{depth(program)}];")
    if m and depth(program) > 1:
        lines.append(f"    double more[{depth(program) - 1}][{m}];")
    top = 0
    for op, operation in enumerate(program):
        if operation.name in JOINS:
            top -= 1
            lines += _join(operation.name, top, m)
        else:
            make = _elementary if operation.additive is None else additive_lines
            block = make(operation, op, place_of(top), form.vectors, constants)
            amplitude = number(operation.amplitude)
            block.append(f"diagonal[{top}] = {amplitude} * own;")
            if m and operation.amplitude != 1:
                block.append(f"for (int j = 0; j < {m}; j++) v[j] *= {amplitude};")
            lines += ["    {", *(f"        {line}" for line in block), "    }"]
            top += 1
    return "\n".join([*lines, "    return diagonal[0];", "}"])


def _elementary(operation, op, place, vectors, constants):
    """Lines that enter the values of one kernel in ``v`` and k(x, x) in ``own``."""
    name, m, n = constants.name, len(vectors), vectors.shape[1]
    parameters = [number(value) for value in operation.parameters]
    scale, lines = "", []
    if operation.scales is not None:
        constants.doubles(f"scales{op}", operation.scales)
        scale = f" * {name}_scales{op}[d]"
    if operation.name in _DIAGONAL:
        square = f"square += u[d] * u[d]{scale}{scale};"
        lines += ["double square = 0.0;", f"for (int d = 0; d < {n}; d++) {square}"]
    diagonal = _DIAGONAL.get(operation.name, "1.0").format(*parameters)
    if m and operation.name == "cosine":
        factors = 1.0 if operation.scales is None else operation.scales
        lengths = np.sqrt(np.square(vectors * factors).sum(axis=1))
        constants.doubles(f"unit{op}", np.divide(1.0, lengths, out=np.zeros(m), where=lengths > 0))
        lines.append("double length = square > 0.0 ? 1.0 / sqrt(square) : 0.0;")
    lines.append(f"double own = {diagonal};")
    if not m:
        return lines
    kind = "squares" if operation.name in SQUARED else "products"
    kind = "distances" if operation.name == "laplacian" else kind
    z = f"{name}_vectors[d * {m} + j]"
    z = f"{z} * {name}_vectors_step[d]" if "vectors" in constants.short else z
    loop = f"for (int j = 0; j < {m}; j++)"
    return [
        *lines,
        f"double *v = {place};",
        f"{loop} v[j] = 0.0;",
        f"for (int d = 0; d < {n}; d++)",
        f"    {loop} {{ {_ACCUMULATE[kind].format(z=z, s=scale)} }}",
        f"{loop} {{ {_VALUE[operation.name].format(*parameters, name=name, op=op)} }}",
    ]


def _join(kind, top, m):
    """Sum or product of the places ``top`` - 1 and ``top``."""
    sign = "+=" if kind == "sum" else "*="
    lines = [f"    diagonal[{top - 1}] {sign} diagonal[{top}];"]
    if m:
        pair = f"{place_of(top - 1)}[j] {sign} {place_of(top)}[j];"
        lines.append(f"    for (int j = 0; j < {m}; j++) {pair}")
    return lines


def place_of(top: int) -> str:
    """Array of the values of an operation."""
    return "k" if top == 0 else f"more[{top - 1}]"
