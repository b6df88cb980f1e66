"""SparseGPRegressor on tables in blocks: any source gives the same machine, as good as in memory."""

import warnings

import numpy as np
import pytest
from friedman_tables import friedman, written
from scipy import sparse

from pauca import SparseGPRegressor
from pauca.basis import RowBlocks, row_blocks

N_ROWS = 2000
OPTIONS = {"kernel": "rbf", "trend": True}
# Where accuracy does not matter: one scale for all features.
PLAIN = {**OPTIONS, "feature_scales": None}


@pytest.fixture(scope="module")
def rows():
    X, _, y = friedman(N_ROWS)
    return X, y


@pytest.fixture(scope="module")
def fitted(rows):
    return SparseGPRegressor(**OPTIONS).fit(row_blocks(*rows))


class Shuffled(RowBlocks):
    """Blocks of another table in another order."""

    def __init__(self, source, seed):
        self.source, self.seed, self.n_features = source, seed, source.n_features

    @property
    def n_rows(self):
        return self.source.n_rows

    def blocks(self):
        parts = list(self.source.blocks())
        np.random.default_rng(self.seed).shuffle(parts)
        return iter(parts)


def assert_same(machine, other, X, atol):
    assert len(machine.relevance_) == len(other.relevance_)
    np.testing.assert_array_equal(machine.relevance_, other.relevance_)
    mean, std = machine.predict(X, return_std=True)
    right, right_std = other.predict(X, return_std=True)
    np.testing.assert_allclose(mean, right, atol=atol)
    np.testing.assert_allclose(std, right_std, atol=atol)


def test_it_is_as_good_as_the_fit_in_memory(rows, fitted):
    X, f, y = friedman(2000, seed=9)
    in_memory = SparseGPRegressor(**OPTIONS).fit(*rows)
    errors = [np.sqrt(np.mean(np.square(machine.predict(X) - f))) for machine in (fitted, in_memory)]
    assert errors[0] < 0.25
    assert errors[0] < errors[1] + 0.02
    assert fitted.noise_std_ == pytest.approx(1.0, abs=0.05)
    assert fitted.converged_
    inside = np.abs(y - fitted.predict(X)) < 1.645 * fitted.predict(X, return_std=True)[1]
    assert 0.87 < inside.mean() < 0.93
    np.testing.assert_allclose(fitted.relevance_vectors_, rows[0][fitted.relevance_])


@pytest.mark.parametrize("block_rows", [100, 777])
def test_blocks_of_any_size_and_order_give_the_same_machine(rows, fitted, block_rows):
    source = Shuffled(row_blocks(*rows, block_rows=block_rows), block_rows)
    assert_same(SparseGPRegressor(**OPTIONS).fit(source), fitted, rows[0][:200], 1e-8)


def test_files_memory_maps_and_sparse_rows_give_the_same_machine(rows, fitted, tmp_path):
    X, y = rows
    pattern = written(tmp_path, X, y, [0, 500, 1800, N_ROWS])
    from_files = SparseGPRegressor(**OPTIONS).fit(pattern, "y")
    assert from_files.feature_names_in_.tolist() == [f"x{j}" for j in range(6)]
    np.save(tmp_path / "X.npy", X)
    mapped = SparseGPRegressor(**OPTIONS).fit(np.load(tmp_path / "X.npy", mmap_mode="r"), y)
    compressed = SparseGPRegressor(**OPTIONS).fit(row_blocks(sparse.csr_matrix(X), y))
    for machine in (mapped, compressed):
        assert_same(machine, fitted, X[:200], 1e-8)
    np.testing.assert_allclose(from_files.predict(row_blocks(X[:200])), fitted.predict(X[:200]), atol=1e-8)
    np.testing.assert_allclose(from_files.predict(pattern), fitted.predict(X), atol=1e-8)


