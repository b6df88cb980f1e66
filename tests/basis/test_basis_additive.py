"""Additive kernel: orthogonal effects, sums over pairs, and single columns beside their dense formulas."""

import numpy as np
import pytest

from pauca.basis import Additive, ColumnMeasure


def table(seed=0, n=25):
    """Placed rows of a number, a category of four levels and a number with an indicator; their measures."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, n)
    X = np.column_stack([rng.normal(size=n), 0.5 * np.eye(4)[codes], rng.normal(size=n), rng.random(n) < 0.2])
    X[X[:, 6] > 0, 5] = 0
    levels = np.bincount(codes, minlength=4) / n
    columns = (
        ColumnMeasure(np.array([0]), X[:, :1], np.full(n, 1 / n)),
        ColumnMeasure(np.arange(1, 5), 0.5 * np.eye(4), levels, True),
        ColumnMeasure(np.array([5, 6]), X[:, 5:], np.full(n, 1 / n)),
    )
    return X, columns


def kernel(columns, profile="laplacian"):
    return Additive(
        columns, np.array([1.5, 0.6]), np.array([0.7, 1.1, 0.4]), np.array([0.9, 1, 2.0]), profile
    )


def centred(K, L):
    """Kernel values less their projection on constants over the rows of the table, by the dense formula."""
    return K - K.mean(axis=1)[:, None] * L.mean(axis=0) / K.mean()


@pytest.mark.parametrize("profile", ["laplacian", "rbf"])
def test_values_are_sums_over_columns_and_pairs(profile):
    X, columns = table()
    k, power = kernel(columns, profile), 1 if profile == "laplacian" else 2
    gaps = [
        0.9 * np.abs(X[:, :1] - X[:, 0]) ** power,
        2.0 * (np.abs(X[:, None, 5:] - X[:, 5:]) ** power).sum(axis=-1),
    ]
    same = (X[:, 1:5].argmax(axis=1)[:, None] == X[:, 1:5].argmax(axis=1)).astype(float)
    dense = [0.7 * np.exp(-gaps[0]), 1.1 * same, 0.4 * np.exp(-gaps[1])]
    a, b, c = (centred(K, K) for K in dense)
    np.testing.assert_allclose(k(X, X), 1.5 * (a + b + c) + 0.6 * (a * b + a * c + b * c), atol=1e-12)
    np.testing.assert_allclose(k.main(1, X, X), 1.5 * b, atol=1e-12)
    np.testing.assert_allclose(k.pair(0, 2, X, X), 0.6 * a * c, atol=1e-12)
    np.testing.assert_allclose(k.pairs(X, X), 0.6 * (a * b + a * c + b * c), atol=1e-12)


@pytest.mark.parametrize("column", range(3))
def test_effects_have_mean_zero_over_the_training_entries(column):
    X, columns = table(1)
    k = kernel(columns)
    np.testing.assert_allclose(k.main(column, X, X[:5]).mean(axis=0), 0, atol=1e-12)


def test_a_pair_has_mean_zero_given_either_column():
    X, columns = table(2)
    k, row = kernel(columns), table(3)[0][:1]
    crossed = np.repeat(row, len(X), axis=0)
    for places in (columns[0].places, columns[2].places):
        given_the_other = crossed.copy()
        given_the_other[:, places] = X[:, places]
        np.testing.assert_allclose(k.pair(0, 2, given_the_other, row).mean(axis=0), 0, atol=1e-12)


def test_a_wrong_profile_is_named():
    with pytest.raises(ValueError, match="profile must be one of"):
        kernel(table()[1], "cubic")
