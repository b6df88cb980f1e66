"""The semidefinite relaxation and its bound against a conic solver and the optimum."""

import numpy as np
import pytest
from drawn import draw
from hypothesis import given, settings
from hypothesis import strategies as st

from pauca.ensembles import (
    error_products,
    sdp_pruning,
)
from pauca.ensembles.pruning.criteria import criterion
from pauca.ensembles.pruning.exhaustive import best_of_every_size
from pauca.ensembles.pruning.ordered import greedy_order
from pauca.ensembles.pruning.sdp import relax, select_by_sdp


@settings(max_examples=25)
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


def test_equal_members_and_perfect_members():
    for outputs in (np.zeros((5, 4)), np.ones((5, 4))):
        found = sdp_pruning(outputs, np.zeros(4), 2, random_state=0)
        assert len(found.selected) == 2
        assert found.lower_bound <= found.criterion == outputs[0, 0]
