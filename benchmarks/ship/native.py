"""C files as shared libraries with a loop over rows."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

_LOOP = """
void run(const {real} *X, int n, int d, int k, {real} *out);
void run(const {real} *X, int n, int d, int k, {real} *out)
{{
    for (int i = 0; i < n; i++) model_predict_proba(X + i * d, out + i * k);
}}
"""
_FLAGS = ["-std=c99", "-O3", "-march=native", "-shared", "-fPIC"]


class Native:
    """Classifier in C, compiled; ``n_bytes`` are those of code and constants."""

    def __init__(self, code, precision, n_classes):
        compiler = shutil.which("gcc") or shutil.which("cc")
        if compiler is None:
            raise RuntimeError("no C compiler")
        self.dtype = np.float32 if precision == "float" else np.float64
        self.n_classes, folder = n_classes, Path(mkdtemp())
        source = folder / "model.c"
        source.write_text(code, encoding="ascii")
        subprocess.run([compiler, "-std=c99", "-Os", "-c", source, "-o", folder / "model.o"], check=True)
        self.n_bytes = _loaded_bytes(folder / "model.o")
        source.write_text(code + _LOOP.format(real=precision), encoding="ascii")
        library = folder / "model.so"
        subprocess.run([compiler, *_FLAGS, source, "-o", library, "-lm"], check=True)
        self.run = ctypes.CDLL(str(library)).run

    def __call__(self, X):
        """Probabilities of all rows."""
        X = np.ascontiguousarray(X, dtype=self.dtype)
        out = np.empty((len(X), self.n_classes), dtype=self.dtype)
        self.run(_pointer(X), len(X), X.shape[1], self.n_classes, _pointer(out))
        return out


def _pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def _loaded_bytes(path):
    """Bytes of code and constants of an object file, as ``size`` says."""
    tool = shutil.which("size")
    if tool is None:
        return path.stat().st_size
    lines = subprocess.run([tool, path], check=True, capture_output=True, text=True).stdout.splitlines()
    return int(lines[1].split()[3])
