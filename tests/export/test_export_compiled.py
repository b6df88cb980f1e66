"""Compiled predictors say what the machines say, from threads and after pickling, too."""

import numpy as np
import pytest
from exported_machines import NAMES, fitted, predictions


def outputs(predictor, X):
    """Predictions in the columns of `predictions`."""
    if predictor.classes_ is not None:
        return predictor.predict_proba(X)
    return np.column_stack(predictor.predict(X, return_std=True))


@pytest.mark.parametrize("name", NAMES)
def test_single_rows_are_predicted_as_by_the_machine(name):
    machine, X = fitted(name)
    predictor = machine.compiled()
    assert predictor.is_compiled == ("draws" not in name)
    rows = np.vstack([outputs(predictor, row) for row in X])
    np.testing.assert_allclose(rows, predictions(machine, X), atol=1e-9, rtol=1e-6)
    few = outputs(predictor, X[:20])
    np.testing.assert_allclose(few, rows[:20], rtol=1e-12)
