"""Engines that predict with a fitted forest, all on one core."""

from collections.abc import Callable
from dataclasses import dataclass
from tempfile import mkdtemp
from time import process_time

import numpy as np
from sklearn.base import clone

from pauca import InstancePrunedClassifier

SKLEARN, PAUCA = "scikit-learn", "pauca 0.99"


@dataclass(frozen=True)
class Engine:
    """Engine by name: how it makes ``predict`` from a fitted forest, and whether it evaluates every tree."""

    name: str
    make: Callable
    all_trees: bool = True


def _sklearn(forest, X, y):
    return forest.predict


def _pauca(confidence=0.99, **options):
    def make(forest, X, y):
        return InstancePrunedClassifier(forest, confidence, random_state=0, **options).predict

    return make


def _onnx(forest, X, y):
    from onnxruntime import InferenceSession, SessionOptions
    from skl2onnx import to_onnx

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = to_onnx(forest, X[:1].astype(np.float32), options={id(forest): {"zipmap": False}})
    session = InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    name, label = session.get_inputs()[0].name, session.get_outputs()[0].name
    return lambda rows: session.run([label], {name: rows.astype(np.float32)})[0]


def _intelex(forest, X, y):
    """Forest of scikit-learn-intelex with the same parameters: fitted forests cannot be converted."""
    import daal4py
    from sklearnex.ensemble import RandomForestClassifier

    daal4py.daalinit(1)
    return RandomForestClassifier(**forest.get_params()).fit(X, y).predict


def _treelite(forest, X, y):
    import treelite

    model = treelite.sklearn.import_model(forest)
    return lambda rows: _classes(forest, treelite.gtil.predict(model, rows, nthread=1))


def _tl2cgen(forest, X, y):
    """Trees compiled as C, which takes minutes."""
    import tl2cgen
    import treelite

    library = f"{mkdtemp()}/forest.so"
    tl2cgen.export_lib(
        treelite.sklearn.import_model(forest),
        *("gcc", library),
        params={"parallel_comp": len(forest.estimators_), "quantize": 0},
        options=["-O1"],
    )
    predictor = tl2cgen.Predictor(library, nthread=1)
    return lambda rows: _classes(forest, predictor.predict(tl2cgen.DMatrix(rows)))


def _classes(forest, probabilities):
    """Labels from the probabilities of all classes, or of the second one."""
    probabilities = probabilities.reshape(len(probabilities), -1)
    codes = (
        probabilities.argmax(axis=1)
        if probabilities.shape[1] > 1
        else (probabilities[:, 0] > 0.5).astype(int)
    )
    return forest.classes_[codes]


ENGINES = (
    Engine(SKLEARN, _sklearn),
    Engine(PAUCA, _pauca(), all_trees=False),
    Engine("pauca 0.99, averages", _pauca(voting="soft"), all_trees=False),
    Engine("pauca 0.99, members of scikit-learn", _pauca(engine="members"), all_trees=False),
    Engine("pauca 1.0", _pauca(1.0), all_trees=False),
    Engine("ONNX Runtime", _onnx),
    Engine("scikit-learn-intelex", _intelex),
    Engine("treelite", _treelite),
    Engine("tl2cgen", _tl2cgen),
)


def ready(forest, X, y, names=None):
    """Functions ``predict`` by name, processor seconds to make them, a line for each that does not run."""
    made, seconds, notes = {}, {}, []
    for engine in ENGINES:
        if names is None or engine.name in names:
            start = process_time()
            try:
                predict = engine.make(clone(forest) if engine.name.endswith("intelex") else forest, X, y)
                predict(X[:2].copy())
                predict(X[:1].copy())
                made[engine.name], seconds[engine.name] = predict, process_time() - start
            except Exception as error:
                notes.append(f"{engine.name} skipped: {type(error).__name__}: {error}")
    return made, seconds, notes
