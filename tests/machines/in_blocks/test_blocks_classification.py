"""SparseGPClassifier on tables in blocks: two and many classes, weights, updates, any source."""

import dask
import numpy as np
import pytest
from friedman_tables import labelled, written
from scipy.sparse import csr_matrix

from pauca import SparseGPClassifier
from pauca.basis import row_blocks
from pauca.datasets import make_ripley

OPTIONS = {"kernel": "rbf"}
# Where accuracy does not matter: one scale for all features.
PLAIN = {"kernel": "rbf", "feature_scales": None}


@pytest.fixture(scope="module")
def rows():
    X, _, y = labelled(2000)
    return X, y


@pytest.fixture(scope="module")
def fitted(rows):
    return SparseGPClassifier(**OPTIONS).fit(row_blocks(*rows))


def log_loss(machine, X, y):
    p = machine.predict_proba(X)
    return -np.log(p[np.arange(len(y)), np.searchsorted(machine.classes_, y)]).mean()


def test_it_comes_near_the_bayes_limit_and_the_fit_in_memory(rows, fitted):
    X, p, y = labelled(4000, seed=7)
    limit = -np.log(np.where(y == 1, p, 1 - p)).mean()
    in_memory = SparseGPClassifier(**OPTIONS).fit(rows[0], rows[1])
    assert log_loss(fitted, X, y) < limit + 0.04
    assert log_loss(fitted, X, y) < log_loss(in_memory, X, y) + 0.005
    assert fitted.converged_
    np.testing.assert_allclose(fitted.relevance_vectors_, rows[0][fitted.relevance_])


def test_any_source_gives_the_same_machine(rows, fitted, tmp_path):
    import dask.array as da

    X, y = rows
    others = [SparseGPClassifier(**PLAIN).fit(row_blocks(X, y, block_rows=411))]
    others.append(SparseGPClassifier(**PLAIN).fit(written(tmp_path, X, y, [0, 900, 2000]), "y"))
    with dask.config.set(scheduler="synchronous"):
        chunks = (1000, 700, 300)
        collections = da.from_array(X, (chunks, -1)), da.from_array(y, (chunks,))
        others.append(SparseGPClassifier(**PLAIN).fit(*collections))
        lazy = fitted.predict_proba(collections[0])
        np.testing.assert_allclose(lazy.compute(), fitted.predict_proba(X), atol=1e-12)
        assert (fitted.predict(collections[0]).compute() == fitted.predict(X)).all()
    array = SparseGPClassifier(**PLAIN).fit(row_blocks(X, y))
    for machine in others:
        np.testing.assert_array_equal(machine.relevance_, array.relevance_)
        found = machine.predict_proba(row_blocks(X[:500]))
        np.testing.assert_allclose(found, array.predict_proba(X[:500]), atol=1e-8)


def test_far_away_probabilities_return_to_the_base_rate(rows, fitted):
    far = np.full((1, 6), 1e4)
    assert fitted.predict_proba(far)[0, 1] == pytest.approx(rows[1].mean(), abs=0.02)


def test_labels_keep_their_names_and_weights_count(rows):
    X, y = (part[:1000] for part in rows)
    names = np.array(["no", "yes"])[y]
    machine = SparseGPClassifier(**PLAIN).fit(row_blocks(X, names))
    assert machine.classes_.tolist() == ["no", "yes"]
    assert set(machine.predict(X[:50])) <= {"no", "yes"}
    balanced = SparseGPClassifier(**PLAIN, class_weight="balanced").fit(row_blocks(X, y))
    rare = np.where(y == 1, 0.1, 1.0)
    light = SparseGPClassifier(**PLAIN).fit(row_blocks(X, y, rare))
    share = light.predict_proba(X)[:, 1].mean()
    weighted = np.average(y, weights=rare)
    assert share < machine.predict_proba(X)[:, 1].mean()
    assert weighted < share + 0.1
    assert balanced.predict_proba(X)[:, 1].mean() == pytest.approx(0.5, abs=0.05)


