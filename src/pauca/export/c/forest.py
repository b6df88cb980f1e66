"""Flat trees as one C99 file: votes or means, tree after tree, until the row is decided."""

import numpy as np

from ... import __version__
from ..forest import FlatTrees, PortableEnsemble
from .constants import Constants, number, text

_HEAD = """/* {kind}, exported by pauca {version}.
 *
 * {n_features} features, {n_trees} trees, {n_nodes} nodes, {rule}.
 * Constants: {n_bytes} bytes. Nothing is allocated; the only library is that of math.h.
 * Rows have the columns of the training data in their order; missing values are nan.
 */
#include <math.h>

#define {upper}_FEATURES {n_features}
#define {upper}_CLASSES {n_classes}
#define {upper}_TREES {n_trees}

typedef {real} {name}_real;

void {name}_predict_proba(const {name}_real *x, {name}_real *probabilities);
int {name}_predict(const {name}_real *x);
int {name}_trees(const {name}_real *x);
const char *{name}_label(int k);
"""
_LEAF = """static int {name}_leaf(const {name}_real *x, int node)
{{
    while ({name}_child[node] != node) {{
        float value = (float)x[{name}_feature[node]];
        int right = value != value ? {name}_missing[node] : value > {name}_threshold[node];
        node = {name}_child[node] + right;
    }}
    return {name}_value[node];
}}"""
_VOTES_DECIDED = """static int {name}_decided(const double *totals, int n)
{{
    int first = 0, second = 0;
    for (int k = 0; k < {upper}_CLASSES; k++) {{
        int votes = (int)totals[k];
        if (votes > first) {{ second = first; first = votes; }}
        else if (votes > second) second = votes;
    }}
    return first >= {name}_least[n * {width} + {column}];
}}"""
_MEANS_DECIDED = """static int {name}_decided(const double *totals, const double *squares, int n)
{{
    int leader = 0, left = {upper}_TREES - n;
    {sum}if (left == 0) return 1;
    for (int k = 1; k < {upper}_CLASSES; k++) if (totals[k] > totals[leader]) leader = k;
    for (int k = 0; k < {upper}_CLASSES; k++) {{
        double lead = totals[leader] - totals[k], both = squares[leader] + squares[k], signal, noise;
        if (k == leader || lead > left) continue;{spread}
        /* Two imaginary opposite votes keep the variance of trees that agree above zero. */
        both += 2.0 - lead * lead / n;
        signal = lead * lead * (n + 1) * (n + left);
        noise = (double)n * left * both;
        if (signal < {name}_critical[n] * noise) return 0;{more}
    }}
    return 1;
}}"""
# Two classes: the mixed term of the squared lead is known. More: a sum of probabilities over the rivals.
_SPREAD = "\n        both -= 2.0 * (totals[leader] - squares[leader]);"
_TAIL = """
        probability += {name}_tails[n * ({last} + 1) + (int)fmin({steps} * sqrt(signal / noise), {last}.0)];
        if (probability > {risk}) return 0;"""
_EVALUATE = """static int {name}_evaluate(const {name}_real *x, double *totals, double *squares)
{{
    int n = 0;
    for (int k = 0; k < {upper}_CLASSES; k++) totals[k] = squares[k] = 0.0;
    while (n < {upper}_TREES) {{
        int leaf = {name}_leaf(x, {name}_roots[n]);
        {add}
        n++;
        {stop}
    }}
    return n;
}}"""
_ADD_VOTE = "totals[leaf] += 1.0; squares[leaf] = totals[leaf];"
_ADD_MEAN = """for (int k = 0; k < {upper}_CLASSES; k++) {{
            double p = {name}_probabilities[leaf * {upper}_CLASSES + k];
            totals[k] += p;
            squares[k] += p * p;
        }}"""
