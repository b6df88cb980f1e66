"""Fits and predictions on Dask collections: the machine of the array, on any number of workers."""

import os
import pickle
import signal
import time

import dask
import dask.array as da
import numpy as np
import pytest
from friedman_tables import friedman

from pauca import SparseGPRegressor
from pauca.basis import DaskBlocks, row_blocks

N_ROWS = 3000
OPTIONS = {"kernel": "rbf", "trend": True, "feature_scales": None}
CHUNKS = ((700, 100, 900, 300, 1000),)


@pytest.fixture(scope="module")
def rows():
    X, _, y = friedman(N_ROWS)
    return X, y


@pytest.fixture(scope="module")
def fitted(rows):
    return SparseGPRegressor(**OPTIONS).fit(row_blocks(*rows))


def collections(X, y):
    """Rows as Dask arrays of five chunks."""
    return da.from_array(X, (*CHUNKS, -1)), da.from_array(y, CHUNKS)


def assert_same(machine, other, X, atol=1e-6):
    np.testing.assert_array_equal(machine.relevance_, other.relevance_)
    for found, right in zip(
        machine.predict(X, return_std=True), other.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_allclose(found, right, atol=atol)


def test_dask_arrays_give_the_machine_of_the_array(rows, fitted):
    with dask.config.set(scheduler="synchronous"):
        machine = SparseGPRegressor(**OPTIONS).fit(*collections(*rows))
    assert_same(machine, fitted, rows[0], 1e-8)


def test_predictions_of_dask_collections_are_lazy(rows, fitted):
    X = collections(*rows)[0]
    with dask.config.set(scheduler="synchronous"):
        mean = fitted.predict(X)
        assert isinstance(mean, da.Array)
        assert mean.chunks == CHUNKS
        np.testing.assert_allclose(mean.compute(), fitted.predict(rows[0]), atol=1e-12)
        noise, ignorance = fitted.predict_uncertainty(X)
        np.testing.assert_allclose(ignorance.compute(), fitted.predict_uncertainty(rows[0])[1], atol=1e-12)
        assert noise.shape == (N_ROWS,)


def test_data_frames_of_dask(rows):
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    frame = pd.DataFrame(rows[0], columns=list("abcdef"))
    tables = dd.from_pandas(frame, npartitions=3), dd.from_pandas(pd.Series(rows[1]), npartitions=3)
    with dask.config.set(scheduler="synchronous"):
        machine = SparseGPRegressor(**OPTIONS).fit(*tables)
        found = machine.predict(tables[0]).compute()
    assert machine.feature_names_in_.tolist() == list("abcdef")
    np.testing.assert_allclose(found, machine.predict(frame), atol=1e-10)


class Counted(DaskBlocks):
    """Dask blocks that measure what a pass sends to the workers and brings back."""

    sent, received = 0, 0

    def total(self, function, combine=None):
        options = {} if combine is None else {"combine": combine}
        result = super().total(function, **options)
        self.sent = max(self.sent, len(pickle.dumps(function)))
        self.received = max(self.received, len(pickle.dumps(result)))
        return result


def test_messages_of_a_pass_have_the_size_of_matrices_of_the_vectors(rows):
    """From 20 to 80 weights, whatever the rows: 8 bytes for each entry of a few M x M matrices."""
    from pauca.fitting.processes import Process
    from pauca.fitting.streaming.posterior import infer
    from pauca.fitting.streaming.projection import Projection
    from pauca.likelihoods import Gaussian

    process = fitted_process(Process)
    for n_vectors in (20, 80):
        source = Counted(*collections(*rows))
        projection = Projection.of(process, rows[0][:n_vectors])
        with dask.config.set(scheduler="synchronous"):
            infer(source, projection, Gaussian(1.0), max_passes=2)
        matrix = 8 * (n_vectors + 1) ** 2
        assert source.received < 1.1 * matrix + 3000
        assert source.sent < 3.3 * matrix + 8 * 6 * n_vectors + 5000


def fitted_process(process):
    from pauca.basis import RBF

    return process(RBF(0.5), 10.0)


@pytest.mark.slow
def test_any_number_of_workers_gives_the_machine_of_the_array(rows, fitted):
    from distributed import Client, LocalCluster

    for n_workers in (1, 2, 4):
        with (
            LocalCluster(n_workers, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
            Client(cluster),
        ):
            X, y = collections(*rows)
            machine = SparseGPRegressor(**OPTIONS).fit(X, y)
            assert_same(machine, fitted, rows[0])
            np.testing.assert_allclose(machine.predict(X).compute(), fitted.predict(rows[0]), atol=1e-6)


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_nothing(rows, fitted):
    """Its partitions are computed again by the others."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        killed = []

        def kill_one(phase, share, message):
            if phase == "posterior" and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)
                time.sleep(0.2)

        X, y = (part.persist() for part in collections(*rows))
        machine = SparseGPRegressor(**OPTIONS, callback=kill_one).fit(X, y)
        assert killed
        assert killed[0] not in client.run(os.getpid).values()
    assert_same(machine, fitted, rows[0])
