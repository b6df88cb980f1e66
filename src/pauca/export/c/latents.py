"""C code of latent functions: inputs, means, variances, draws."""

import numpy as np

from ..form import LARGEST_SCORE, LARGEST_UPPER_SCORE, Latent, Portable
from ..inputs import gradient_of
from .constants import Constants, number

_QUADRATIC = """static double {name}_quadratic(
    const {type} *factor,{step} const double *g, int n, int bilinear)
{{
    double product[{most}], total = 0.0;
    for (int i = 0; i < n; i++) product[i] = 0.0;
    for (int j = 0; j < n; j++) {{
        for (int i = j; i < n; i++) product[i] += factor[i - j] * g[j];
        factor += n - j;
    }}
    for (int i = 0; i < n; i++) {{{rescale}
        total += product[i] * (bilinear ? g[i] : product[i]);
    }}
    return total;
}}"""
_DIAGONAL = """static double {name}_diagonal(const double *factor, const double *g, int n)
{{
    double total = 0.0;
    for (int i = 0; i < n; i++) {{
        double value = factor[i] * g[i];
        total += value * value;
    }}
    return total;
}}"""
_DRAWS = """static void {name}_drawn(const double *draws, int n_draws, const double *g, int n, double *values)
{{
    double yes = -HUGE_VAL, no = -HUGE_VAL, sum = 0.0, squares = 0.0;
    for (int s = 0; s < n_draws; s++) {{
        double f = 0.0, change;
        for (int i = 0; i < n; i++) f += draws[s * n + i] * g[i];
        change = f - sum;
        sum += change / (s + 1);
        squares += change * (f - sum);
        yes = {name}_add_logs(yes, {name}_log_probability(f));
        no = {name}_add_logs(no, {name}_log_probability(-f));
    }}
    values[0] = sum;
    values[1] = squares / n_draws;
    values[2] = yes < no ? {name}_quantile(yes - log(n_draws)) : -{name}_quantile(no - log(n_draws));
}}"""
_DRAWN_MOMENTS = {
    "moments": ["mean[{k}] = drawn[0];", "variance[{k}] = drawn[1];"],
    "quantile": ["mean[{k}] = drawn[2] * sqrt(1.0 + drawn[1]);", "variance[{k}] = drawn[1];"],
    "probability": ["mean[{k}] = fmax({low}, fmin({high}, drawn[2]));", "variance[{k}] = 0.0;"],
}


def latent_code(form: Portable, constants: Constants, variance: bool) -> str:
    """Functions that enter mean and variance of every latent function; their constants are added."""
    name, parts = constants.name, []
    kinds = {_kind(latent, variance) for latent in form.latents}
    if "triangle" in kinds:
        most = max(len(latent.weights) for latent in form.latents)
        short = "variance" in constants.short
        step = " const double *step," if short else ""
        rescale = "\n        product[i] *= step[i];" if short else ""
        options = {"type": "int" if short else "double", "most": most, "step": step, "rescale": rescale}
        parts.append(_QUADRATIC.format(name=name, **options))
    if "diagonal" in kinds:
        parts.append(_DIAGONAL.format(name=name))
    if "draws" in kinds:
        parts.append(_DRAWS.format(name=name))
    return "\n\n".join([*parts, _moments(form, constants, variance)])


def _kind(latent: Latent, variance: bool) -> str:
    if latent.draws is not None:
        return "draws"
    if latent.factor is None or not variance:
        return "none"
    return "diagonal" if latent.factor.ndim == 1 else "triangle"


