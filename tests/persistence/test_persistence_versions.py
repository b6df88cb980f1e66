"""Files that were written with scikit-learn 1.6.0, numpy 2.0.0 and skops 0.13.0, the oldest supported.

They were compressed afterwards to take less room; their models learned from sixty rows of Ripley's mixture.
"""

from pathlib import Path

import numpy as np
import pytest
import sklearn

import pauca
from pauca.datasets import make_ripley
from pauca.persistence import UntrustedModel

OLD = Path(__file__).parent / "scikit_learn_1_6"
PREDICTIONS = dict(np.load(OLD / "predictions.npz"))


@pytest.mark.parametrize("name", ["machine", "votes", "means"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_models_of_an_older_scikit_learn_predict_as_they_did(name):
    X, _ = make_ripley(60, random_state=0)
    model = pauca.load(OLD / f"{name}.model")
    np.testing.assert_allclose(model.predict(X), PREDICTIONS[name], rtol=1e-12)


def test_machines_do_not_warn_of_other_versions():
    pauca.load(OLD / "machine.model")  # a warning is an error here: no part of it is scikit-learn's


@pytest.mark.skipif(sklearn.__version__.startswith("1.6"), reason="its losses have the names of this version")
def test_models_that_no_other_version_reads_say_so():
    with pytest.raises(
        UntrustedModel, match=r"scikit-learn 1\.6\.0 \(here .*\).*: load it with these versions"
    ):
        pauca.load(OLD / "boosted.model")


def test_the_header_has_the_versions():
    from pauca.persistence.archive import read_archive

    _, header = read_archive(OLD / "votes.model")
    assert header["versions"]["scikit-learn"] == "1.6.0"
    assert header["versions"]["numpy"] == "2.0.0"
