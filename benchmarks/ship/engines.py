"""Functions from rows to probabilities of a machine of pauca in each of its forms."""

import pickle

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
