"""Engines that evaluate all trees of a boosted model of another library, on one thread."""

from collections.abc import Callable
from tempfile import mkdtemp
from time import process_time
from typing import Any

import numpy as np

# Engines of LightGBM models, and the one that reads the models of all three libraries.
_OF_LIGHTGBM, _OF_ALL = ("treelite", "ONNX Runtime"), "scikit-learn-intelex"


def engines(library: str, model: Any, n_outputs: int, compile_to_c: bool) -> tuple[dict, list[str]]:
    """Functions from rows to scores, or numbers, with the seconds to make them; a line for each that fails.

    ``n_outputs`` is the number of classes, or 1 for regressors.
    """
    names = [*(_OF_LIGHTGBM if library == "lightgbm" else ()), _OF_ALL]
    names += ["tl2cgen"] if compile_to_c else []
    found: dict[str, tuple[Callable, float]] = {}
    notes = []
    for name in names:
        start = process_time()
        try:
            found[name] = _MAKERS[name](model, n_outputs), process_time() - start
        except Exception as error:
            text = str(error).splitlines()[0][:200] if str(error) else ""
            notes.append(f"{name} of {library} skipped: {type(error).__name__}: {text}")
    return found, notes


def _treelite(model, n_outputs):
    import treelite

    trees = treelite.frontend.from_lightgbm(model)
    return lambda rows: _flat(treelite.gtil.predict(trees, rows, nthread=1, pred_margin=True))


def _tl2cgen(model, n_outputs):
    """Trees compiled as C; the seconds leave out the C compiler, another process."""
    import tl2cgen
    import treelite

    library = f"{mkdtemp()}/boosted.so"
    parts = {"parallel_comp": model.num_trees(), "quantize": 0}
    trees = treelite.frontend.from_lightgbm(model)
    tl2cgen.export_lib(trees, "gcc", library, params=parts, options=["-O1"])
    predictor = tl2cgen.Predictor(library, nthread=1)
    return lambda rows: _flat(predictor.predict(tl2cgen.DMatrix(rows), pred_margin=True))


def _flat(scores):
    """Scores with a row for each row."""
    return np.reshape(scores, (len(scores), -1))


def _onnx(model, n_outputs):
    from onnxmltools import convert_lightgbm
    from onnxmltools.convert.common.data_types import FloatTensorType
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    inputs = [("X", FloatTensorType([None, model.num_feature()]))]
    converted = convert_lightgbm(model, initial_types=inputs, zipmap=False)
    session = InferenceSession(converted.SerializeToString(), options, providers=["CPUExecutionProvider"])
    output = 0 if n_outputs == 1 else 1
    middle = 0.5 if n_outputs == 2 else 0.0
    return lambda rows: session.run(None, {"X": rows.astype(np.float32)})[output] - middle


def _intelex(model, n_outputs):
    """Gradient boosting of oneDAL, which scikit-learn-intelex converts from the other libraries."""
    import daal4py

    daal4py.daalinit(1)
    trees = daal4py.mb.convert_model(model.get_booster() if hasattr(model, "get_booster") else model)
    if n_outputs == 1:
        return trees.predict
    return lambda rows: trees.predict_proba(rows) - (0.5 if n_outputs == 2 else 0.0)


_MAKERS = {"treelite": _treelite, "tl2cgen": _tl2cgen, "ONNX Runtime": _onnx, _OF_ALL: _intelex}
