"""Table 7.2 of D. Hernández-Lobato's thesis (2009): errors of classifiers on microarrays.

50 random splits, two thirds to train; features standardised on the training rows. Before that every set is
prepared as the thesis says: intensities are cut at a floor and at 16,000, genes of little variation are
removed, logarithms are taken, and every array (row) is brought to mean zero and variance one. The last step
decides for the diagonal discriminant: on Colon it has 16 % with it and 33 % without.

Twelve of the fifteen sets are here; Adenocarcinoma, Down Syndrome and Ovarian are not to be had. Brain B
comes with fewer genes than in the thesis (857 of 2,275), the two sets of breast tumours without logarithms.
Differences: recursive elimination removes half of the features each time, and five folds choose how many
stay; the random forest has 500 trees and keeps all features; thresholds of the shrunken centroids and the
number of neighbours by five folds. As its features the spike-and-slab classifier has those with a
probability of at least one half; it predicts with all of them.
"""

import warnings
from time import perf_counter

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC

from pauca import SpikeSlabClassifier, as_published
from pauca.evaluation import Measure, PaperTable

from ..genes.peers import DiagonalDiscriminant, EliminatingSVM, FeatureRVM, TunedByFolds
from ..harness.costs import reason
from ..harness.printed import printed_spread
from ..harness.problems import load, standardised

# Smallest intensity of the sets that are cut, of single-channel arrays; the largest one.
_FLOORS = {"brain_a": 100, "brain_b": 20, "brain_c": 100, "golub": 100}
_CEILING = 16_000
# Genes must vary by more than this ratio and this difference of intensities.
_LEAST_RATIO, _LEAST_RANGE = 5, 500
# Sets of positive values whose logarithms are taken without a cut.
_POSITIVE = "alon", "hedenfalk"
# Sets whose genes are standardised before the arrays.
_BY_GENES = "brain_b", "brain_c", "hedenfalk"
METHODS = {
    "EP Gaussian": as_published("spike-and-slab-gaussian"),
    "EP": as_published("spike-and-slab"),
    "MCMC": as_published("spike-and-slab-gibbs"),
    "SVM": SVC(kernel="linear", C=100),
    "kNN": TunedByFolds(KNeighborsClassifier(), "n_neighbors", tuple(range(1, 20, 2))),
    "DLDA": DiagonalDiscriminant(),
    "RFE": EliminatingSVM(),
    "RVM": FeatureRVM(),
    "NSC": TunedByFolds(NearestCentroid(), "shrink_threshold", (None, *np.linspace(0.5, 5, 10))),
    "RF": RandomForestClassifier(500, random_state=0),
}
_MEASURES = {
    "error": Measure(),
    "features": Measure(None),
    "fit_seconds": Measure(None, compared=False),
    "predict_seconds": Measure(None, compared=False),
}
_COLUMNS = ("EP Gaussian", "EP", "MCMC", "SVM", "kNN", "DLDA", "RFE", "RVM", "NSC", "RF")
_PUBLISHED = {
    "brain_a": (5.4, 4.9, 4.9, 2.3, 0.6, 6.9, 5.7, 14.6, 18.3, 18.0),
    "brain_b": (28.4, 21.3, 24.7, 15.1, 24.4, 17.5, 20.0, 24.2, 18.4, 23.8),
    "brain_c": (39.9, 37.7, 39.2, 33.8, 40.0, 38.6, 38.3, 45.1, 38.5, 42.4),
    "west": (12.2, 12.1, 12.4, 12.5, 18.9, 13.6, 17.1, 16.4, 15.6, 20.2),
    "west_nodal": (38.5, 33.4, 35.6, 41.1, 44.0, 39.4, 33.6, 27.0, 30.4, 34.9),
    "alon": (17.3, 16.3, 17.2, 17.6, 28.8, 16.4, 19.0, 18.8, 13.9, 23.4),
    "golub": (6.0, 4.2, 5.4, 2.0, 5.7, 2.8, 3.2, 6.1, 3.9, 5.8),
    "lymphoma": (4.2, 4.0, 4.2, 0.5, 2.0, 1.6, 2.8, 3.0, 3.3, 5.6),
    "veer": (36.2, 36.0, 36.4, 38.8, 42.2, 35.6, 38.3, 38.5, 38.2, 38.5),
    "hedenfalk": (13.7, 12.0, 12.9, 24.0, 24.0, 23.1, 23.1, 32.6, 27.4, 38.3),
    "prostate": (9.0, 9.2, 7.8, 9.4, 20.0, 37.6, 8.8, 10.4, 10.8, 8.9),
    "khan": (4.7, 4.0, 3.9, 3.9, 21.6, 7.7, 3.1, 5.4, 3.7, 8.4),
}


def problem(dataset, split):
    """Two thirds of a set to train on, one third to test, in single precision."""
    data = load(dataset.removesuffix("_nodal"))
    y = data.extras["y_nodal"] if dataset == "west_nodal" else data.y
    X = np.float32(prepared(dataset, data.X))
    if len(data.splits) > split:
        train, test = data.splits[split]
    else:
        order = np.random.default_rng([split, *dataset.encode()]).permutation(len(y))
        train, test = np.split(order, [round(2 * len(y) / 3)])
    return standardised(dataset, X[train], y[train], X[test], y[test])


def prepared(dataset, X):
    """Logarithms of the genes that vary, every array with mean zero and variance one."""
    if dataset in _FLOORS:
        X = np.clip(X, _FLOORS[dataset], _CEILING)
        low, high = X.min(axis=0), X.max(axis=0)
        X = X[:, (high > _LEAST_RATIO * low) & (high - low > _LEAST_RANGE)]
    if dataset in _FLOORS or dataset in _POSITIVE:
        X = np.log10(X)
    if dataset in _BY_GENES:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    return (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)


def measure(dataset, split, method):
    """Error in percent, features used and seconds of one machine on one split."""
    rows, machine = problem(dataset, split), clone(METHODS[method])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = perf_counter()
        machine.fit(rows.X, rows.y)
        fitted = perf_counter()
    predicted = machine.predict(rows.X_test)
    return {
        "error": 100 * float(np.mean(predicted != rows.y_test)),
        "features": _n_features(machine),
        "fit_seconds": fitted - start,
        "predict_seconds": perf_counter() - fitted,
    }


def _n_features(machine):
    """Number of features that a machine selected; None if it selects none."""
    if isinstance(machine, SpikeSlabClassifier) and machine.prior != "gaussian":
        return int(machine.get_support().sum())
    if isinstance(getattr(machine, "best_estimator_", None), NearestCentroid):
        centroids = machine.best_estimator_.centroids_
        return int(np.any(np.abs(centroids - centroids.mean(axis=0)) > 1e-9, axis=0).sum())
    return getattr(machine, "n_features_", None)


TABLES = (
    PaperTable(
        name="microarrays",
        spread=printed_spread("microarrays"),
        title="Hernández-Lobato 2009, table 7.2: error in percent on microarrays",
        datasets=tuple(_PUBLISHED),
        methods=tuple(METHODS),
        n_splits=50,
        measure=measure,
        measures=_MEASURES,
        published={
            (dataset, method): {"error": value}
            for dataset, values in _PUBLISHED.items()
            for method, value in zip(_COLUMNS, values, strict=True)
        },
        unmeasured=reason("microarrays", 50),
        version=2,  # version 1 did not standardise the arrays
    ),
)