def test_weights_are_repetitions(rows):
    X, y = rows[0][:800], rows[1][:800]
    counts = np.arange(800) % 3
    weighted = SparseGPRegressor(**PLAIN, max_vectors=60, min_gain=0).fit(row_blocks(X, y, counts))
    repeated = SparseGPRegressor(**PLAIN, max_vectors=60, min_gain=0).fit(
        row_blocks(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    )
    # Samples and vectors are drawn from other numbers of rows; the units and the data are the same.
    np.testing.assert_allclose(weighted._standards[0], repeated._standards[0])
    assert weighted._units[1] == pytest.approx(repeated._units[1])
    assert weighted.noise_std_ == pytest.approx(repeated.noise_std_, rel=0.1)


def test_predictions_in_blocks_are_those_of_arrays(rows, fitted):
    X = rows[0]
    source = row_blocks(X, block_rows=999)
    for expected, found in zip(
        fitted.predict(X, return_std=True), fitted.predict(source, return_std=True), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(fitted.novelty(source), fitted.novelty(X), atol=1e-12)
    for expected, found in zip(
        fitted.predict_uncertainty(X), fitted.predict_uncertainty(source), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_nan_in_the_millionth_row_names_the_file_and_the_row(tmp_path):
    X, y = np.ones((1_000_000, 1)), np.zeros(1_000_000)
    X[::2] = 0
    X[999_999] = np.nan
    pattern = written(tmp_path, X, y, [0, 600_000, 1_000_000])
    with pytest.raises(
        ValueError, match=r"column 'x0' contains NaN in row 399999 of .*rows-1\.parquet; impute"
    ):
        SparseGPRegressor().fit(pattern, "y")
    with pytest.raises(ValueError, match=r"X\[:, 0\] contains NaN in row 999999 of X"):
        SparseGPRegressor().fit(row_blocks(X, y))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda X, y, w: (X, np.where(np.arange(50) == 7, np.inf, y), w),
            "y contains infinity in row 7 of X",
        ),
        (lambda X, y, w: (1e120 * X, y, w), "scale it first"),
        (lambda X, y, w: (X, y, -w), "sample_weight must be a number between .* it is -1.0 in row 0"),
        (lambda X, y, w: (X, y, 1e100 * w), "sample_weight must be .* it is 1e.100 in row 0"),
        (lambda X, y, w: (X, y, 0 * w), "sample_weight must not be zero for all rows"),
        (lambda X, y, w: (X, np.array(["a"] * 50), w), "y must be numbers"),
    ],
)
def test_bad_rows_are_refused(change, message):
    X, _, y = friedman(50)
    with pytest.raises(ValueError, match=message):
        SparseGPRegressor().fit(row_blocks(*change(X, y, np.ones(50))))


def test_wrong_arguments_are_refused(rows):
    table = row_blocks(*rows)
    for options, message in (
        ({"memory_limit": 5}, "memory_limit must be"),
        ({"callback": 3}, "callback must be"),
    ):
        with pytest.raises(ValueError, match=message):
            SparseGPRegressor(**options).fit(table)
    with pytest.raises(ValueError, match="6 features"):
        SparseGPRegressor(**PLAIN).fit(table).predict(row_blocks(np.ones((3, 2))))


def test_a_number_of_vectors_can_be_asked_for(rows):
    machine = SparseGPRegressor(**PLAIN, max_vectors=37, min_gain=0).fit(row_blocks(*rows))
    assert len(machine.relevance_) == 37
    assert len(SparseGPRegressor(**PLAIN, max_vectors=20).fit(row_blocks(*rows)).relevance_) <= 20
    tight = SparseGPRegressor(**PLAIN, max_vectors=2000, min_gain=0, memory_limit=2**20)
    assert len(tight.fit(row_blocks(*rows)).relevance_) <= 105


def test_progress_is_told_in_phases(rows, capsys):
    calls = []
    machine = SparseGPRegressor(**PLAIN, verbose=True, callback=lambda *call: calls.append(call))
    machine.fit(row_blocks(*rows))
    phases = [phase for phase, _, _ in calls]
    assert list(dict.fromkeys(phases)) == ["kernel", "vectors", "posterior"]
    shares = [share for _, share, _ in calls]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(calls) + 1  # the last says what was chosen
    assert lines[-2].startswith("[SparseGPRegressor] posterior, 100%")


