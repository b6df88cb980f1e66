"""Ordered, relaxed and exhaustive choices against brute force, and what holds between them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauca.ensembles import (
    common_errors,
    error_products,
    exhaustive_pruning,
    ordered_aggregation,
    sdp_pruning,
)
from pauca.ensembles.pruning.criteria import criterion
from pauca.ensembles.pruning.exhaustive import best_of_every_size
from pauca.ensembles.pruning.ordered import greedy_order
from pauca.ensembles.pruning.sdp import relax, select_by_sdp


def draw(seed, n_members=9, n_samples=30, n_outputs=None):
    """Members with a common error, errors of their own, and different skill."""
    rng = np.random.default_rng(seed)
    shape = (n_samples,) if n_outputs is None else (n_samples, n_outputs)
    y, common = rng.normal(size=shape), rng.normal(size=shape)
    skill = rng.uniform(0.5, 1.5, (n_members, *[1] * len(shape)))
    return y + 0.5 * common + skill * rng.normal(size=(n_members, *shape)), y


def mean_squared_error(outputs, y, members):
    return np.mean(np.square(np.mean(outputs[list(members)], axis=0) - y))


def best_by_brute_force(outputs, y, size):
    return min(mean_squared_error(outputs, y, kept) for kept in combinations(range(len(outputs)), size))


@pytest.mark.parametrize("n_outputs", [None, 3])
def test_criterion_is_the_error_of_the_average(n_outputs):
    outputs, y = draw(0, n_outputs=n_outputs)
    C = error_products(outputs, y)
    for members in ([3], [0, 4], [1, 2, 5, 8]):
        assert criterion(C, members) == pytest.approx(mean_squared_error(outputs, y, members))


@pytest.mark.parametrize("seed", range(5))
def test_order_is_greedy_from_predictions(seed):
    """Every step of (3.17), recomputed from the averages themselves."""
    outputs, y = draw(seed)
    found, kept = ordered_aggregation(outputs, y), []
    for member, error in zip(found.order, found.criterion, strict=True):
        left = [k for k in range(len(outputs)) if k not in kept]
        errors = [mean_squared_error(outputs, y, [*kept, k]) for k in left]
        assert member == left[int(np.argmin(errors))]
        assert error == pytest.approx(min(errors))
        kept.append(member)


def test_order_names_every_member_once(outputs):
    assert sorted(ordered_aggregation(*outputs).order) == list(range(24))


def test_ties_go_to_the_lowest_index():
    assert ordered_aggregation(np.ones((4, 3)), np.zeros(3)).order.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("n_members", [1, 2, 7, 9, 12])
def test_exhaustive_equals_brute_force(n_members):
    outputs, y = draw(n_members, n_members)
    for size in range(1, n_members + 1):
        found = exhaustive_pruning(outputs, y, size)
        assert len(found.selected) == size
        assert found.criterion == pytest.approx(best_by_brute_force(outputs, y, size))
        assert mean_squared_error(outputs, y, found.selected) == pytest.approx(found.criterion)


def test_exhaustive_across_all_three_tables():
    """18 members fill the low, the high and the outer sets: a planted pair that cancels is found."""
    outputs, y = draw(0, 18)
    outputs[2] = y + 0.1
    outputs[17] = y - 0.1
    assert exhaustive_pruning(outputs, y, 2).selected.tolist() == [2, 17]
    assert exhaustive_pruning(outputs, y).selected.tolist() == [2, 17]


def test_exhaustive_of_24_against_swaps():
    outputs, y = draw(3, 24)
    C = error_products(outputs, y)
    for size, members in enumerate(best_of_every_size(C), start=1):
        kept = set(members)
        for out in kept:
            for into in set(range(24)) - kept:
                assert criterion(C, list(kept - {out} | {into})) >= criterion(C, members) - 1e-12, size


def test_automatic_size_is_the_best_of_all():
    outputs, y = draw(5)
    least = min(exhaustive_pruning(outputs, y, size).criterion for size in range(1, 10))
    assert exhaustive_pruning(outputs, y, "auto").criterion == least


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n_members=st.integers(2, 11), share=st.floats(0.05, 1.0))
def test_bound_below_optimum_below_heuristics(seed, n_members, share):
    C = error_products(*draw(seed, n_members))
    size = max(1, round(share * n_members))
    best = criterion(C, best_of_every_size(C)[size - 1])
    relaxed = select_by_sdp(C, size, seed)
    slack = 1e-9 * np.abs(C).max()
    assert relaxed.lower_bound <= best + slack
    assert best <= relaxed.criterion + slack
    assert best <= criterion(C, greedy_order(C)[:size]) + slack


def test_bound_is_close(outputs):
    """A certificate is of use only if it is near: within 5 % for the bagged trees."""
    found = sdp_pruning(*outputs, size=0.4, random_state=0)
    assert 0.95 * found.criterion < found.lower_bound <= found.criterion


@pytest.mark.parametrize(("n_members", "size"), [(10, 3), (16, 8), (24, 5)])
def test_relaxation_equals_a_conic_solver(n_members, size):
    cvxpy = pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    C = error_products(*draw(n_members, n_members))
    sums = C.sum(axis=0)
    H = np.block([[sums.sum(), sums[None]], [sums[:, None], C]])
    V = cvxpy.Variable(H.shape, PSD=True)
    constraints = [cvxpy.diag(V) == 1, cvxpy.sum(V[0, 1:]) == 2 * size - n_members]
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.trace(H @ V)), constraints)
    reference = problem.solve(solver=cvxpy.SCS, eps_abs=1e-9, eps_rel=1e-9, max_iters=100_000) / 4
    bound = relax(C, size, np.random.default_rng(0)).lower_bound
    assert bound == pytest.approx(reference, rel=1e-3)
    assert bound <= reference * (1 + 1e-6)


@pytest.mark.parametrize("method", ["ordered", "sdp", "exhaustive"])
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_order_of_rows_and_members_means_nothing(method, task, votes):
    outputs, y = draw(1, 12) if task == "regression" else (votes[0][:12], votes[1])
    rng = np.random.default_rng(0)
    rows, members = rng.permutation(len(y)), rng.permutation(12)

    def found(outputs, y):
        if method == "ordered":
            return set(ordered_aggregation(outputs, y, task=task).order[:4])
        if method == "sdp":
            return set(sdp_pruning(outputs, y, 4, task=task, random_state=0).selected)
        return set(exhaustive_pruning(outputs, y, 4, task=task).selected)

    assert found(outputs[:, rows], y[rows]) == found(outputs, y)
    assert {members[i] for i in found(outputs[members], y)} == found(outputs, y)


@pytest.mark.parametrize("matrix", [error_products, common_errors])
def test_weights_are_repetitions(matrix, votes):
    outputs, y = draw(2) if matrix is error_products else votes
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    np.testing.assert_allclose(
        matrix(outputs, y, sample_weight=weights), matrix(outputs[:, repeated], y[repeated]), rtol=1e-12
    )


def test_common_errors_by_counting(votes):
    outputs, y = votes
    G, wrong = common_errors(outputs, y), outputs != y
    for i, j in [(0, 0), (3, 7), (12, 4)]:
        both = (wrong[i] & wrong[j]).sum()
        expected = both / len(y) if i == j else (both / wrong[i].sum() + both / wrong[j].sum()) / 2
        assert G[i, j] == pytest.approx(expected)


def test_members_without_errors_share_none():
    y = np.array([0, 1, 0, 1])
    G = common_errors([y, 1 - y, [0, 1, 1, 1]], y)
    assert G[0].tolist() == [0, 0, 0]
    assert G[1, 2] == pytest.approx((0.25 / 1 + 1) / 2)


def test_rows_that_count_for_both():
    outputs, y = draw(4, 3, 40)
    known = np.random.default_rng(1).random((3, 40)) < 0.5
    C = error_products(outputs, y, known=known)
    errors = outputs - y
    for i, j in [(0, 0), (0, 1), (2, 1)]:
        both = known[i] & known[j]
        assert C[i, j] == pytest.approx(np.mean(errors[i, both] * errors[j, both]))


def test_a_pair_without_rows_takes_the_mean_of_the_others():
    known = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]], dtype=bool)
    C = error_products(np.arange(12.0).reshape(3, 4), np.zeros(4), known=known)
    assert C[0, 1] == C[1, 0] == pytest.approx((C[0, 2] + C[1, 2]) / 2)
    with pytest.raises(ValueError, match="known leaves member 1 no row"):
        error_products(np.ones((2, 3)), np.zeros(3), known=np.array([[True] * 3, [False] * 3]))


def test_32_members_at_most():
    with pytest.raises(ValueError, match=r"33 members is not feasible \(at most 32\).*sdp"):
        exhaustive_pruning(np.ones((33, 4)), np.zeros(4))


@pytest.mark.parametrize(
    ("outputs", "y", "message"),
    [
        ([], [], "outputs must have one row of predictions for each member"),
        (np.ones((0, 3)), np.ones(3), "outputs must have"),
        (np.ones((3, 0)), np.ones(0), "outputs must have"),
        (np.ones(3), np.ones(3), "outputs must have"),
        (np.ones((2, 3)), np.ones(4), r"y must have shape \(3,\) to match outputs of shape \(2, 3\)"),
        (np.ones((2, 3, 2)), np.ones(3), r"y must have shape \(3, 2\)"),
        ([[np.nan, 1.0]], [0.0, 0.0], "outputs contains NaN"),
        ([[1.0, 1.0]], [np.inf, 0.0], "y contains infinity"),
        ([[1e200, 1.0]], [0.0, 0.0], "outputs has entries beyond"),
    ],
)
@pytest.mark.parametrize("search", [ordered_aggregation, sdp_pruning, exhaustive_pruning, error_products])
def test_unusable_outputs_are_named(search, outputs, y, message):
    with pytest.raises(ValueError, match=message):
        search(outputs, y)


@pytest.mark.parametrize("size", [0, 4, -1, 0.0, 1.5, True, "all", None, np.nan])
def test_unusable_sizes_are_named(size):
    with pytest.raises(ValueError, match="size must be an integer from 1 to the 3 members"):
        sdp_pruning(np.ones((3, 4)), np.zeros(4), size)


def test_other_arguments_are_named():
    outputs, y = np.ones((3, 4)), np.zeros(4)
    with pytest.raises(ValueError, match="task must be one of 'regression', 'classification'"):
        ordered_aggregation(outputs, y, task="ranking")
    with pytest.raises(ValueError, match=r"known must be a boolean array of shape \(3, 4\)"):
        ordered_aggregation(outputs, y, known=np.ones((3, 4)))
    with pytest.raises(ValueError, match="sample_weight"):
        ordered_aggregation(outputs, y, sample_weight=-np.ones(4))
    with pytest.raises(ValueError, match=r"shape \(n_members, n_samples\);"):
        ordered_aggregation(np.ones((3, 4, 2)), np.ones((4, 2)), task="classification")


@pytest.mark.parametrize("size", [0.07, 0.2, 0.29, 1.0])
def test_shares_are_rounded_up(size):
    assert len(sdp_pruning(np.eye(100), np.zeros(100), size, random_state=0).selected) == round(100 * size)


def test_equal_members_and_perfect_members():
    for outputs in (np.zeros((5, 4)), np.ones((5, 4))):
        found = sdp_pruning(outputs, np.zeros(4), 2, random_state=0)
        assert len(found.selected) == 2
        assert found.lower_bound <= found.criterion == outputs[0, 0]
