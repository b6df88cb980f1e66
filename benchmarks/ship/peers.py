"""Functions from rows to probabilities of models of other libraries in each of their forms.

C comes from the model's own library, or from treelite and tl2cgen; there is none of support vector machines.
"""

import ctypes
import pickle
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from pauca.export import to_c

from .engines import onnx_session
from .native import Native


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
    import treelite
    from skl2onnx import to_onnx as convert
    from sklearn.ensemble import RandomForestClassifier

    from pauca import InstancePrunedClassifier

    model = RandomForestClassifier(100, random_state=0).fit(X, y)
    yield "Python", model.predict_proba, len(pickle.dumps(model))
    voting = InstancePrunedClassifier(model, 0.99, random_state=0)
    yield "early voting, Python", voting.predict_proba, len(pickle.dumps(voting))
    native = Native(to_c(voting, precision="float"), "float", len(model.classes_))
    yield "early voting, C, float", native, native.n_bytes
    rows = X[:1].astype(np.float32)
    converted = convert(model, rows, options={"zipmap": False}, target_opset=18).SerializeToString()
    yield "ONNX", onnx_session(converted), len(converted)
    yield _in_c(treelite.sklearn.import_model(model))


def catboost(X, y):
    """Forms of CatBoost with default arguments on one thread; its own C++."""
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
    model.save_model(str(folder / "model.cpp"), format="cpp")
    yield "C++", *_in_cpp(folder)


def lightgbm(X, y):
    """Forms of LightGBM with default arguments on one thread."""
    import treelite
    from lightgbm import LGBMClassifier
    from onnxmltools import convert_lightgbm

    model = LGBMClassifier(verbose=-1, n_jobs=1, random_state=0).fit(X, y)
    booster = model.booster_
    text = booster.model_to_string()
    yield "Python", lambda rows: booster.predict(rows, num_threads=1), len(text)
    converted = convert_lightgbm(model, initial_types=_inputs(X), zipmap=False).SerializeToString()
    yield "ONNX", onnx_session(converted), len(converted)
    yield _in_c(treelite.frontend.from_lightgbm(booster))


def xgboost(X, y):
    """Forms of XGBoost with default arguments on one thread."""
    import treelite
    from onnxmltools import convert_xgboost
    from xgboost import XGBClassifier

    model = XGBClassifier(n_jobs=1, random_state=0).fit(X, y)
    yield "Python", model.predict_proba, len(model.get_booster().save_raw())
    converted = convert_xgboost(model, initial_types=_inputs(X)).SerializeToString()
    yield "ONNX", onnx_session(converted), len(converted)
    yield _in_c(treelite.frontend.from_xgboost(model.get_booster()))


def _inputs(X):
    """Description of the input of a graph."""
    from onnxmltools.convert.common.data_types import FloatTensorType

    return [("X", FloatTensorType([None, X.shape[1]]))]


def _in_c(trees):
    """Name, function and bytes of trees in C."""
    import tl2cgen

    library = Path(mkdtemp()) / "model.so"
    tl2cgen.export_lib(trees, "gcc", str(library), params={"parallel_comp": 8}, options=["-O1"])
    predictor = tl2cgen.Predictor(str(library), nthread=1)
    size = library.stat().st_size
    return "C (tl2cgen)", lambda rows: predictor.predict(tl2cgen.DMatrix(rows)), size


_LOOP = """
#include <cmath>
extern "C" void run(const float *X, int n, int d, float *out)
{
    std::vector<float> row(d);
    for (int i = 0; i < n; i++) {
        row.assign(X + i * d, X + (i + 1) * d);
        out[i] = (float)(1 / (1 + std::exp(-ApplyCatboostModel(row))));
    }
}
"""


def _in_cpp(folder):
    """Function from rows to probabilities of the second class, and bytes of its library."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise RuntimeError("no C++ compiler")
    source, library = folder / "model.cpp", folder / "model.so"
    source.write_text(source.read_text(encoding="utf-8") + _LOOP, encoding="utf-8")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
    run = ctypes.CDLL(str(library)).run

    def predict(rows):
        rows = np.ascontiguousarray(rows, dtype=np.float32)
        out = np.empty(len(rows), dtype=np.float32)
        run(*(ctypes.c_void_p(rows.ctypes.data), len(rows), rows.shape[1]), ctypes.c_void_p(out.ctypes.data))
        return out

    return predict, library.stat().st_size


PEERS = {
    "SVC": svc,
    "random forest": forest,
    "CatBoost": catboost,
    "LightGBM": lightgbm,
    "XGBoost": xgboost,
}
