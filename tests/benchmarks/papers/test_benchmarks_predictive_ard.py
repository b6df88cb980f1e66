"""Studies of predictive ARD: every method is measured, ridge probit."""

import numpy as np
import pytest
from benchmarks.papers import predictive_ard

from pauca.inference import ep
from pauca.likelihoods import Probit
from pauca.priors import ARD


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", predictive_ard.METHODS)
def test_every_method_of_predictive_ard_is_measured(method):
    record = predictive_ard.measure("synthetic", 0, method)
    assert 15 < record["error"] < 50
    assert 1 <= record["terms"] <= 200


def test_all_terms_with_one_precision_are_those_of_ridge_probit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 30))
    y = X[:, 0] > 0
    machine = predictive_ard.PlainEP().fit(X, y)
    evidences = []
    for precision in predictive_ard._PRECISIONS * 30:
        prior = ARD(np.append(1e-3, np.full(30, precision)))
        Phi = np.column_stack([np.ones(20), X])
        evidences.append(ep(Probit(), prior, Phi, np.where(y, 1.0, -1.0), np.ones(20)).log_evidence)
    assert machine.posterior_.log_evidence == pytest.approx(max(evidences), abs=1e-3)