def _moments(form, constants, variance):
    """Function from a row to all means and variances."""
    name, n_inputs = constants.name, form.n_inputs
    total = f"{name.upper()}_COLUMNS"
    has_prior = variance and any(latent.prior is not None for latent in form.latents)
    gathers = any(not np.array_equal(latent.columns, np.arange(n_inputs)) for latent in form.latents)
    more = f", g[{n_inputs + 1}]" if gathers else ""
    body = [f"double t[{total}], inputs[{n_inputs + 1}]{more};"]
    if any(latent.draws is not None for latent in form.latents):
        body.append("double drawn[3];")
    body += _placing(form, constants)
    has_trend = has_prior and any(latent.prior.trend for latent in form.latents if latent.prior)
    if has_trend or form.has_envelope:
        body += ["double trend = 0.0;", f"for (int d = 0; d < {total}; d++) trend += t[d] * t[d];"]
    body.append("inputs[0] = 1.0;")
    body += _direct(form, constants)
    body += _kernel_lines(form, constants, has_prior)
    for k, latent in enumerate(form.latents):
        body += _latent(k, latent, constants, form, variance)
    if not variance:
        body.append("(void)variance;")
    lines = [f"static void {name}_moments(const {name}_real *x, double *mean, double *variance)", "{"]
    return "\n".join([*lines, *(f"    {line}" for line in body), "}"])


def _kernel_lines(form, constants, has_prior):
    """Lines that enter kernel values among the inputs."""
    name, m = constants.name, len(form.vectors)
    lines: list[str] = []
    uses_diagonal = has_prior and any(latent.prior.amplitude for latent in form.latents if latent.prior)
    if form.kernel is None or not (m or uses_diagonal):
        return lines
    if not np.all(form.scales == 1):
        constants.doubles("scales", form.scales)
        loop = f"for (int d = 0; d < {name.upper()}_COLUMNS; d++)"
        lines.append(f"{loop} t[d] *= {name}_scales[d];")
    place = f", inputs + {form.n_inputs - m + 1}" if m else ""
    call = f"{name}_kernel(t{place});"
    return [*lines, f"double diagonal = {call}" if uses_diagonal else f"(void){call}"]


def _placing(form, constants):
    """Lines that enter placed features in t."""
    name, inputs = constants.name, form.inputs
    constants.doubles("centre", form.centre)
    constants.doubles("factor", form.factor)
    loop = f"for (int d = 0; d < {name.upper()}_COLUMNS; d++)"
    placed = f"{name}_centre[d]) * {name}_factor[d];"
    if inputs.are_plain:
        return [f"{loop} t[d] = (x[d] - {placed}"]
    constants.integers("source", inputs.source)
    lines = [f"double value = x[{name}_source[d]];"]
    if not np.isnan(inputs.fill).all():
        constants.integers("fills", ~np.isnan(inputs.fill))
        constants.doubles("fill", np.nan_to_num(inputs.fill))
        lines.append(f"if ({name}_fills[d] && value != value) value = {name}_fill[d];")
    if inputs.curves:
        points, images = (f"{name}_{kind} + {name}_first_point[d]" for kind in ("points", "images"))
        call = f"{name}_on_curve(value, {points}, {images}, {name}_n_points[d], {name}_gradient[d])"
        lines.append(f"if ({name}_n_points[d]) value = {call};")
    if not np.isnan(inputs.equals).all():
        constants.integers("indicates", ~np.isnan(inputs.equals))
        constants.doubles("equals", np.nan_to_num(inputs.equals))
        lines.append(f"if ({name}_indicates[d]) value = value == {name}_equals[d] ? 1.0 : 0.0;")
    if inputs.is_missing is not None:
        constants.integers("tells_missing", inputs.is_missing)
        lines.append(f"if ({name}_tells_missing[d]) value = x[{name}_source[d]] != x[{name}_source[d]];")
    lines.append(f"t[d] = (value - {placed}")
    return [f"{loop} {{", *(f"    {line}" for line in lines), "}"]


_CURVE = """static double {name}_on_curve(
    double x, const double *points, const double *images, int n, double gradient)
{{
    int place = 1;
    if (x <= points[0]) return images[0] + gradient * (x - points[0]);
    if (x >= points[n - 1]) return images[n - 1] + gradient * (x - points[n - 1]);
    while (x > points[place]) place++;
    return images[place - 1]
        + (images[place] - images[place - 1]) * (x - points[place - 1]) / (points[place] - points[place - 1]);
}}"""


