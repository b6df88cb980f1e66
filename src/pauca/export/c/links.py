"""C code of links: probabilities from means and variances of latent values."""

import numpy as np

from ..compiled.numbers import FAR, NEGLIGIBLE, REACH, STEP
from ..links import Link
from .constants import Constants, number

_PROBABILITY = """static double {name}_probability(double z)
{{
    return 0.5 * erfc(-z * 0.7071067811865476);
}}"""
_LOG_PROBABILITY = """static double {name}_log_probability(double z)
{{
    double w;
    if (z > 0.0) return log1p(-0.5 * erfc(z * 0.7071067811865476));
    if (z > {far}) return log(0.5 * erfc(-z * 0.7071067811865476));
    w = 1.0 / (z * z);
    w = log1p(w * (-1.0 + w * (3.0 + w * (-15.0 + w * 105.0))));
    return -0.5 * z * z - log(-z * 2.5066282746310002) + w;
}}"""
_DRAWS = """static double {name}_add_logs(double a, double b)
{{
    if (a < b) return b + log1p(exp(a - b));
    return a + (b > -HUGE_VAL ? log1p(exp(b - a)) : 0.0);
}}

static double {name}_quantile(double log_p)
{{
    double z = -sqrt(-2.0 * fmin(log_p, 0.0));
    for (int step = 0; step < 12; step++) {{
        double value = {name}_log_probability(z);
        z -= (value - log_p) / exp(-0.5 * z * z - 0.9189385332046727 - value);
    }}
    return z;
}}"""
_BINARY = """static void {name}_link(const double *mean, const double *variance, double *p)
{{
    double z = -fabs(mean[0]), less = 0.0;
    for (int k = 0; k < {n}; k++) {{
        double b = {name}_steepness[k];
        less += {name}_share[k] * {name}_probability(b * z / sqrt({unit} + b * b * variance[0]));
    }}
    less = {low} + {rest} * less;
    p[0] = mean[0] > 0.0 ? less : 1.0 - less;
    p[1] = mean[0] > 0.0 ? 1.0 - less : less;
}}"""
_ODDS = """static double {name}_log_mixture(double mean, double variance)
{{
    double logs[{n}], largest = -HUGE_VAL, total = 0.0;
    for (int k = 0; k < {n}; k++) {{
        double b = {name}_steepness[k];
        logs[k] = log({name}_share[k]) + {name}_log_probability(b * mean / sqrt({unit} + b * b * variance));
        largest = fmax(largest, logs[k]);
    }}
    for (int k = 0; k < {n}; k++) total += exp(logs[k] - largest);
    total = largest + log(total);{low}{jensen}
    return total;
}}

static void {name}_link(const double *mean, const double *variance, double *p)
{{
    double largest = -HUGE_VAL, total = 0.0;
    for (int k = 0; k < {classes}; k++) {{
        double yes = {name}_log_mixture(mean[k], variance[k]);
        p[k] = {power} * (yes - {name}_log_mixture(-mean[k], variance[k]));
        largest = fmax(largest, p[k]);
    }}
    for (int k = 0; k < {classes}; k++) {{
        p[k] = exp(p[k] - largest);
        total += p[k];
    }}
    for (int k = 0; k < {classes}; k++) p[k] /= total;
}}"""
_LOW = "\n    total = log({low} + {rest} * exp(total));"
_JENSEN = """
    {{
        double z = {steep} * mean;
        z = fmin(z, 0.0) - log1p(exp(-fabs(z))) - {steep} * {steep} * variance / 8.0;
        total = fmax(total, z);
    }}"""
