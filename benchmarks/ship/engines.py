"""Functions from rows to probabilities of one fitted model in each of its forms."""

import pickle
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from pauca.export import to_c, to_onnx

from .native import Native


def forms_of(machine):
    """Forms of a machine of pauca: name, function from rows to probabilities, and bytes."""
    n_classes = len(machine.classes_)
    converted = to_onnx(machine).SerializeToString()
    yield "Python", machine.predict_proba, len(pickle.dumps(machine))
    fast = machine.compiled()
    yield "compiled", fast.predict_proba, len(pickle.dumps(fast))
    yield "ONNX", onnx_session(converted, "probabilities"), len(converted)
    for precision in ("double", "float"):
        native = Native(to_c(machine, precision=precision), precision, n_classes)
        yield f"C, {precision}", native, native.n_bytes


def onnx_session(converted, output=None):
    """Function from rows to an output of an ONNX model, by default the last one, on one core."""
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = InferenceSession(converted, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    outputs = [output or session.get_outputs()[-1].name]

    def run(X):
        return session.run(outputs, {name: np.asarray(X, dtype=np.float32)})[0]

    return run


def svc(X, y):
    """Forms of a support vector machine with Platt's probabilities."""
    from skl2onnx import to_onnx as convert
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.svm import SVC

    model = CalibratedClassifierCV(SVC(random_state=0), ensemble=False).fit(X, y)
    yield "Python", model.predict_proba, len(pickle.dumps(model))
    rows = X[:1].astype(np.float32)
    converted = convert(model, rows, options={"zipmap": False}, target_opset=18).SerializeToString()
    yield "ONNX", onnx_session(converted), len(converted)


def forest(X, y):
    """Forms of a random forest, its early voting among them."""
    from skl2onnx import to_onnx as convert
    from sklearn.ensemble import RandomForestClassifier

    from pauca import InstancePrunedClassifier

    model = RandomForestClassifier(100, random_state=0).fit(X, y)
    yield "Python", model.predict_proba, len(pickle.dumps(model))
    rows = X[:1].astype(np.float32)
    converted = convert(model, rows, options={"zipmap": False}, target_opset=18).SerializeToString()
    yield "ONNX", onnx_session(converted), len(converted)
    voting = InstancePrunedClassifier(model, 0.99, random_state=0)
    yield "early voting, Python", voting.predict_proba, len(pickle.dumps(voting))
    native = Native(to_c(voting, precision="float"), "float", len(model.classes_))
    yield "early voting, C, float", native, native.n_bytes


def catboost(X, y):
    """Forms of CatBoost with default arguments on one thread."""
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(verbose=False, random_seed=0, thread_count=1, allow_writing_files=False)
    model.fit(X, y)
    folder = Path(mkdtemp())
    model.save_model(str(folder / "model.cbm"))

    def predict(rows):
        return model.predict_proba(rows, thread_count=1)

    yield "Python", predict, (folder / "model.cbm").stat().st_size
    model.save_model(str(folder / "model.onnx"), format="onnx")
    converted = (folder / "model.onnx").read_bytes()
    yield "ONNX", onnx_session(converted, "label"), len(converted)


def lightgbm(X, y):
    """Forms of LightGBM with default arguments on one thread; C by tl2cgen."""
    import tl2cgen
    import treelite
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(verbose=-1, n_jobs=1, random_state=0).fit(X, y)
    text = model.booster_.model_to_string()
    booster = model.booster_
    yield "Python", lambda rows: booster.predict(rows, num_threads=1), len(text)
    library = Path(mkdtemp()) / "model.so"
    trees = treelite.frontend.from_lightgbm(booster)
    tl2cgen.export_lib(trees, "gcc", str(library), params={"parallel_comp": 8}, options=["-O1"])
    predictor = tl2cgen.Predictor(str(library), nthread=1)
    size = library.stat().st_size
    yield "C (tl2cgen)", lambda rows: predictor.predict(tl2cgen.DMatrix(rows)), size


PEERS = {"SVC": svc, "random forest": forest, "CatBoost": catboost, "LightGBM": lightgbm}
