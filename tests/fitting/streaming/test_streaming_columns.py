"""Columns with a precision each, given rows in blocks, beside the same columns held in memory."""

from dataclasses import replace

import numpy as np
import pytest

from pauca import EPCVMClassifier, RVMClassifier
from pauca.basis import RBF, ArrayBlocks, CandidatePool, KernelBasis
from pauca.fitting import Limits
from pauca.fitting.fitters.evidence_search import EvidenceSearch
from pauca.fitting.streaming.columns import Columns, SitePass, fit_columns
from pauca.likelihoods import Logit

LIMITS, N_COLUMNS = Limits(1e-2, 1e-3, 500, 500), 60


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    f = 3 * np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    y = np.where(rng.uniform(size=900) < 1 / (1 + np.exp(-f)), 1.0, -1.0)
    return X, y, rng.uniform(0.5, 2.0, 900)


@pytest.fixture(scope="module")
def columns(rows):
    return Columns(RBF(0.3), rows[0][:N_COLUMNS]).standardised(ArrayBlocks(*rows))


def pool_of(rows, signs):
    basis = KernelBasis(rows[0], RBF(0.3), np.arange(N_COLUMNS), Z=rows[0][:N_COLUMNS])
    return CandidatePool(basis, np.arange(N_COLUMNS)).signed(signs)


def test_columns_are_standardised_over_all_rows(rows, columns):
    parts = Columns(RBF(0.3), rows[0][:N_COLUMNS]).standardised(ArrayBlocks(*rows, block_rows=13))
    np.testing.assert_allclose(parts.shift, columns.shift, rtol=1e-12)
    np.testing.assert_allclose(parts.scale, columns.scale, rtol=1e-12)
    in_memory = pool_of(rows, np.ones(N_COLUMNS)).columns(np.arange(N_COLUMNS))
    np.testing.assert_allclose(columns(rows[0])[:, 1:], in_memory, atol=1e-10)


def test_sums_are_the_expansion_of_the_log_likelihood(rows, columns):
    """Value, gradient and curvature at the weights of the expansion, whatever the blocks."""
    X, y, weights = rows
    w = np.random.default_rng(1).normal(size=1 + N_COLUMNS) / 8
    sums = ArrayBlocks(*rows, block_rows=7).total(SitePass(columns, Logit(), 1, w))
    Phi = columns(X)
    value = sums.constant + sums.linear @ w - 0.5 * w @ sums.gram @ w
    assert value == pytest.approx(weights @ Logit().log_prob(y, Phi @ w), rel=1e-12)
    first, curvature = Logit().derivatives(y, Phi @ w)
    np.testing.assert_allclose(sums.linear - sums.gram @ w, Phi.T @ (weights * first), atol=1e-9)
    np.testing.assert_allclose(sums.gram, (Phi.T * (weights * curvature)) @ Phi, atol=1e-9)


@pytest.mark.parametrize("machine", [RVMClassifier(), EPCVMClassifier()])
def test_the_posterior_is_that_of_the_rows_in_memory(rows, columns, machine):
    _, y, weights = rows
    signs = y[:N_COLUMNS] if isinstance(machine, EPCVMClassifier) else np.ones(N_COLUMNS)
    recipe = machine._recipe()
    found = fit_columns(ArrayBlocks(*rows), columns, recipe, LIMITS, signs=signs)
    assert found.converged
    search = EvidenceSearch(pool_of(rows, signs), y, weights, recipe, LIMITS)
    known = search.model_of(found.model.active, found.model.prior.precision[1:])
    np.testing.assert_allclose(found.model.posterior.mean, known.posterior.mean, atol=1e-3)
    np.testing.assert_allclose(found.model.posterior.factor, known.posterior.factor, rtol=5e-3, atol=0.05)
    bare = fit_columns(ArrayBlocks(*rows), columns, replace(recipe, shrinkage_nats=0.0), LIMITS, signs=signs)
    known = search.model_of(bare.model.active, bare.model.prior.precision[1:])
    assert bare.log_evidence == pytest.approx(known.log_evidence, abs=0.02)
    # Greedy searches end in different optima, none of which is much better.
    in_memory = search.run(np.random.default_rng(0)).model
    assert bare.log_evidence > in_memory.log_evidence - 3


def test_blocks_of_any_size_give_the_same_columns(rows, columns):
    recipe = RVMClassifier()._recipe()
    whole, parts = (
        fit_columns(ArrayBlocks(*rows, block_rows=size), columns, recipe, LIMITS) for size in (None, 37)
    )
    np.testing.assert_array_equal(whole.model.active, parts.model.active)
    np.testing.assert_allclose(whole.model.posterior.mean, parts.model.posterior.mean, atol=1e-8)