def test_an_interrupted_fit_changes_nothing(rows):
    machine = SparseGPRegressor(**PLAIN)

    def interrupt(phase, share, message):
        if phase == "posterior":
            raise KeyboardInterrupt

    machine.callback = interrupt
    with pytest.raises(KeyboardInterrupt):
        machine.fit(row_blocks(*rows))
    assert not hasattr(machine, "relevance_")
    machine.callback = None
    machine.fit(row_blocks(*rows))
    before = machine.predict(rows[0][:10])
    machine.callback = interrupt
    with pytest.raises(KeyboardInterrupt):
        machine.fit(row_blocks(2 * rows[0], rows[1]))
    np.testing.assert_array_equal(machine.predict(rows[0][:10]), before)


def density(machine, X, y):
    mean, std = machine.predict(X, return_std=True)
    return np.mean(-0.5 * np.square((y - mean) / std) - np.log(std)) - 0.5 * np.log(2 * np.pi)


def test_increments_end_where_one_fit_does():
    X, _, y = friedman(6000)
    X_new, _, y_new = friedman(4000, seed=5)
    machine = SparseGPRegressor(**OPTIONS)
    for k in range(20):
        machine.partial_fit(X[300 * k : 300 * (k + 1)], y[300 * k : 300 * (k + 1)])
    whole = SparseGPRegressor(**OPTIONS).fit(row_blocks(X, y))
    assert density(machine, X_new, y_new) > density(whole, X_new, y_new) - 0.005
    np.testing.assert_allclose(machine.relevance_vectors_, X[machine.relevance_], atol=1e-12)


def test_an_update_is_exact_for_gaussian_noise_and_given_hyperparameters(rows):
    """Without new vectors or hyperparameters the posterior is that of all rows at once."""
    X, y = rows
    machine = SparseGPRegressor(**OPTIONS, max_vectors=40, min_gain=0).fit(row_blocks(X[:1500], y[:1500]))
    before = machine.log_evidence_
    projection, likelihood = machine._posteriors[0], machine._likelihood
    machine.update(X[1500:], y[1500:])
    Phi = projection.design((X - machine._standards[0]) / machine._standards[1])
    z = (y - machine._units[0]) / machine._units[1] - projection.process.constant[0]
    P = np.eye(Phi.shape[1]) + likelihood.precision * Phi.T @ Phi
    expected = np.linalg.solve(P, likelihood.precision * Phi.T @ z)
    np.testing.assert_allclose(machine._posteriors[0].mean, expected, atol=1e-5)
    factor = machine._posteriors[0].factor
    np.testing.assert_allclose(factor @ factor.T, P, rtol=1e-6, atol=1e-6)
    assert machine.log_evidence_ < before
    with pytest.raises(ValueError, match="features"):
        machine.update(X[:10, :2], y[:10])


def test_hyperparameters_are_learned_again_without_loss_of_what_rows_said(rows):
    """Transport between hyperparameters: back and forth it changes nothing."""
    from dataclasses import replace

    from pauca.fitting.streaming.projection import Projection
    from pauca.fitting.streaming.update import transported, weights_of

    machine = SparseGPRegressor(**OPTIONS, max_vectors=30, min_gain=0).fit(row_blocks(*rows))
    before, weights = weights_of(machine._posteriors[0])
    process = before.process
    changed = replace(process, amplitude=2 * process.amplitude, trend=3 * process.trend, constant=(0.5, 2.0))
    after = Projection.of(replace(changed, scales=1.1 * process.scales), before.vectors)
    there = transported(weights, before, after, 1.5)
    back = transported(there, after, before, 1 / 1.5)
    np.testing.assert_allclose(back.mean, weights.mean, atol=1e-5)
    np.testing.assert_allclose(back.precision, weights.precision, rtol=1e-5, atol=1e-4)


def test_data_frames_keep_their_names(rows):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows[0][:400], columns=list("abcdef"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = SparseGPRegressor(**PLAIN).partial_fit(frame[:200], rows[1][:200])
        machine.partial_fit(frame[200:], rows[1][200:400])
    assert machine.feature_names_in_.tolist() == list("abcdef")
    assert machine.predict(frame).shape == (400,)