# The trees that were not evaluated are expected to answer as a Polya urn of the answers seen.
_PREDICT = """void {name}_predict_proba(const {name}_real *x, {name}_real *probabilities)
{{
    double totals[{n}], squares[{n}];
    int seen = {name}_evaluate(x, totals, squares), left = {upper}_TREES - seen;
    for (int k = 0; k < {n}; k++)
    {{
        double expected = left * (totals[k] + 1.0) / (seen + {n});
        probabilities[k] = ({name}_real)((totals[k] + expected) / {upper}_TREES);
    }}
}}

int {name}_predict(const {name}_real *x)
{{
    double totals[{n}], squares[{n}];
    int best = 0;
    {name}_evaluate(x, totals, squares);
    for (int k = 1; k < {n}; k++) if (totals[k] > totals[best]) best = k;
    return best;
}}

int {name}_trees(const {name}_real *x)
{{
    double totals[{n}], squares[{n}];
    return {name}_evaluate(x, totals, squares);
}}

const char *{name}_label(int k)
{{
    static const char *const labels[{n}] = {{{labels}}};
    return labels[k];
}}"""


def write_forest(form: PortableEnsemble, name: str, is_float: bool) -> tuple[str, int]:
    """Text of the C file, and the bytes of its constants."""
    trees, classes = form.trees, form.classes
    assert trees is not None
    assert classes is not None
    constants, n, upper = Constants(name, ()), len(classes), name.upper()
    _nodes(trees, constants)
    code = [_LEAF.format(name=name), *_rule(trees, constants)]
    stops = "return" if trees.thresholds is None and trees.critical is None else ""
    squares = ", squares" if trees.critical is not None else ""
    stop = "" if stops else f"if ({name}_decided(totals{squares}, n)) break;"
    add = (_ADD_MEAN if form.soft else _ADD_VOTE).format(name=name, upper=upper)
    code.append(_EVALUATE.format(name=name, upper=upper, add=add, stop=stop))
    labels = ", ".join(text(label) for label in classes)
    code.append(_PREDICT.format(name=name, upper=upper, n=n, labels=labels))
    head = _HEAD.format(
        kind=form.kind,
        version=__version__,
        n_features=form.n_features,
        n_trees=len(trees.roots),
        n_nodes=len(trees.nodes),
        rule="all of them evaluated" if stops else "evaluated until the class is decided",
        n_bytes=constants.n_bytes,
        upper=upper,
        n_classes=n,
        real="float" if is_float else "double",
        name=name,
    )
    return "\n".join([head, *constants.lines, "", "\n\n".join(code), ""]), constants.n_bytes


def _nodes(trees: FlatTrees, constants: Constants) -> None:
    """Constants of the nodes; leaves have thresholds that are never looked at."""
    finite = np.where(np.isfinite(trees.nodes["threshold"]), trees.nodes["threshold"], 0.0)
    constants.singles("threshold", finite)
    constants.integers("child", trees.nodes["child"])
    constants.integers("feature", trees.nodes["feature"])
    constants.integers("value", trees.nodes["label"])
    constants.bytes("missing", trees.right_if_missing)
    constants.integers("roots", trees.roots)
    if len(trees.probabilities):
        constants.doubles("probabilities", trees.probabilities)


def _rule(trees: FlatTrees, constants: Constants) -> list[str]:
    """Function that says whether a row is decided, if there is a rule."""
    name, upper = constants.name, constants.name.upper()
    if trees.thresholds is not None:
        width = trees.thresholds.shape[1]
        constants.integers("least", trees.thresholds.ravel())
        column = "second" if width > 1 else "0"
        code = _VOTES_DECIDED.format(name=name, upper=upper, width=width, column=column)
        return [code]
    if trees.critical is None or trees.tails is None:
        return []
    constants.doubles("critical", trees.critical)
    if trees.probabilities.shape[1] == 2:
        return [_MEANS_DECIDED.format(name=name, upper=upper, spread=_SPREAD, more="", sum="")]
    constants.doubles("tails", trees.tails)
    last = trees.tails.shape[1] - 1
    more = _TAIL.format(name=name, last=last, steps=number(trees.steps), risk=number(trees.risk))
    options = {"spread": "", "more": more, "sum": "double probability = 0.0;\n    "}
    return [_MEANS_DECIDED.format(name=name, upper=upper, **options)]
