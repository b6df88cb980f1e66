"""What must not change a machine, and what must change it in a known way."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from pauca import RVMClassifier, RVMRegressor, SparseGPClassifier
from pauca.datasets import make_ripley, make_sinc

few = settings(max_examples=4, suppress_health_check=list(HealthCheck))
seeds = st.integers(0, 10_000)
gammas = st.sampled_from(["evidence", 0.5])


def classes(seed, n=50, d=3):
    """Two overlapping classes in d features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.7 * rng.normal(size=n) > 0.8).astype(int)
    y[:2] = 0, 1
    return X, y


def curve(seed, n=50, d=2):
    """A smooth function of the first feature with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.2 * X[:, 1] + 0.2 * rng.normal(size=n)


def new_rows(seed, d):
    return np.random.default_rng(seed + 1).normal(size=(20, d))


def chance(X, y, new, sample_weight=None, **arguments):
    """Probability of the second class for new rows."""
    return RVMClassifier(**arguments).fit(X, y, sample_weight).predict_proba(new)[:, 1]


def moments(X, y, new, sample_weight=None, **arguments):
    """Predictive mean and standard deviation for new rows."""
    return RVMRegressor(**arguments).fit(X, y, sample_weight).predict(new, return_std=True)


@few
@given(seed=seeds, gamma=gammas)
def test_order_of_rows(seed, gamma):
    (X, y), new, order = classes(seed), new_rows(seed, 3), np.random.default_rng(seed).permutation(50)
    np.testing.assert_array_equal(
        chance(X[order], y[order], new, gamma=gamma), chance(X, y, new, gamma=gamma)
    )
    (X, y), new = curve(seed), new_rows(seed, 2)
    here, there = moments(X, y, new, gamma=gamma), moments(X[order], y[order], new, gamma=gamma)
    np.testing.assert_allclose(there, here, rtol=1e-6, atol=1e-8)


@few
@given(seed=seeds, gamma=gammas)
def test_order_of_rows_moves_the_indices_with_them(seed, gamma):
    X, y = classes(seed)
    order = np.random.default_rng(seed).permutation(50)
    here, there = RVMClassifier(gamma=gamma).fit(X, y), RVMClassifier(gamma=gamma).fit(X[order], y[order])
    np.testing.assert_array_equal(order[there.relevance_], here.relevance_)


@few
@given(seed=seeds, gamma=gammas)
def test_order_of_features(seed, gamma):
    (X, y), new = classes(seed), new_rows(seed, 3)
    order = np.random.default_rng(seed).permutation(3)
    there = chance(X[:, order], y, new[:, order], gamma=gamma)
    np.testing.assert_allclose(there, chance(X, y, new, gamma=gamma), atol=1e-5)
    (X, y), new = curve(seed), new_rows(seed, 2)
    there = moments(X[:, ::-1], y, new[:, ::-1], gamma=gamma)
    np.testing.assert_allclose(there, moments(X, y, new, gamma=gamma), atol=1e-5)


@few
@given(seed=seeds, gamma=gammas)
def test_swapped_labels_swap_the_probabilities(seed, gamma):
    (X, y), new = classes(seed), new_rows(seed, 3)
    np.testing.assert_allclose(
        chance(X, 1 - y, new, gamma=gamma), 1 - chance(X, y, new, gamma=gamma), atol=1e-7
    )


@pytest.mark.parametrize("seed", range(2))
def test_swapped_labels_of_repeated_rows(seed):
    (X, y), new = classes(seed), new_rows(seed, 3)
    X, y = np.vstack([X, X]), np.append(y, 1 - y[::-1])
    np.testing.assert_allclose(chance(X, 1 - y, new), 1 - chance(X, y, new), atol=1e-5)


@few
@given(seed=seeds, factor=st.floats(1e-6, 1e6), rule=st.sampled_from(["evidence", "loo"]))
def test_units_of_the_features(seed, factor, rule):
    (X, y), new = classes(seed), new_rows(seed, 3)
    there = chance(factor * X, y, factor * new, gamma=rule)
    np.testing.assert_allclose(there, chance(X, y, new, gamma=rule), atol=1e-5)
    (X, y), new = curve(seed), new_rows(seed, 2)
    there = moments(factor * X, y, factor * new, gamma=rule)
    np.testing.assert_allclose(there, moments(X, y, new, gamma=rule), atol=1e-5)


@few
@given(seed=seeds, shift=st.floats(-1e4, 1e4), kernel=st.sampled_from(["rbf", "laplacian"]))
def test_origin_of_the_features(seed, shift, kernel):
    (X, y), new = classes(seed), new_rows(seed, 3)
    there = chance(X + shift, y, new + shift, kernel=kernel)
    np.testing.assert_allclose(there, chance(X, y, new, kernel=kernel), atol=1e-5)


@few
@given(seed=seeds, factor=st.floats(1e-6, 1e6), shift=st.floats(-1e3, 1e3), sign=st.sampled_from([-1, 1]))
def test_units_of_the_target(seed, factor, shift, sign):
    (X, y), new = curve(seed), new_rows(seed, 2)
    here = RVMRegressor().fit(X, y)
    there = RVMRegressor().fit(X, sign * factor * (y + shift))
    mean, std = here.predict(new, return_std=True)
    moved_mean, moved_std = there.predict(new, return_std=True)
    np.testing.assert_allclose(sign * moved_mean / factor - shift, mean, atol=1e-6)
    np.testing.assert_allclose(moved_std / factor, std, rtol=1e-6)
    np.testing.assert_allclose(there.noise_std_ / factor, here.noise_std_, rtol=1e-6)
    np.testing.assert_allclose(there.log_evidence_, here.log_evidence_ - 50 * np.log(factor), atol=1e-5)


@few
@given(seed=seeds, gamma=gammas)
def test_whole_weights_are_repeated_rows(seed, gamma):
    count = np.random.default_rng(seed).integers(0, 4, size=50)
    (X, y), new = classes(seed), new_rows(seed, 3)
    count[:2] = 1
    there = chance(np.repeat(X, count, axis=0), np.repeat(y, count), new, gamma=gamma)
    np.testing.assert_allclose(chance(X, y, new, count, gamma=gamma), there, atol=1e-8)
    (X, y), new = curve(seed), new_rows(seed, 2)
    weighted = RVMRegressor(gamma=gamma).fit(X, y, count)
    repeated = RVMRegressor(gamma=gamma).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    np.testing.assert_allclose(
        weighted.predict(new, return_std=True), repeated.predict(new, return_std=True), atol=1e-6
    )
    np.testing.assert_allclose(weighted.log_evidence_, repeated.log_evidence_, rtol=1e-6)


@few
@given(seed=seeds, gamma=gammas)
def test_weight_zero_is_a_removed_row(seed, gamma):
    kept = np.random.default_rng(seed).uniform(size=50) < 0.7
    kept[:2] = True
    (X, y), new = classes(seed), new_rows(seed, 3)
    np.testing.assert_array_equal(
        chance(X, y, new, kept.astype(float), gamma=gamma), chance(X[kept], y[kept], new, gamma=gamma)
    )
    (X, y), new = curve(seed), new_rows(seed, 2)
    there = moments(X[kept], y[kept], new, gamma=gamma)
    np.testing.assert_allclose(moments(X, y, new, kept.astype(float), gamma=gamma), there, atol=1e-7)


@few
@given(seed=seeds, factor=st.floats(0.2, 5))
def test_class_weight_is_a_sample_weight(seed, factor):
    (X, y), new = classes(seed), new_rows(seed, 3)
    weights = np.where(y == 1, factor, 1.0)
    by_class = chance(X, y, new, gamma=0.5, class_weight={0: 1.0, 1: factor})
    np.testing.assert_array_equal(by_class, chance(X, y, new, weights * (len(y) / weights.sum()), gamma=0.5))
    both = chance(X, y, new, weights, gamma=0.5, class_weight={0: 2.0, 1: 1.0})
    product = np.where(y == 1, factor, 2.0)
    np.testing.assert_array_equal(
        both, chance(X, y, new, product * (weights.sum() / product.sum()), gamma=0.5)
    )


@pytest.mark.parametrize("machine", [RVMClassifier, SparseGPClassifier])
def test_only_the_ratios_of_class_weights_count(machine):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    y = (0.8 * X[:, 0] + rng.logistic(size=120) > 0.7).astype(int)
    plain, small, large = (
        machine(class_weight=weights).fit(X, y) for weights in (None, {0: 0.3, 1: 0.9}, {0: 2.0, 1: 6.0})
    )
    np.testing.assert_allclose(small.predict_proba(X), large.predict_proba(X), atol=1e-6)
    assert len(large.relevance_) <= len(plain.relevance_) + 3
    assert large.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.1


def test_balanced_classes():
    X, y = classes(3, n=120)
    kept = (y == 0) | (np.arange(120) % 5 == 0)
    X, y = X[kept], y[kept]
    plain, balanced = (RVMClassifier(gamma=0.5, class_weight=kind).fit(X, y) for kind in (None, "balanced"))
    rare = y == np.argmin(np.bincount(y))
    chances = [
        machine.predict_proba(X[rare])[np.arange(rare.sum()), y[rare]].mean() for machine in (plain, balanced)
    ]
    assert chances[1] > chances[0] + 0.05
    counts = np.bincount(y)
    by_hand = RVMClassifier(gamma=0.5).fit(X, y, len(y) / (2 * counts[y]))
    np.testing.assert_allclose(balanced.predict_proba(X), by_hand.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.coo_array])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "cosine", "laplacian"])
def test_sparse_equals_dense(kernel, make):
    rng = np.random.default_rng(4)
    X = np.where(rng.uniform(size=(40, 8)) < 0.5, rng.normal(size=(40, 8)), 0.0)
    y = (X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=40) > 0).astype(int)
    new = np.where(rng.uniform(size=(9, 8)) < 0.5, rng.normal(size=(9, 8)), 0.0)
    dense, packed = (RVMClassifier(kernel).fit(part, y) for part in (X, make(X)))
    np.testing.assert_allclose(packed.predict_proba(make(new)), dense.predict_proba(new), atol=1e-5)
    np.testing.assert_allclose(packed.predict_proba(new), dense.predict_proba(new), atol=1e-5)
    np.testing.assert_array_equal(packed.relevance_, dense.relevance_)
    np.testing.assert_allclose(packed.dual_coef_, dense.dual_coef_, rtol=1e-3)
    t = X[:, 0] - X[:, 2] ** 2
    dense, packed = (RVMRegressor(kernel).fit(part, t) for part in (X, make(X)))
    np.testing.assert_allclose(packed.predict(make(new)), dense.predict(new), atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_sparse_equals_dense_on_ripley(seed):
    X, y = make_ripley(120, random_state=seed)
    here, there = (RVMClassifier().fit(part, y).predict_proba(part) for part in (X, sparse.csr_matrix(X)))
    np.testing.assert_allclose(there, here, atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_precomputed_equals_named(seed):
    (X, y), new = classes(seed), new_rows(seed, 3)
    order = np.argsort(np.square(X - X.mean(axis=0)).sum(axis=1))
    X, y = X[order], y[order]
    K = rbf_kernel(X, gamma=0.4)
    named, given = RVMClassifier(gamma=0.4).fit(X, y), RVMClassifier("precomputed").fit(K, y)
    np.testing.assert_allclose(
        given.predict_proba(rbf_kernel(new, X, gamma=0.4)), named.predict_proba(new), atol=1e-6
    )
    np.testing.assert_array_equal(given.relevance_, named.relevance_)
    np.testing.assert_allclose(given.log_evidence_, named.log_evidence_, rtol=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_function_equals_named(seed):
    (X, y), new = curve(seed), new_rows(seed, 2)
    # A function is not known to be stationary, so its rows are not shifted: equal up to rounding.
    by_name = moments(X, y, new, gamma=0.4)
    np.testing.assert_allclose(
        moments(X, y, new, kernel=lambda a, b: rbf_kernel(a, b, gamma=0.4)), by_name, atol=1e-6
    )


def test_same_seed_same_machine():
    X, y = make_sinc(90, random_state=0)
    machines = [RVMRegressor(max_candidates=30, random_state=5).fit(X, y) for _ in range(2)]
    np.testing.assert_array_equal(machines[0].predict(X), machines[1].predict(X))
    np.testing.assert_array_equal(machines[0].relevance_, machines[1].relevance_)
    assert (
        len({tuple(RVMRegressor(max_candidates=30, random_state=s).fit(X, y).relevance_) for s in range(4)})
        > 1
    )