def three_classes(n_rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    F = np.column_stack([2 * X[:, 0], 2 * np.sin(2 * X[:, 1]), np.zeros(n_rows)])
    return X, np.array(["a", "b", "c"])[np.argmax(F + rng.normal(size=F.shape), axis=1)]


@pytest.mark.slow
def test_increments_of_many_classes_end_where_one_fit_does():
    """Twenty increments, each with rows of all classes or of some."""
    (X, y), (X_new, y_new) = three_classes(3000, 0), three_classes(3000, 1)
    order = np.concatenate(
        [np.arange(600), 600 + np.argsort(y[600:1500], kind="stable"), np.arange(1500, 3000)]
    )
    X, y = X[order], y[order]
    machine = SparseGPClassifier(**PLAIN)
    for k in range(20):
        part = slice(150 * k, 150 * (k + 1))
        machine.partial_fit(X[part], y[part], classes=["a", "b", "c"])
    whole = SparseGPClassifier(**PLAIN).fit(row_blocks(X, y))
    assert log_loss(machine, X_new, y_new) < log_loss(whole, X_new, y_new) + 0.005
    assert len(machine._posteriors) == 3
    np.testing.assert_allclose(machine.relevance_vectors_, X[machine.relevance_], atol=1e-12)
    with pytest.raises(ValueError, match="unknown label 'd' in row 1 of X"):
        machine.update(X[:2], ["a", "d"])


def test_many_classes():
    (X, y), (X_new, y_new) = three_classes(4000, 0), three_classes(3000, 1)
    machine = SparseGPClassifier(**PLAIN).fit(row_blocks(X, y))
    in_memory = SparseGPClassifier(**PLAIN).fit(X[:1000], y[:1000])
    assert len(machine._posteriors) == 3
    np.testing.assert_allclose(machine.predict_proba(X_new).sum(axis=1), 1)
    assert log_loss(machine, X_new, y_new) < log_loss(in_memory, X_new, y_new) + 0.002
    assert machine.predict_log_proba(row_blocks(X_new)).shape == (3000, 3)
    before = log_loss(machine, X_new, y_new)
    machine.update(X_new[:2000], y_new[:2000])
    assert log_loss(machine, X_new[:2000], y_new[:2000]) < log_loss(in_memory, X_new[:2000], y_new[:2000])
    assert log_loss(machine, X_new, y_new) < before


@pytest.mark.slow
def test_increments_end_where_one_fit_does():
    X, _, y = labelled(6000)
    X_new, _, y_new = labelled(6000, seed=5)
    machine = SparseGPClassifier(**OPTIONS)
    for k in range(20):
        part = slice(300 * k, 300 * (k + 1))
        machine.partial_fit(X[part], y[part], classes=[0, 1])
    whole = SparseGPClassifier(**OPTIONS).fit(row_blocks(X, y))
    assert log_loss(machine, X_new, y_new) < log_loss(whole, X_new, y_new) + 0.005


def test_bad_labels_are_refused(rows):
    X, y = rows
    with pytest.raises(ValueError, match="at least two classes"):
        SparseGPClassifier().fit(row_blocks(X, np.zeros(len(X))))
    with pytest.raises(ValueError, match="more than 1000 different labels"):
        SparseGPClassifier().fit(row_blocks(X, np.arange(2000.0)))
    with pytest.raises(ValueError, match="labels of one kind"):
        SparseGPClassifier().fit(row_blocks(X, np.array([None] * len(X))))
    for numbers in (X[:, 0], np.where(y == 1, np.nan, 0.0)):
        with pytest.raises(ValueError, match="y must hold classes; X has numbers"):
            SparseGPClassifier().fit(row_blocks(X, numbers))
    machine = SparseGPClassifier(**PLAIN).fit(row_blocks(X, y))
    with pytest.raises(ValueError, match="unknown label '2' in row 0 of X"):
        machine.update(X[:10], np.full(10, 2))
    with pytest.raises(ValueError, match="no row of class '2'"):
        SparseGPClassifier(**PLAIN).partial_fit(X[:200], y[:200], classes=[0, 1, 2])


def test_an_update_in_memory_continues_the_fit():
    X, y = make_ripley(400, random_state=0)
    machine = SparseGPClassifier(kernel="rbf").fit(X[:200], y[:200])
    before = machine.predict_proba(X)
    machine.update(X[200:], y[200:])
    assert not np.array_equal(machine.predict_proba(X), before)
    assert machine.score(X, y) > 0.85


def test_a_machine_of_a_sparse_matrix_says_how_to_update_it():
    X, y = make_ripley(60, random_state=0)
    table = csr_matrix(X)
    with pytest.raises(ValueError, match=r"fit it to pauca\.basis\.row_blocks\(X, y\)"):
        SparseGPClassifier("rbf").fit(table, y).update(table, y)
    machine = SparseGPClassifier("rbf").fit(row_blocks(table, y)).update(table, y)
    assert machine.score(X, y) > 0.8


def test_the_most_vectors_depend_on_the_rows_where_nothing_is_said():
    machine = SparseGPClassifier()
    assert machine._most_vectors(10_000_000) == 200
    assert machine._most_vectors(160_000) == 500
    assert SparseGPClassifier(max_vectors=30)._most_vectors(160_000) == 30
    assert SparseGPClassifier(max_vectors=0.01)._most_vectors(160_000) == 1600