_LARGEST = """static void {name}_link(const double *mean, const double *variance, double *p)
{{
    double spread[{n}], above[{n} + 1], lower = -HUGE_VAL, upper = -HUGE_VAL;
    double steepness = 0.0, step, total = 0.0;
    int near[{n}], best = 0, n_points;
    for (int k = 0; k < {n}; k++) {{
        spread[k] = sqrt(1.0 + variance[k]);
        lower = fmax(lower, mean[k] - {reach} * spread[k]);
        upper = fmax(upper, mean[k] + {reach} * spread[k]);
        if (mean[k] > mean[best]) best = k;
    }}
    for (int k = 0; k < {n}; k++) {{
        double gap = (mean[k] - mean[best]) / sqrt(2.0 + variance[k] + variance[best]);
        near[k] = {name}_log_probability(gap) > {negligible};
        p[k] = near[k] ? 0.0 : {name}_probability(gap);
        if (mean[k] + {reach} * spread[k] > lower) steepness += 1.0 / (spread[k] * spread[k]);
    }}
    step = {step} / sqrt(steepness);
    n_points = (int)((upper - lower) / step) + 2;
    above[{n}] = 1.0;
    for (int point = 0; point < n_points; point++) {{
        double t = lower + step * point, product = 1.0;
        for (int k = {n} - 1; k >= 0; k--)
            above[k] = above[k + 1] * {name}_probability((t - mean[k]) / spread[k]);
        for (int k = 0; k < {n}; k++) {{
            double z = (t - mean[k]) / spread[k];
            if (near[k])
                p[k] += step * 0.3989422804014327 * exp(-0.5 * z * z) / spread[k] * product * above[k + 1];
            product *= {name}_probability(z);
        }}
    }}
    for (int k = 0; k < {n}; k++) total += p[k];
    for (int k = 0; k < {n}; k++) p[k] /= total;
}}"""


_ORDERED = """static void {name}_link(const double *mean, const double *variance, double *p)
{{
    double spread = sqrt(1.0 + variance[0]), before = 0.0;
    for (int k = 0; k < {n} - 1; k++) {{
        double below = {name}_probability(({name}_thresholds[k] - mean[0]) / spread);
        p[k] = below - before;
        before = below;
    }}
    p[{n} - 1] = 1.0 - before;
}}"""
_BLEND = """static void {name}_blend(double *mean, double *variance)
{{
    double share = {trusted} / ({trusted} + variance[0]), gap = mean[0] - mean[1];
    double other = variance[1] + {error} + share * gap * gap;
    mean[0] = share * mean[0] + (1.0 - share) * mean[1];
    variance[0] = share * variance[0] + (1.0 - share) * other;
}}"""


def special_functions(link: Link, has_draws: bool, name: str) -> list[str]:
    """Functions that the others need, so that none is left unused."""
    parts = []
    if link.scheme in ("binary", "multinomial", "ordinal"):
        parts.append(_PROBABILITY.format(name=name))
    if link.scheme in ("odds", "multinomial") or has_draws:
        parts.append(_LOG_PROBABILITY.format(name=name, far=number(FAR)))
    if has_draws:
        parts.append(_DRAWS.format(name=name))
    return parts


def link_code(link: Link, n_classes: int, constants: Constants) -> list[str]:
    """Function from means and variances to probabilities; none for numbers. Its constants are added."""
    name = constants.name
    if link.scheme == "number":
        if link.blend is None:
            return []
        trusted, error = number(link.blend.trusted), number(link.blend.error)
        return [_BLEND.format(name=name, trusted=trusted, error=error)]
    if link.scheme == "ordinal":
        constants.doubles("thresholds", link.thresholds)
        return [_ORDERED.format(name=name, n=n_classes)]
    if link.scheme == "multinomial":
        sizes = {"reach": number(REACH), "step": number(STEP), "negligible": number(NEGLIGIBLE)}
        return [_LARGEST.format(name=name, n=n_classes, **sizes)]
    mixture = link.terms
    constants.doubles("share", mixture.shares)
    constants.doubles("steepness", mixture.steepnesses)
    low, rest = number(mixture.low), number(1 - 2 * mixture.low)
    options: dict[str, object] = {
        "name": name,
        "n": len(np.atleast_1d(mixture.shares)),
        "unit": number(mixture.unit),
    }
    if link.scheme == "binary":
        return [_BINARY.format(low=low, rest=rest, **options)]
    lower = _LOW.format(low=low, rest=rest) if mixture.low else ""
    bound = _JENSEN.format(steep=number(mixture.jensen)) if mixture.jensen else ""
    power = number(link.power)
    return [_ODDS.format(low=lower, jensen=bound, classes=n_classes, power=power, **options)]
