"""The order of rows and columns means nothing, least of all where rows are equally far from the mean."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier

from pauca import machines
from pauca.fitting.row_order import content_keys

KINDS = [getattr(machines, name) for name in machines.__all__ if name.endswith(("ifier", "essor"))]
# Largest change of a prediction by another order.
ROWS, COLUMNS = 3e-9, 2e-6
# The same for another order of the columns where rows are 1e-9 apart and there are three classes: the joint
# evidence is nearly flat along a kernel that is nearly singular, and rounding decides where the ascent ends.
NEARLY_SINGULAR = 5e-3


def grid(rng, n, d):
    return rng.integers(3, size=(n, d)).astype(float)


def nearly_repeated(rng, n, d):
    return rng.normal(size=(n // 3, d))[rng.integers(n // 3, size=n)] + 1e-9 * rng.normal(size=(n, d))


def mirrored(rng, n, d):
    Z = rng.normal(size=(n // 4, d))
    return np.vstack([Z, -Z, Z[:, ::-1], -Z[:, ::-1]])


def one_hot(rng, n, d):
    return np.eye(d)[rng.integers(d, size=n)]


def plain(rng, n, d):
    return rng.normal(size=(n, d))


def problem(Machine, draw, seed, n=48, d=4):
    """Rows with many ties, targets for the machine, and new rows."""
    rng = np.random.default_rng(seed)
    X, new = draw(rng, n, d), rng.normal(size=(20, d))
    f = X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=n)
    if not is_classifier(Machine()):
        return X, f, new
    many = "Ordinal" in Machine.__name__ or seed % 3 == 2
    return X, np.digitize(f, np.quantile(f, [0.3, 0.7] if many else [0.5])), new


def predictions(Machine, X, y, new):
    machine = Machine().fit(X, y)
    if is_classifier(machine):
        return machine.predict_proba(new)
    return np.column_stack(machine.predict(new, return_std=True))


def assert_no_order_counts(Machine, draw, seed):
    X, y, new = problem(Machine, draw, seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    expected = predictions(Machine, X, y, new)
    np.testing.assert_allclose(predictions(Machine, X[rows], y[rows], new), expected, atol=ROWS, rtol=0)
    found = predictions(Machine, X[:, columns], y, new[:, columns])
    singular = Machine is machines.SparseGPClassifier and draw is nearly_repeated and len(np.unique(y)) > 2
    np.testing.assert_allclose(found, expected, atol=NEARLY_SINGULAR if singular else COLUMNS, rtol=0)


@pytest.mark.parametrize("Machine", KINDS)
def test_orders_of_rows_and_columns_with_ties(Machine):
    assert_no_order_counts(Machine, grid, 0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("draw", [plain, grid, nearly_repeated, mirrored, one_hot])
@pytest.mark.parametrize("Machine", KINDS)
def test_orders_of_all_kinds_of_rows(Machine, draw, seed):
    assert_no_order_counts(Machine, draw, seed)


def test_keys_follow_the_content_alone():
    rng = np.random.default_rng(0)
    X, y = rng.integers(2, size=(30, 4)).astype(float), rng.integers(2, size=30)
    weights = rng.integers(1, 4, size=30).astype(float)
    keys = content_keys(X, y, weights)
    rows, columns = rng.permutation(30), rng.permutation(4)
    np.testing.assert_array_equal(content_keys(X[rows][:, columns], y[rows], weights[rows]), keys[rows])
    np.testing.assert_array_equal(content_keys(sparse.csr_matrix(X), y, weights), keys)
    np.testing.assert_array_equal(content_keys(X * [1, 2, 3, 4], 1 - y, 0.5 * weights), keys)
    assert len(np.unique(keys)) == len(np.unique(X, axis=0))
