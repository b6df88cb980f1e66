"""C files say what the machines say, without a warning, a leak or an overflow."""

import numpy as np
import pytest
from c_programs import compiled, needs_compiler, predicted
from exported_machines import NAMES, fitted, predictions

from pauca.export import to_c

TOLERANCE = {"double": {"atol": 1e-9, "rtol": 1e-6}, "float": {"atol": 2e-6, "rtol": 2e-6}}


def function_of(machine):
    return "model_predict_proba" if hasattr(machine, "predict_proba") else "model_predict"


@needs_compiler
@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("name", NAMES)
def test_c_predicts_what_the_machine_predicts(name, precision, tmp_path):
    machine, X = fitted(name)
    X = X.astype(np.float32).astype(float)
    expected = predictions(machine, X)
    library = compiled(to_c(machine, precision=precision), tmp_path)
    found = predicted(library, X, expected.shape[1], precision, function_of(machine))
    np.testing.assert_allclose(found, expected, **TOLERANCE[precision])
