"""A portable form as one C99 file."""

from ... import __version__
from ..compiled.numbers import LARGEST_EXPONENT
from ..form import Portable
from .constants import Constants, number, text
from .kernels import kernel_code
from .latents import curve_code, latent_code
from .links import link_code, special_functions
from .rounding import may_be_rounded

_HEAD = """/* {kind}, exported by pauca {version}.
 *
 * {facts}
 * Constants: {n_bytes} bytes. Nothing is allocated; the only library is that of math.h.
 * Rows have the columns of the training data in their order{missing}.
 */
#include <math.h>

#define {upper}_FEATURES {n_given}
{define}
typedef {real} {name}_real;
"""
_CLASSIFIER = """void {name}_predict_proba(const {name}_real *x, {name}_real *probabilities)
{{
    double mean[{latent}], variance[{latent}], p[{n}];
    {name}_moments(x, mean, variance);
    {name}_link(mean, variance, p);
    for (int k = 0; k < {n}; k++) probabilities[k] = ({name}_real)p[k];
}}

int {name}_predict(const {name}_real *x)
{{
    double mean[{latent}], variance[{latent}], p[{n}];
    int best = 0;
    {name}_moments(x, mean, variance);
    {name}_link(mean, variance, p);
    for (int k = 1; k < {n}; k++) if (p[k] > p[best]) best = k;
    return best;
}}

const char *{name}_label(int k)
{{
    static const char *const labels[{n}] = {{{labels}}};
    return labels[k];
}}"""
_LATENT = """void {name}_latent(const {name}_real *x, {name}_real *mean, {name}_real *variance)
{{
    double m[{latent}], v[{latent}];
    {name}_moments(x, m, v);
    for (int k = 0; k < {latent}; k++) {{
        mean[k] = ({name}_real)m[k];
        variance[k] = ({name}_real)v[k];
    }}
}}"""
_REGRESSOR = """void {name}_predict(const {name}_real *x, {name}_real *mean, {name}_real *std)
{{
    double m[{latent}], v[{latent}];
    {name}_moments(x, m, v);{blend}
    *mean = ({name}_real)m[0];
    *std = ({name}_real)sqrt(v[0] + {noise});
}}"""
_COUNT = """void {name}_predict(const {name}_real *x, {name}_real *mean, {name}_real *std)
{{
    double m[1], v[1], rate, noise, spread;
    {name}_moments(x, m, v);
    rate = exp(fmin(m[0] + 0.5 * v[0], {most}));
    noise = rate + {excess} * exp(fmin(2.0 * m[0] + 2.0 * v[0], {most}));
    spread = exp(fmin(2.0 * m[0] + v[0], {most})) * expm1(fmin(v[0], {most}));
    *mean = ({name}_real)rate;
    *std = ({name}_real)sqrt(noise + spread);
}}"""
_MEAN = """{name}_real {name}_predict(const {name}_real *x)
{{
    double m[{latent}], v[{latent}];
    {name}_moments(x, m, v);{blend}
    return ({name}_real)m[0];
}}"""


def write_form(form: Portable, name: str, is_float: bool, variance: bool) -> tuple[str, int]:
    """Text of the C file, and the bytes of its constants.

    ``is_float``: rows and predictions are floats, and vectors and variances are kept in 4 bytes a number;
    sums are double. ``variance``: whether classifiers give the moments of their latent functions, and
    regressors the standard deviation.
    """
    constants = Constants(name, may_be_rounded(form) if is_float else ())
    classes = form.classes
    is_classifier = classes is not None
    with_variance = variance or is_classifier or form.link.is_count or form.link.blend is not None
    n_latent = len(form.latents)
    drawn = any(latent.draws is not None for latent in form.latents)
    code = [*special_functions(form.link, drawn, name), *curve_code(form, constants)]
    if form.kernel is not None and (len(form.vectors) or _needs_diagonal(form, with_variance)):
        code.append(kernel_code(form, constants))
    code.append(latent_code(form, constants, with_variance))
    if classes is not None:
        n = len(classes)
        code += link_code(form.link, n, constants)
        labels = ", ".join(text(label) for label in classes)
        code.append(_CLASSIFIER.format(name=name, n=n, latent=n_latent, labels=labels))
        code += [_LATENT.format(name=name, latent=n_latent)] if variance else []
    elif form.link.is_count:
        options = {"excess": number(form.link.excess), "most": number(LARGEST_EXPONENT)}
        code.append(_COUNT.format(name=name, **options))
    else:
        code += link_code(form.link, 0, constants)
        blend = "" if form.link.blend is None else f"\n    {name}_blend(m, v);"
        options = {"name": name, "latent": str(n_latent), "blend": blend}
        text_of = _REGRESSOR if variance else _MEAN
        code.append(text_of.format(noise=number(form.link.noise_variance), **options))
    head = _head(form, constants, is_float)
    prototypes = [line + ";" for part in code for line in part.split("\n") if _is_public(line, name)]
    parts = [head, *prototypes, "", *constants.lines, "", "\n\n".join(code), ""]
    return "\n".join(parts), constants.n_bytes


def _needs_diagonal(form, variance):
    return variance and any(latent.prior and latent.prior.amplitude for latent in form.latents)


def _is_public(line, name):
    """Whether a line begins the definition of a function that the user calls."""
    beginnings = (f"void {name}_", f"int {name}_", f"const char *{name}_", f"{name}_real {name}_")
    return line.startswith(beginnings)


def _head(form, constants, is_float):
    """Comment, sizes and types."""
    name, upper = constants.name, constants.name.upper()
    n_given, n_columns = form.inputs.n_given, form.n_features
    facts = f"{n_given} features, {len(form.vectors)} vectors, {len(form.latents)} latent functions."
    define = f"#define {upper}_COLUMNS {n_columns}\n"
    if form.classes is not None:
        define += f"#define {upper}_CLASSES {len(form.classes)}\n"
    return _HEAD.format(
        kind=form.kind,
        version=__version__,
        facts=facts,
        n_bytes=constants.n_bytes,
        missing="" if form.inputs.are_plain else "; missing values are nan, categories their codes",
        upper=upper,
        n_given=n_given,
        define=define,
        real="float" if is_float else "double",
        name=name,
    )
