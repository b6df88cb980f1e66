"""Every public estimator is exported by a test, or refuses and names the remedy."""

import numpy as np
import pytest
from exported_machines import _MACHINES
from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

import pauca
from pauca.datasets import make_friedman1, make_ripley
from pauca.export import CannotExport, portable_of, to_c

X, Y = make_ripley(60, random_state=0)
NUMBERS = make_friedman1(60, random_state=0)
MACHINES = {type(make()) for make, _ in _MACHINES.values()}
FOREST, NUMBER_FOREST = RandomForestClassifier(5), RandomForestRegressor(5)
# Ensembles of trees, and whether the plain C of their stopping rule or votes exists.
ENSEMBLES = {
    pauca.InstancePrunedClassifier(FOREST): True,
    pauca.PrunedEnsembleClassifier(FOREST): True,
    pauca.InstancePrunedRegressor(NUMBER_FOREST): False,
    pauca.PrunedEnsembleRegressor(NUMBER_FOREST): False,
}
REFUSED = (
    pauca.AdaptiveForestClassifier(0.9, max_trees=20),
    pauca.AdaptiveForestRegressor(0.9, max_trees=20),
    pauca.InstancePrunedBoostingClassifier(GradientBoostingClassifier(n_estimators=3)),
    pauca.InstancePrunedBoostingRegressor(GradientBoostingRegressor(n_estimators=3)),
    pauca.InstancePrunedWeightedClassifier(AdaBoostClassifier(n_estimators=3)),
    pauca.PrunedBoostingClassifier(GradientBoostingClassifier(n_estimators=3)),
    pauca.PrunedBoostingRegressor(GradientBoostingRegressor(n_estimators=3)),
)


def _fitted(estimator):
    return estimator.fit(*(NUMBERS if "Regressor" in type(estimator).__name__ else (X, Y)))


def test_no_estimator_is_forgotten():
    found = {value for value in (getattr(pauca, name) for name in pauca.__all__) if _is_estimator(value)}
    known = MACHINES | {type(each) for each in (*ENSEMBLES, *REFUSED)}
    assert {each.__name__ for each in found} == {each.__name__ for each in known}


def _is_estimator(value):
    return isinstance(value, type) and issubclass(value, BaseEstimator)


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=lambda each: type(each).__name__)
def test_ensembles_have_a_portable_form(ensemble):
    form = portable_of(_fitted(ensemble))
    assert len(form.members) <= 5
    if ENSEMBLES[ensemble]:
        assert "model_predict_proba" in to_c(ensemble)
        return
    with pytest.raises(CannotExport, match="use to_onnx"):
        to_c(ensemble)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", REFUSED, ids=lambda each: type(each).__name__)
def test_other_estimators_name_the_remedy(estimator):
    with pytest.raises(CannotExport, match=f"{type(estimator).__name__}.*pauca.distil"):
        portable_of(_fitted(estimator))


def _linear(a, b):
    return a @ np.asarray(b).T


MODES = {
    "a kernel that is a function": (pauca.SparseGPClassifier(_linear), "fit with one of 'rbf'"),
    "base rates far away": (pauca.RVMClassifier(fallback=True), "fit with fallback=False"),
    "an extra basis function": (pauca.RVMRegressor(extra_basis=True, fallback=False), "extra_basis=False"),
}


@pytest.mark.parametrize("mode", MODES)
def test_modes_that_cannot_be_exported_name_the_remedy(mode):
    machine, remedy = MODES[mode]
    with pytest.raises(CannotExport, match=remedy):
        to_c(_fitted(machine))


def test_a_kernel_matrix_cannot_be_exported():
    machine = pauca.SparseGPClassifier("precomputed").fit(X @ X.T + 1.0, Y)
    with pytest.raises(CannotExport, match="fit on features"):
        to_c(machine)
