"""RVMClassifier and EPCVMClassifier on tables in blocks: any source, many classes, what is refused."""

import numpy as np
import pytest
from friedman_tables import written

from pauca import EPCVMClassifier, RVMClassifier
from pauca.basis import row_blocks
from pauca.datasets import make_ripley

PLAIN = {"feature_scales": None, "max_candidates": 80}
KINDS = (RVMClassifier, EPCVMClassifier)


@pytest.fixture(scope="module")
def rows():
    return make_ripley(1200, random_state=0)


def log_loss(machine, X, y):
    p = machine.predict_proba(X)
    return -np.log(p[np.arange(len(y)), np.searchsorted(machine.classes_, y)]).mean()


@pytest.mark.parametrize("kind", KINDS)
def test_any_source_gives_the_same_machine_as_good_as_in_memory(rows, kind, tmp_path):
    X, y = rows
    X_new, y_new = make_ripley(2000, random_state=1)
    machine = kind(**PLAIN).fit(row_blocks(X, y))
    in_memory = kind(**PLAIN).fit(X, y)
    assert machine.converged_
    assert log_loss(machine, X_new, y_new) < log_loss(in_memory, X_new, y_new) + 0.01
    np.testing.assert_array_equal(machine.relevance_vectors_, X[machine.relevance_])
    np.save(tmp_path / "X.npy", X)
    files = written(tmp_path, X, y, [0, 500, 1200])
    others = [
        kind(**PLAIN).fit(row_blocks(X, y, block_rows=111)),
        kind(**PLAIN).fit(np.load(tmp_path / "X.npy", mmap_mode="r"), y),
        kind(**PLAIN).fit(files, "y"),
    ]
    for other in others:
        np.testing.assert_array_equal(other.relevance_, machine.relevance_)
        found = other.predict_proba(row_blocks(X_new[:300]))
        np.testing.assert_allclose(found, machine.predict_proba(X_new[:300]), atol=1e-7)
    assert others[-1].feature_names_in_.tolist() == ["x0", "x1"]
    assert (others[-1].predict(files) == machine.predict(X)).all()
    assert machine.decision_function(row_blocks(X)).shape == (1200,)


def test_the_partitions_of_dask_give_the_machine_of_the_array(rows):
    dask = pytest.importorskip("dask")
    import dask.array as da

    X, y = rows
    machine = RVMClassifier(**PLAIN).fit(row_blocks(X, y))
    with dask.config.set(scheduler="synchronous"):
        parts = da.from_array(X, (500, -1)), da.from_array(y, 500)
        other = RVMClassifier(**PLAIN).fit(*parts)
        np.testing.assert_allclose(
            other.predict_proba(parts[0]).compute(), machine.predict_proba(X), atol=1e-6
        )


def test_many_rows_of_three_classes_with_names_and_weights():
    """More rows than the part that hyperparameters are learned from, given as a plain array."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 2))
    F = np.column_stack([2 * X[:, 0], 2 * np.sin(2 * X[:, 1]), np.zeros(12_000)])
    y = np.array(["a", "b", "c"])[np.argmax(F + rng.normal(size=F.shape), axis=1)]
    machine = EPCVMClassifier(gamma=0.5, feature_scales=None, max_candidates=60).fit(X[:11_000], y[:11_000])
    assert machine.predict_proba(X[:5]).sum(axis=1) == pytest.approx(1)
    assert machine.score(X[11_000:], y[11_000:]) > 0.6
    labels = np.searchsorted(machine.classes_, y[machine.relevance_])
    for k, coef in enumerate(machine.dual_coef_):
        assert (coef[labels == k] >= 0).all()
        assert (coef[labels != k] <= 0).all()
    assert machine.generalization_bound().shape == (3,)
    light = np.where(y[:11_000] == "c", 0.1, 1.0)
    weighted = EPCVMClassifier(gamma=0.5, feature_scales=None, max_candidates=60).fit(
        X[:11_000], y[:11_000], light
    )
    assert weighted.predict_proba(X)[:, 2].mean() < machine.predict_proba(X)[:, 2].mean() - 0.1


def test_the_bound_on_the_error_is_near_that_of_the_rows_in_memory(rows):
    X, y = rows
    blocks, in_memory = (EPCVMClassifier(**PLAIN).fit(*table) for table in ((row_blocks(X, y),), (X, y)))
    np.testing.assert_allclose(blocks._margin_losses, in_memory._margin_losses, rtol=0.1)
    assert blocks._n_rows == in_memory._n_rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inference": "ep"}, "inference='ep', which keeps what it knows of every row; use 'laplace'"),
        ({"inference": "variational"}, "inference='variational'"),
        ({"fallback": True}, "fallback=True; use fallback=False"),
        ({"extra_basis": True}, "extra_basis=True; use extra_basis=False"),
        ({"max_candidates": None}, "max_candidates=None; give a number"),
    ],
)
def test_what_needs_all_rows_in_memory_is_refused(rows, options, message):
    with pytest.raises(ValueError, match=message):
        RVMClassifier(**options).fit(row_blocks(*rows))


def test_bad_labels_are_refused(rows):
    with pytest.raises(ValueError, match="at least two classes"):
        RVMClassifier().fit(row_blocks(rows[0], np.zeros(len(rows[0]))))
