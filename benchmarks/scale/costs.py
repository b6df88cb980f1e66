"""Cost of a pass over rows in blocks: measured here, modelled for a cluster, checked by simulating messages.

``python -m benchmarks.scale.costs --page docs/scaling.md`` measures and writes the page.
"""

import argparse
import heapq
import os
import pickle
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from pauca.basis import RBF, ArrayBlocks, DaskBlocks
from pauca.evaluation.tables import markdown_table
from pauca.fitting.processes import Process
from pauca.fitting.streaming.projection import Projection
from pauca.fitting.streaming.sums import SumsPass
from pauca.likelihoods import Logit

from .page import kept

_N_FEATURES, _N_ROWS, _VECTORS, _REPEATS = 20, 20_000, (64, 128, 256, 512), 3
# Assumptions of the extrapolation: bytes a second of a link, seconds before a message arrives, seconds of the
# scheduler for each task, results that one task adds up.
BANDWIDTH, LATENCY, OVERHEAD, FAN_IN = 1e9, 1e-3, 2e-4, 8


@dataclass(frozen=True)
class Cluster:
    """Workers with a core each, and the rows of one partition."""

    n_workers: int
    n_rows: float
    n_partitions: int


def measured() -> list[dict]:
    """Microseconds of CPU time a row and bytes of the messages of one pass, for numbers of vectors."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(_N_ROWS, _N_FEATURES)), np.where(rng.random(_N_ROWS) < 0.5, 1.0, -1.0)
    rows = []
    for n_vectors in _VECTORS:
        function = pass_of(X[:n_vectors])
        times, source = [], ArrayBlocks(X, y)
        for _ in range(_REPEATS):
            start = process_time()
            sums = source.total(function)
            times.append(process_time() - start)
        sent, back = (len(pickle.dumps(each)) for each in (function, sums))
        cost = {"vectors": n_vectors, "CPU us a row": 1e6 * min(times) / _N_ROWS}
        rows.append({**cost, "bytes to a worker": sent, "bytes back": back})
    return rows


def pass_of(vectors: np.ndarray) -> SumsPass:
    """Pass in single precision at the prior of a process with some vectors."""
    projection = Projection.of(Process(RBF(0.02), 4.0, 0.05), vectors)
    prior = np.zeros(projection.n_weights), np.eye(projection.n_weights)
    return SumsPass.at(projection, Logit(), *prior, np.float32)


def row_cost(rows: list[dict]) -> np.ndarray:
    """Coefficients of 1, M and M² in the CPU microseconds a row, none of them negative."""
    from scipy.optimize import nnls

    M = np.array([row["vectors"] for row in rows], dtype=float)
    cost = np.array([row["CPU us a row"] for row in rows])
    return nnls(np.stack([np.ones(len(M)), M, M**2], axis=1) / cost[:, None], np.ones(len(M)))[0]


def pass_seconds(cost: np.ndarray, n_vectors: int, cluster: Cluster) -> dict:
    """Model of one pass: rows of the busiest worker, then the levels of the tree one after the other."""
    per_row = 1e-6 * cost @ [1, n_vectors, n_vectors**2]
    per_worker = int(np.ceil(cluster.n_partitions / cluster.n_workers))
    work = per_worker * cluster.n_rows / cluster.n_partitions * per_row
    message = LATENCY + 8 * (n_vectors + _N_FEATURES + 1) ** 2 / BANDWIDTH
    levels = int(np.ceil(np.log(max(cluster.n_partitions, 2)) / np.log(FAN_IN)))
    tasks = cluster.n_partitions * (1 + 1 / (FAN_IN - 1))
    return {
        "rows of a worker": work,
        "tree": levels * FAN_IN * message,
        "sending": 3 * message * np.ceil(np.log2(cluster.n_workers + 1)),
        "scheduler": OVERHEAD * tasks,
    }


def simulated(cost: np.ndarray, n_vectors: int, cluster: Cluster) -> float:
    """Seconds of one pass, event by event: partitions in turn, messages one at a time into every worker."""
    per_row = 1e-6 * cost @ [1, n_vectors, n_vectors**2]
    message = LATENCY + 8 * (n_vectors + _N_FEATURES + 1) ** 2 / BANDWIDTH
    start = 3 * message * np.ceil(np.log2(cluster.n_workers + 1))
    free = [(start, worker) for worker in range(cluster.n_workers)]
    heapq.heapify(free)
    ready, scheduled = [], 0.0
    for _ in range(cluster.n_partitions):
        scheduled += OVERHEAD
        time, worker = heapq.heappop(free)
        time = max(time, scheduled) + cluster.n_rows / cluster.n_partitions * per_row
        ready.append((time, worker))
        heapq.heappush(free, (time, worker))
    link = dict.fromkeys(range(cluster.n_workers), 0.0)
    while len(ready) > 1:
        following = []
        for first in range(0, len(ready), FAN_IN):
            group = ready[first : first + FAN_IN]
            time, home = group[0]
            for arrival, worker in group[1:]:
                moved = 0.0 if worker == home else message
                time = max(time, max(arrival, link[home]) + moved)
                link[home] = max(arrival, link[home]) + moved
            scheduled += OVERHEAD
            following.append((max(time, scheduled), home))
        ready = following
    return ready[0][0] + message


def local_workers(n_rows: int = 200_000, n_vectors: int = 128) -> list[dict]:
    """Wall seconds of one pass on 1, 2 and 4 local workers, and CPU seconds of all; the second of two."""
    import dask.array as da
    from distributed import Client, LocalCluster

    rng = np.random.default_rng(0)
    X, rows = rng.normal(size=(n_rows, _N_FEATURES)), []
    y = np.where(rng.random(n_rows) < 0.5, 1.0, -1.0)
    for n_workers in (1, 2, 4):
        with (
            LocalCluster(n_workers, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            chunk = n_rows // 16
            parts = da.from_array(X, (chunk, -1)).persist(), da.from_array(y, chunk).persist()
            source, function = DaskBlocks(*parts), pass_of(X[:n_vectors])
            source.total(function)
            start, before = perf_counter(), _worker_seconds(client)
            source.total(function)
            spent, seconds = _worker_seconds(client) - before, perf_counter() - start
            rows.append({"workers": n_workers, "seconds of a pass": seconds, "CPU seconds of workers": spent})
    return rows


def _worker_seconds(client):
    return sum(client.run(process_time).values())


_PAGE = """# Cost of many rows

