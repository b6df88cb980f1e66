"""Machines that are compared: pauca's and their peers, with the settings they run with."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import ARDRegression, LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC, SVR

from pauca import (
    BayesMachineClassifier,
    EPCVMClassifier,
    RVMClassifier,
    RVMRegressor,
    SparseBayesMachineClassifier,
    SparseGPClassifier,
)

from .peers import searched, with_probabilities
from .problems import reference_gamma

RVM_GIVEN = "RVM, gamma given"
RVM_EVIDENCE = 'RVM, gamma="evidence"'
EPCVM_GIVEN = "EPCVM, gamma given"
EPCVM_EVIDENCE = 'EPCVM, gamma="evidence"'
SPARSE_GP_GIVEN = "SparseGP, gamma given"
SPARSE_GP_EP_GIVEN = "SparseGP by EP, gamma given"
SPARSE_GP_EVIDENCE = 'SparseGP, gamma="evidence"'
SPARSE_GP_FIXED_SIZE = "SparseGP, fixed size"
SPARSE_GP_ONE_VS_REST = "SparseGP, one-vs-rest"
BAYES_GIVEN = "BM, gamma given"
BAYES_EVIDENCE = 'BM, gamma="evidence"'
SPARSE_BAYES_50, SPARSE_BAYES_300 = "SBM, 50 active rows", "SBM, 300 active rows"
SVC_CALIBRATED = "SVC, calibrated"
SVC_GRID = "SVC, 5x5 grid, calibrated"
SVC_PLATT = "SVC(probability=True)"
GP_CLASSIFIER = "GaussianProcessClassifier"
FASTRVM = "fastrvm"
# Grid of support vector machines: C, and gamma in multiples of the reference gamma; set by hand.
_COSTS = np.logspace(-1, 3, 5)
_WIDTHS = np.logspace(-2, 2, 5)
# Landmarks of the Nystroem approximation; set by hand.
_N_LANDMARKS = 300
# `min_gain` in nats for each training row, which keeps about as many vectors whatever the number of rows; set
# by hand.
_GAIN_PER_ROW = 5e-4


@dataclass(frozen=True)
class Contender:
    """A machine by name: how it is fitted, how many rows or landmarks it keeps, its limit in training rows.

    Peers are imported when they are fitted: one that is missing or broken fails alone, with its reason.
    """

    name: str
    fit: Callable[[np.ndarray, np.ndarray], Any]
    n_vectors: Callable[[Any], int | None]
    max_rows: float = np.inf


def classifiers() -> list[Contender]:
    """Classifiers with predicted probabilities, of the section ``speed``."""
    return [
        Contender(RVM_GIVEN, _gamma_given(RVMClassifier), _relevance),
        Contender(RVM_EVIDENCE, lambda X, y: RVMClassifier().fit(X, y), _relevance),
        Contender(EPCVM_GIVEN, _gamma_given(EPCVMClassifier), _relevance),
        Contender(EPCVM_EVIDENCE, lambda X, y: EPCVMClassifier().fit(X, y), _relevance),
        Contender(SPARSE_GP_GIVEN, _gamma_given(SparseGPClassifier), _relevance),
        Contender(SPARSE_GP_EVIDENCE, lambda X, y: SparseGPClassifier().fit(X, y), _relevance),
        Contender(SVC_CALIBRATED, lambda X, y: _calibrated({"gamma": reference_gamma(X)}, X, y), _support),
        Contender(SVC_GRID, lambda X, y: _calibrated(_svm_search(SVC(), X, y, None), X, y), _support),
        Contender(
            f"{SVC_GRID}, all cores", lambda X, y: _calibrated(_svm_search(SVC(), X, y, -1), X, y), _support
        ),
        Contender(SVC_PLATT, _platt, lambda model: len(model.support_)),
        Contender("Nystroem + LogisticRegression", _nystroem, lambda model: model[0].n_components),
        Contender(GP_CLASSIFIER, _gp_classifier, lambda model: len(model.base_estimator_.X_train_), 1000),
        Contender(FASTRVM, _fastrvm_classifier, _relevance),
        Contender("sklearn-rvm", _sklearn_rvm, _relevance, 250),
    ]


def named(*names: str) -> list[Contender]:
    """Classifiers of these names, among them variants that are not in `classifiers`."""
    more = [
        Contender(SPARSE_GP_EP_GIVEN, _gamma_given(partial(SparseGPClassifier, inference="ep")), _relevance),
        Contender(SPARSE_GP_FIXED_SIZE, _fixed_size, _relevance),
        Contender(SPARSE_GP_ONE_VS_REST, _one_vs_rest, _relevance_in_any),
        Contender(SPARSE_BAYES_50, _active_rows(50), _relevance),
        Contender(SPARSE_BAYES_300, _active_rows(300), _relevance),
    ]
    return [contender for contender in (*classifiers(), *more) if contender.name in names]


def bayes_machines() -> list[Contender]:
    """Bayes machines and the Gaussian process classifier with its optimiser."""
    return [
        Contender(BAYES_GIVEN, _gamma_given(BayesMachineClassifier), _relevance),
        Contender(BAYES_EVIDENCE, lambda X, y: BayesMachineClassifier().fit(X, y), _relevance),
        *named(GP_CLASSIFIER),
    ]


def regressors() -> list[Contender]:
    """Regressors, with standard deviations where they have them."""
    return [
        Contender(RVM_GIVEN, _gamma_given(RVMRegressor), _relevance),
        Contender(RVM_EVIDENCE, lambda X, y: RVMRegressor().fit(X, y), _relevance),
        Contender("SVR, 5x5 grid", _svr, lambda model: len(model.support_)),
        Contender("GaussianProcessRegressor", gp_regressor, lambda model: len(model.X_train_), 1000),
        Contender("ARDRegression, linear", lambda X, y: ARDRegression().fit(X, y), lambda model: None),
        Contender("ARDRegression, kernel columns", _ard_kernel, _kept_columns, 250),
        Contender(FASTRVM, _fastrvm_regressor, _relevance),
    ]


def _gamma_given(machine):
    return lambda X, y: machine(gamma=reference_gamma(X)).fit(X, y)


def _fixed_size(X, y):
    return SparseGPClassifier(gamma=reference_gamma(X), min_gain=_GAIN_PER_ROW * len(y)).fit(X, y)


def _one_vs_rest(X, y):
    return OneVsRestClassifier(SparseGPClassifier()).fit(X, y)


def _relevance_in_any(model):
    return len(np.unique(np.concatenate([machine.relevance_ for machine in model.estimators_])))


def _active_rows(n_active):
    return lambda X, y: SparseBayesMachineClassifier(n_active=n_active).fit(X, y)


def svm_grid(X):
    """Grid of five values of C and five of gamma."""
    return {"C": _COSTS, "gamma": _WIDTHS * reference_gamma(X)}


def _svm_search(machine, X, y, n_jobs):
    """Best C and gamma of the grid by five folds."""
    return searched(machine, svm_grid(X)).set_params(n_jobs=n_jobs).fit(X, y).best_params_


def _calibrated(parameters, X, y):
    return with_probabilities(SVC(**parameters)).fit(X, y)


def _platt(X, y):
    return SVC(gamma=reference_gamma(X), probability=True, random_state=0).fit(X, y)


def _svr(X, y):
    return SVR(**_svm_search(SVR(), X, y, None)).fit(X, y)


def _nystroem(X, y):
    landmarks = Nystroem(gamma=reference_gamma(X), n_components=min(_N_LANDMARKS, len(X)), random_state=0)
    return make_pipeline(landmarks, LogisticRegression(max_iter=1000)).fit(X, y)


def _gp_kernel(X, ard=False):
    """Scaled Gaussian kernel that starts at the reference width, with a width for each feature if ``ard``."""
    return 1.0 * RBF((2 * reference_gamma(X)) ** -0.5 * np.ones(X.shape[1] if ard else 1))


def _gp_classifier(X, y):
    return GaussianProcessClassifier(_gp_kernel(X), random_state=0).fit(X, y)


def gp_regressor(X, y, ard=False):
    """Gaussian process regression with noise, all hyperparameters by scikit-learn's optimiser."""
    kernel = _gp_kernel(X, ard) + WhiteKernel()
    return GaussianProcessRegressor(kernel, normalize_y=True, random_state=0).fit(X, y)


def _ard_kernel(X, y):
    columns = FunctionTransformer(rbf_kernel, kw_args={"Y": X, "gamma": reference_gamma(X)})
    return make_pipeline(columns, ARDRegression()).fit(X, y)


def _fastrvm_classifier(X, y):
    from fastrvm import RVC

    return RVC(gamma=reference_gamma(X), fit_intercept=True).fit(X, y)


def _fastrvm_regressor(X, y):
    from fastrvm import RVR

    return RVR(gamma=reference_gamma(X), fit_intercept=True).fit(X, y)


def _sklearn_rvm(X, y):
    from sklearn_rvm import EMRVC

    return EMRVC(gamma=reference_gamma(X)).fit(X, y)


def _relevance(model):
    return len(model.relevance_vectors_)


def _support(model):
    return len(model.calibrated_classifiers_[0].estimator.support_)


def _kept_columns(model):
    return int(np.count_nonzero(model[-1].coef_))
