"""C code of kernel values: one loop over vectors for each elementary kernel, then sums and products."""

import numpy as np

from ..form import Portable
from ..programs import JOINS, SQUARED, depth, program_of
from .constants import Constants, number

_ACCUMULATE = {
    "squares": "double e = u[d] - {z}; v[j] += e * e;",
    "distances": "v[j] += fabs(u[d] - {z});",
    "products": "v[j] += u[d] * {z};",
}
_VALUE = {
    "rbf": "v[j] = exp(-{0} * v[j]);",
    "matern32": "double a = sqrt({0} * 6.0 * v[j]); v[j] = (1.0 + a) * exp(-a);",
    "matern52": "double a = sqrt({0} * 10.0 * v[j]); v[j] = (1.0 + a + a * a / 3.0) * exp(-a);",
    "rational_quadratic": "v[j] = pow(1.0 + {0} * v[j] / {1}, -{1});",
    "laplacian": "v[j] = exp(-{0} * v[j]);",
    "linear": "v[j] += {0};",
    "poly": "v[j] = pow({0} * v[j] + {1}, {2});",
    "cosine": "v[j] *= length * {name}_unit[j];",
}
_DIAGONAL = {
    "linear": "square + {0}",
    "poly": "pow({0} * square + {1}, {2})",
    "cosine": "(square > 0.0 ? 1.0 : 0.0)",
}


def kernel_code(form: Portable, constants: Constants) -> str:
    """Function that enters kernel values with all vectors and returns k(x, x); its constants are added."""
    program, m, name = program_of(form.kernel), len(form.vectors), constants.name
    if m:
        features = np.repeat(np.arange(form.n_features), m)
        constants.rounded("vectors", "vectors", form.vectors.T.ravel(), features)
    if m and any(operation.name == "cosine" for operation in program):
        lengths = np.sqrt(np.square(form.vectors).sum(axis=1))
        constants.doubles("unit", np.divide(1.0, lengths, out=np.zeros(m), where=lengths > 0))
    lines = _head(program, m, name)
    top = 0
    for operation in program:
        if operation.name in JOINS:
            top -= 1
            lines += _join(operation.name, top, m)
        else:
            lines += _elementary(operation, top, m, constants)
            top += 1
    return "\n".join([*lines, "    return diagonal[0];", "}"])


def _head(program, m, name):
    """First lines: names of what the operations use."""
    names = {operation.name for operation in program}
    lines = [f"static double {name}_kernel(const double *u{', double *k' if m else ''})", "{"]
    lines.append(f"    double diagonal[{depth(program)}];")
    if m and depth(program) > 1:
        lines.append(f"    double more[{depth(program) - 1}][{m}];")
    if names & _DIAGONAL.keys():
        lines += [
            "    double square = 0.0;",
            f"    for (int d = 0; d < {name.upper()}_COLUMNS; d++) square += u[d] * u[d];",
        ]
    if m and "cosine" in names:
        lines.append("    double length = square > 0.0 ? 1.0 / sqrt(square) : 0.0;")
    return lines


def _elementary(operation, top, m, constants):
    """Values of one kernel in the place ``top``."""
    name, parameters = constants.name, [number(value) for value in operation.parameters]
    kind = "squares" if operation.name in SQUARED else "products"
    kind = "distances" if operation.name == "laplacian" else kind
    diagonal = _DIAGONAL.get(operation.name, "1.0").format(*parameters)
    if not m:
        return [f"    diagonal[{top}] = {diagonal};"]
    z = f"{name}_vectors[d * {m} + j]"
    z = f"{z} * {name}_vectors_step[d]" if "vectors" in constants.short else z
    loop = f"for (int j = 0; j < {m}; j++)"
    return [
        "    {",
        f"        double *v = {_place(top)};",
        f"        {loop} v[j] = 0.0;",
        f"        for (int d = 0; d < {name.upper()}_COLUMNS; d++)",
        f"            {loop} {{ {_ACCUMULATE[kind].format(z=z)} }}",
        f"        {loop} {{ {_VALUE[operation.name].format(*parameters, name=name)} }}",
        f"        diagonal[{top}] = {diagonal};",
        "    }",
    ]


def _join(kind, top, m):
    """Sum or product of the places ``top`` - 1 and ``top``."""
    sign = "+=" if kind == "sum" else "*="
    lines = [f"    diagonal[{top - 1}] {sign} diagonal[{top}];"]
    if m:
        pair = f"{_place(top - 1)}[j] {sign} {_place(top)}[j];"
        lines.append(f"    for (int j = 0; j < {m}; j++) {pair}")
    return lines


def _place(top):
    return "k" if top == 0 else f"more[{top - 1}]"
