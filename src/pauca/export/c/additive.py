"""C code of kernels of main effects and pairs."""

from typing import Any

from numpy.typing import NDArray

from ..additive import tables_of
from .constants import Constants, number

# Kernel of each column, less what its mean explains; sums and sums of squares over the columns.
_LINES = """double own, total = 0.0, squares = 0.0;
for (int c = 0; c < {n}; c++) {{
    const double *x = u + {t}_places[c], *p = {t}_points + {width} * {t}_first[c];
    double mean = 0.0, part;
    int level = 0;
    if ({t}_category[c]) {{
        for (int d = 1; d < {t}_widths[c]; d++) if (x[d] > x[level]) level = d;
        mean = {t}_probabilities[{t}_first[c] + level];
    }} else {{
        for (int q = 0; q < {t}_count[c]; q++) {{
            double distance = 0.0;
            for (int d = 0; d < {t}_widths[c]; d++) {{
                double e = x[d] - p[{width} * q + d];
                distance += {distance};
            }}
            mean += {t}_probabilities[{t}_first[c] + q] * exp(-{t}_rate[c] * distance);
        }}
    }}
    part = {t}_amplitude[c] * (1.0 - mean * mean / {t}_total[c]);
    total += part;
    squares += part * part;{vectors}
}}
own = {main} * total + {pairs} * (total * total - squares);"""
_VECTORS = """
    for (int j = 0; j < {m}; j++) {{
        double value = {t}_levels[c * {m} + j] == level ? 1.0 : 0.0;
        if (!{t}_category[c]) {{
            double distance = 0.0;
            for (int d = 0; d < {t}_widths[c]; d++) {{
                double e = x[d] - {t}_vectors[({t}_places[c] + d) * {m} + j];
                distance += {distance};
            }}
            value = exp(-{t}_rate[c] * distance);
        }}
        value = {t}_amplitude[c] * (value - mean * {t}_means[c * {m} + j]);
        v[j] += value;
        w[j] += value * value;
    }}"""


def additive_lines(operation: Any, op: int, place: str, vectors: NDArray, constants: Constants) -> list[str]:
    """Lines that enter the values of one kernel in ``v`` and k(x, x) in ``own``; constants are added."""
    tables, m, short = tables_of(operation.additive, vectors), len(vectors), f"effects{op}"
    for name in ("places", "widths", "first"):
        constants.integers(f"{short}_{name}", getattr(tables, name))
    constants.integers(f"{short}_category", tables.is_category)
    constants.integers(f"{short}_count", tables.n_points)
    constants.doubles(f"{short}_rate", tables.inverse_widths)
    constants.doubles(f"{short}_amplitude", tables.amplitudes)
    for name in ("total", "points", "probabilities"):
        constants.doubles(f"{short}_{name}", getattr(tables, name))
    if m:
        constants.doubles(f"{short}_means", tables.means)
        constants.integers(f"{short}_levels", tables.levels.ravel())
        constants.doubles(f"{short}_vectors", vectors.T.ravel())
    main, pairs = number(tables.orders[0]), number(0.5 * tables.orders[1])
    options = {"t": f"{constants.name}_{short}", "width": tables.points.shape[1], "m": m}
    options["distance"] = "e * e" if tables.is_squared else "fabs(e)"
    loop = _VECTORS.format(**options) if m else ""
    body = _LINES.format(n=len(tables.places), vectors=loop, main=main, pairs=pairs, **options).split("\n")
    if not m:
        return body
    combined = f"v[j] = {main} * v[j] + {pairs} * (v[j] * v[j] - w[j]);"
    return [
        f"double *v = {place}, w[{m}];",
        f"for (int j = 0; j < {m}; j++) v[j] = w[j] = 0.0;",
        *body,
        f"for (int j = 0; j < {m}; j++) {combined}",
    ]