Every step of a fit in blocks is a sum over rows, so its cost is that of passes. How to use blocks:
[many rows](user/many_rows.md).

## Time, memory and loss beside other learners

Labels of Friedman's function (20 features, 5 of them relevant; test log-loss beside the best possible one)
and real large sets, every fit in a process of its own with one thread. Constants of the machine were chosen
with other seeds, and on the real sets with another partition. Written by
`python -m benchmarks scaling --store FILE --table docs/scaling.md --plot docs/_static/scaling.svg`.

![Time and loss against rows, loss against vectors](_static/scaling.svg)

{scaling}

## Cost model

This part is written by `python -m benchmarks.scale.costs --page docs/scaling.md`; its figures were measured
by that command, on {cores} cores that other work shared.

## One pass

A pass needs, for each row, M kernel values, a product with an M x M matrix to whiten them, one for the
variance of f and one for the precision: {flops} floating-point operations for M vectors and d features.
Kernel values and means are in double precision, the products in single precision from 20,000 rows on.

{measured}

Least squares: {cost} microseconds a row. A worker is sent three M x M matrices,
two of them in single precision, and the vectors, and sends one matrix back: 16 M² bytes there, 8 M² bytes
back, whatever the number of rows.

## A fit

1. One pass checks all rows and takes means and deviations.
2. Kernel, scales and amplitude are learned from 2000 rows, and again from twice as many, until the evidence
   of a row settles.
3. Vectors double in number while rows that were not used gain by it. The first explain the prior; others are
   those that promise the largest rise of the bound, given 16,000 rows.
4. Steps on 1/16 and 1/4 of the rows lead to one pass over all of them, or to a few where labels are nearly
   certain.

## Local workers

One pass over 200,000 rows with 128 vectors, in 16 partitions. Seconds of the clock depend on the cores that
are free, and with more workers than those nothing is gained; the CPU seconds of all workers together say
what is lost by their number:

{local}

## A cluster

Assumptions: a core for each worker, links of {bandwidth} GB/s, {latency} ms until a message arrives,
{overhead} ms of the scheduler for each task, {fan_in} results for each task of the tree, ten partitions for
each worker, rows in memory. Seconds of one pass over 1,000,000,000 rows:

{cluster}

*model* adds up its four columns; *simulated* follows each message into the link of its worker. The rows of a
worker dominate; the scheduler of Dask comes next, and grows with the number of partitions, not of rows.
"""


def page(scaling: str) -> str:
    """Markdown page of the measurements, the model and the simulation, and of the section ``scaling``."""
    rows = measured()
    cost = row_cost(rows)
    clusters = []
    for n_workers in (1, 10, 100):
        for n_vectors in (128, 512):
            cluster = Cluster(n_workers, 1e9, 10 * n_workers)
            parts = pass_seconds(cost, n_vectors, cluster)
            total = {"model": sum(parts.values()), "simulated": simulated(cost, n_vectors, cluster)}
            clusters.append({"workers": n_workers, "vectors": n_vectors, **parts, **total})
    shown = [{name: _short(value) for name, value in row.items()} for row in rows]
    return _PAGE.format(
        scaling=scaling,
        cores=os.cpu_count(),
        flops="2 M d + 5 M²",
        measured=markdown_table(shown),
        cost=f"{cost[0]:.2g} + {cost[1]:.2g} M + {cost[2]:.2g} M²",
        local=markdown_table(
            [{name: _short(value) for name, value in row.items()} for row in local_workers()]
        ),
        bandwidth=BANDWIDTH / 1e9,
        latency=1e3 * LATENCY,
        overhead=1e3 * OVERHEAD,
        fan_in=FAN_IN,
        cluster=markdown_table([{name: _short(value) for name, value in row.items()} for row in clusters]),
    )


def _short(value):
    return float(f"{value:.3g}") if isinstance(value, float) else value


def main() -> None:
    """Write the page to a file, or print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", metavar="FILE")
    options = parser.parse_args()
    text = page(kept(Path(options.page or "docs/scaling.md")))
    if options.page:
        Path(options.page).write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
