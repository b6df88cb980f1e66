"""Bias, variance and covariance against their definitions."""

import numpy as np
import pytest

from pauca.ensembles import bias_variance_covariance

RNG = np.random.default_rng(0)
OUTPUTS, Y = RNG.normal(size=(40, 6, 15)) + RNG.normal(size=(40, 1, 15)), RNG.normal(size=15)


def test_identity_is_exact():
    parts = bias_variance_covariance(OUTPUTS, Y)
    covariance = np.nan_to_num(parts.covariance)
    total = parts.variance / parts.size + (1 - 1 / parts.size) * covariance + parts.squared_bias
    np.testing.assert_allclose(parts.mse, total, rtol=1e-12)
    errors = [np.mean(np.square(OUTPUTS[:, :size].mean(axis=1) - Y)) for size in range(1, 7)]
    np.testing.assert_allclose(parts.mse, errors, rtol=1e-12)


def test_parts_are_averages_over_members_and_pairs():
    """Equations (3.19), with moments over repetitions at each row."""
    parts, size = bias_variance_covariance(OUTPUTS, Y), 4
    kept = OUTPUTS[:, :size]
    centred = kept - kept.mean(axis=0)
    products = np.einsum("rix,rjx->ijx", centred, centred) / len(kept)
    off_diagonal = ~np.eye(size, dtype=bool)
    assert parts.variance[size - 1] == pytest.approx(np.einsum("iix->ix", products).mean())
    assert parts.covariance[size - 1] == pytest.approx(products[off_diagonal].mean())
    bias = (kept.mean(axis=0) - Y).mean(axis=0)
    assert parts.squared_bias[size - 1] == pytest.approx(np.mean(bias**2))
    assert np.isnan(parts.covariance[0])


def test_known_distribution():
    """Members with variance 2 of which 1 is shared, and bias 3."""
    rng = np.random.default_rng(1)
    outputs = 3 + rng.normal(size=(4000, 5, 3)) + rng.normal(size=(4000, 1, 3))
    parts = bias_variance_covariance(outputs, np.zeros(3))
    assert parts.squared_bias[4] == pytest.approx(9, rel=0.02)
    assert parts.variance[4] == pytest.approx(2, rel=0.05)
    assert parts.covariance[4] == pytest.approx(1, rel=0.05)


def test_orders_rearrange_each_repetition():
    orders = np.stack([RNG.permutation(6) for _ in OUTPUTS])[:, :4]
    found = bias_variance_covariance(OUTPUTS, Y, orders=orders)
    rearranged = np.stack([outputs[order] for outputs, order in zip(OUTPUTS, orders, strict=True)])
    np.testing.assert_array_equal(found.mse, bias_variance_covariance(rearranged, Y).mse)
    assert found.size.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("outputs", "orders", "message"),
    [
        (OUTPUTS[0], None, r"outputs must have shape \(n_repeats, n_members, n_samples\)"),
        (OUTPUTS[:, :, :3], None, "y must have shape"),
        (OUTPUTS, np.zeros((40, 2)), "orders must hold"),
        (OUTPUTS, np.full((40, 2), 6), "indices below 6"),
        (OUTPUTS, np.zeros((3, 2), dtype=int), "each of the 40 repetitions"),
    ],
)
def test_errors_are_named(outputs, orders, message):
    with pytest.raises(ValueError, match=message):
        bias_variance_covariance(outputs, Y, orders=orders)
