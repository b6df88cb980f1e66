"""Engines that predict with a fitted forest of regressors, all on one core."""

from time import process_time
from typing import Any

import numpy as np
from sklearn.base import clone

from .forest import seconds_of_one_row

# Rounds of each timing, of which the fastest counts. Set by hand.
_ROUNDS = 3


def engines(forest: Any, X: Any, y: Any) -> tuple[dict, list[str]]:
    """Functions ``predict`` of all trees with the seconds to make them, and a line for each that fails."""
    found, notes = {"scikit-learn": (forest.predict, 0.0)}, []
    for name, make in {
        "ONNX Runtime": _onnx,
        "scikit-learn-intelex": _intelex,
        "treelite": _treelite,
    }.items():
        start = process_time()
        try:
            predict = make(forest, X, y)
            predict(X[:1].copy())
            found[name] = predict, process_time() - start
        except Exception as error:
            notes.append(f"{name} of regressors skipped: {type(error).__name__}: {error}")
    return found, notes


def _onnx(forest, X, y):
    from onnxruntime import InferenceSession, SessionOptions
    from skl2onnx import to_onnx

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = to_onnx(forest, X[:1].astype(np.float32))
    session = InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda rows: session.run(None, {name: rows.astype(np.float32)})[0].ravel()


def _intelex(forest, X, y):
    """Forest of scikit-learn-intelex with the same parameters: fitted forests cannot be converted."""
    import daal4py
    from sklearnex.ensemble import RandomForestRegressor

    daal4py.daalinit(1)
    return RandomForestRegressor(**clone(forest).get_params()).fit(X, y).predict


def _treelite(forest, X, y):
    import treelite

    model = treelite.sklearn.import_model(forest)
    return lambda rows: np.ravel(treelite.gtil.predict(model, rows, nthread=1))


def times(predict: Any, X: Any) -> dict[str, float]:
    """Processor milliseconds of all rows, and microseconds of a row alone."""
    rows, batch, single = [X[place : place + 1].copy() for place in range(len(X))], [], []
    predict(rows[0])
    for _ in range(_ROUNDS):
        start = process_time()
        predict(X)
        batch.append(process_time() - start)
        single.append(seconds_of_one_row(predict, rows))
    return {"batch_ms": 1e3 * min(batch), "one_row_us": 1e6 * min(single)}