def curve_code(form: Portable, constants: Constants) -> list[str]:
    """Function for transformed columns, if there are any; its constants are added."""
    curves = form.inputs.curves
    if not curves:
        return []
    constants.doubles("points", np.concatenate([points for points, _ in curves.values()]))
    constants.doubles("images", np.concatenate([images for _, images in curves.values()]))
    sizes = np.zeros((2, form.n_features), dtype=int)
    gradients, first = np.zeros(form.n_features), 0
    for place, (points, images) in curves.items():
        sizes[:, place] = first, len(points)
        gradients[place] = gradient_of(points, images)
        first += len(points)
    constants.integers("first_point", sizes[0])
    constants.integers("n_points", sizes[1])
    constants.doubles("gradient", gradients)
    return [_CURVE.format(name=constants.name)]


def _direct(form, constants):
    """Lines that enter the envelope and placed features among the inputs."""
    name, lines, place, factor = constants.name, [], 1, ""
    if form.has_envelope:
        share = f"trend / {number(form.reach**2)}"
        lines.append(f"double envelope = exp(-({share}) * ({share}));")
        lines.append("inputs[1] = envelope;")
        place, factor = 2, "envelope * "
    if len(form.direct):
        constants.integers("direct", form.direct)
        loop = f"for (int i = 0; i < {len(form.direct)}; i++)"
        lines.append(f"{loop} inputs[i + {place}] = {factor}t[{name}_direct[i]];")
    return lines


def _latent(k, latent, constants, form, variance):
    """Lines for one latent function; its constants are added."""
    name, n, g = constants.name, len(latent.weights), "inputs"
    lines = []
    if not np.array_equal(latent.columns, np.arange(form.n_inputs)):
        constants.integers(f"columns{k}", [0, *(latent.columns + 1)])
        lines.append(f"for (int i = 0; i < {n}; i++) g[i] = inputs[{name}_columns{k}[i]];")
        g = "g"
    if latent.draws is not None:
        constants.doubles(f"draws{k}", latent.draws.weights)
        lines.append(f"{name}_drawn({name}_draws{k}, {len(latent.draws.weights)}, {g}, {n}, drawn);")
        low, high = number(-LARGEST_SCORE), number(LARGEST_UPPER_SCORE)
        return lines + [each.format(k=k, low=low, high=high) for each in _DRAWN_MOMENTS[latent.draws.kind]]
    constants.doubles(f"weights{k}", latent.weights)
    lines += [
        f"mean[{k}] = 0.0;",
        f"for (int i = 0; i < {n}; i++) mean[{k}] += {name}_weights{k}[i] * {g}[i];",
    ]
    if not variance:
        return lines
    return [*lines, *_variance(k, latent, constants, g, form.has_envelope)]


def _variance(k, latent, constants, g, has_envelope):
    """Lines for the variance of one latent function."""
    name, n = constants.name, len(latent.weights)
    if latent.factor is None:
        lines = [f"variance[{k}] = 0.0;"]
    elif latent.factor.ndim == 1:
        constants.doubles(f"variance{k}", latent.factor)
        lines = [f"variance[{k}] = {name}_diagonal({name}_variance{k}, {g}, {n});"]
    else:
        columns, rows = np.triu_indices(n)
        constants.rounded(f"variance{k}", "variance", latent.factor[rows, columns], rows)
        step = f" {name}_variance{k}_step," if "variance" in constants.short else ""
        arguments = f"{name}_variance{k},{step} {g}, {n}, {int(latent.bilinear)}"
        lines = [f"variance[{k}] = {name}_quadratic({arguments});"]
    prior = latent.prior
    if prior is None:
        return lines
    inside = "envelope * envelope * " if has_envelope else ""
    terms = [f"{inside}{number(prior.constant)}"]
    terms += [f"{inside}{number(prior.trend)} * trend"] if prior.trend else []
    terms += [f"{number(prior.amplitude)} * diagonal"] if prior.amplitude else []
    least = f"fmax({number(latent.least_share)} * prior, 2.2250738585072014e-308)"
    before = [f"{{ double prior = {' + '.join(terms)};"]
    return [*before, *lines, f"variance[{k}] = fmax(prior - variance[{k}], {least}); }}"]
