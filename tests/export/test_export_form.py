"""The portable form says what the machine says."""

import numpy as np
import pytest
from exported_machines import NAMES, fitted, predictions


@pytest.mark.parametrize("name", NAMES)
def test_the_form_predicts_what_the_machine_predicts(name):
    machine, X = fitted(name)
    form = machine._portable()
    means, variances = form.latent(X)
    if form.classes is None:
        found = np.column_stack(form.link.numbers(means, variances))
    else:
        found = form.link.probabilities(means, variances)
    np.testing.assert_allclose(found, predictions(machine, X), atol=1e-9, rtol=1e-7)
