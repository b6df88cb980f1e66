"""C files compiled to shared libraries, or to programs that predict rows from a file."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

COMPILER = shutil.which("gcc")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no gcc to compile the C file with")
_FLAGS = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-pedantic",
    "-Wmissing-prototypes",
    "-Wno-overlength-strings",
]
_TYPES = {"double": np.float64, "float": np.float32}


def compiled(code, folder, *flags):
    """Shared library of a C file; any warning is an error."""
    source, library = Path(folder) / "model.c", Path(folder) / "model.so"
    source.write_text(code, encoding="ascii")
    command = [
        COMPILER,
        *_FLAGS,
        *(flags or ("-O1",)),
        "-shared",
        "-fPIC",
        str(source),
        "-o",
        str(library),
        "-lm",
    ]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr[:2000]
    return ctypes.CDLL(str(library))


def predicted(library, X, n_out, precision="double", function="model_predict_proba"):
    """Outputs of a function of one row with one array, or with two numbers, for every row."""
    kind = _TYPES[precision]
    X = np.ascontiguousarray(X, dtype=kind)
    out = np.zeros((len(X), n_out), dtype=kind)
    call = getattr(library, function)
    call.restype = None
    for x, y in zip(X, out, strict=True):
        if function == "model_predict_proba":
            call(_pointer(x), _pointer(y))
        else:
            call(_pointer(x), _pointer(y[: n_out // 2]), _pointer(y[n_out // 2 :]))
    return out.astype(float)


def _pointer(array):
    return ctypes.c_void_p(array.ctypes.data)
