"""Tables III, IV and VIII of Chen, Tino & Yao 2014, "Efficient probabilistic classification vector machine".

Error and area under the ROC curve in percent, vectors, seconds to fit, of the machines of this library as
they are: vector machines choose their parameters by their evidence, the others by folds, on each training
half. EPCVM is the paper's model with this library's defaults; SparseGP and SparseGP-EP are Gaussian process
machines that the paper does not have. Printed values stand beside LDA and QDA only, which have no
parameters: all others stand in epcvm-median, whose machines and protocol are the paper's.
"""

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import pauca
from pauca.evaluation import Bound, Measure, PaperTable, evaluate

from ..harness.contenders import svm_grid
from ..harness.costs import reason
from ..harness.peers import Searched, SparseLogistic
from ..harness.problems import halves, load, reference_gamma

_PERCENT = {"error", "auc"}
_MEASURES = {
    "error": Measure(),
    "auc": Measure("higher"),
    "log_loss": Measure(),
    "probability_rmse": Measure(),
    "vectors": Measure(None),
    "fit_seconds": Measure(None, compared=False),
    "predict_seconds": Measure(None, compared=False),
}
# Points of error that the mean of a machine may lie above the published one of the machine beside it.
_TOLERANCE = 0.5
_BOUNDED = {"SparseGP": "EPCVM", "SparseGP-EP": "EPCVM-EP"}


_NEIGHBOURS = {"n_neighbors": list(range(1, 21))}
_LOSS = "neg_log_loss"


def _lasso_grid(X):
    return {"C": (0.1, 1.0, 10.0), "gamma": [factor * reference_gamma(X) for factor in (0.1, 1.0, 10.0)]}


METHODS = {
    "kNN": Searched(KNeighborsClassifier(), _NEIGHBOURS),
    "LDA": LinearDiscriminantAnalysis(),
    "QDA": QuadraticDiscriminantAnalysis(reg_param=1e-3),  # some covariances are singular
    "SVM": Searched(SVC(), svm_grid),
    "RVM": pauca.RVMClassifier(),
    "SMLR": Searched(SparseLogistic(), _lasso_grid, scoring=_LOSS, max_rows=500),
    "SparseGP": pauca.SparseGPClassifier(inference="laplace"),
    "SparseGP-EP": pauca.SparseGPClassifier(inference="ep"),
    "EPCVM": pauca.EPCVMClassifier(),
    "EPCVM-EP": pauca.EPCVMClassifier(inference="ep"),
    "PCVM": pauca.PCVMClassifier(),
}


def measure(dataset, split, method):
    """All measures of one machine on one half split."""
    return _evaluate_half(METHODS[method], load(dataset), split)


def _evaluate_half(machine, data, split):
    """All measures of a machine on standardised features of one half split, error and AUC in percent."""
    record = evaluate(make_pipeline(StandardScaler(), machine), data.X, data.y, *halves(data, split))
    return {name: 100 * record[name] if name in _PERCENT else record[name] for name in _MEASURES}


# Columns of the tables; the rows follow by set.
_COLUMNS = {
    "error": ("kNN", "LDA", "QDA", "SVM", "RVM", "SMLR", "PCVM", "EPCVM"),
    "auc": ("kNN", "LDA", "QDA", "SVM", "RVM", "SMLR"),
    "vectors": ("SVM", "RVM", "SMLR", "PCVM", "EPCVM"),
    "fit_seconds": ("EPCVM", "PCVM", "SVM", "RVM", "SMLR", "LDA", "QDA"),
}
_PUBLISHED = {
    "thyroid": (
        (5.25, 13.4, 7.01, 4.57, 5.49, 5.25, 4.91, 5.02),
        (92.63, 78.77, 89.96, 99.05, 98.12, 98.36),
        (54.7, 30.8, 43.7, 8.3, 20.4),
        (0.21, 0.66, 0.17, 0.48, 0.5, 0.0, 0.0),
    ),
    "breast-cancer": (
        (27.15, 33.59, 32.71, 27.31, 28.37, 27.39, 27.08, 26.71),
        (59.33, 64.01, 62.63, 68.23, 67.69, 70.89),
        (117.4, 11.2, 72.8, 12.4, 15.9),
        (0.23, 1.01, 0.14, 1.01, 0.27, 0.06, 0.0),
    ),
    "heart": (
        (16.52, 16.92, 20.52, 16.15, 18.9, 19.52, 16.76, 16.65),
        (82.9, 82.67, 79.3, 90.28, 88.16, 87.16),
        (127.3, 12.1, 25.7, 6.2, 14.8),
        (0.28, 0.47, 0.16, 0.2, 0.19, 0.06, 0.0),
    ),
    "diabetis": (
        (25.7, 24.74, 26.79, 23.5, 24.86, 23.39, 23.35, 23.11),
        (68.3, 74.07, 71.35, 82.94, 81.9, 81.85),
        (380.1, 16.3, 205.3, 17.6, 21.5),
        (1.06, 4.34, 0.25, 5.18, 1.79, 0.0, 0.06),
    ),
    "german": (
        (26.64, 28.65, None, 29.87, 25.85, 25.06, 23.96, 24.09),
        (63.02, 71.05, None, 63.72, 76.37, 77.58),
        (478.4, 32.9, 193.8, 26.8, 63.3),
        (3.04, 9.71, 0.5, 10.61, 4.84, 0.0, 0.0),
    ),
    "image": (
        (4.17, 17.24, 17.59, 5.63, 5.25, 5.89, 5.22, 5.18),
        (95.55, 81.49, 82.4, 98.77, 98.96, 99.03),
        (728.8, 24.3, 511.8, 158.3, 200.3),
        (18.59, 26.17, 1.67, 18.64, 10.96, 0.0, 0.0),
    ),
    "titanic": (
        (24.4, 22.19, 22.54, 21.18, 22.14, 21.18, 22.16, 20.83),
        (68.18, 70.69, 70.97, 75.18, 72.36, 74.8),
        (489.5, 61.4, 826.5, 137.8, 121.1),
        (1.92, 43.18, 0.75, 44.37, 3.0, 0.0, 0.0),
    ),
    "splice": (
        (23.35, 16.13, 13.17, 10.41, 12.1, 11.41, 12.05, 11.3),
        (78.17, 84.13, 86.27, 95.94, 93.54, 95.37),
        (1496.0, 167.2, 504.3, 153.2, 275.9),
        (43.03, 93.52, 2.43, 98.45, 25.51, 0.16, 0.06),
    ),
    "abalone": (
        (21.87, 22.25, 24.33, 21.19, 20.95, 20.98, 22.14, 20.42),
        (78.15, 77.74, 75.64, 86.41, 87.53, 88.23),
        (1221.8, 194.6, 988.9, 371.9, 250.6),
        (29.36, 96.38, 7.52, 106.47, 68.83, 0.08, 0.09),
    ),
    "waveform": (
        (9.87, 17.04, 13.14, 8.86, 9.27, 9.21, 10.23, 9.13),
        (89.66, 87.15, 88.97, 97.08, 96.6, 97.3),
        (2116.0, 237.5, 1180.5, 837.5, 538.2),
        (33.57, 331.97, 9.17, 371.89, 108.01, 0.0, 0.05),
    ),
    "banana": (
        (26.07, 24.24, 26.36, 9.72, 9.76, 9.74, 9.88, 9.62),
        (68.61, 74.53, 71.74, 96.83, 97.06, 96.89),
        (606.6, 264.6, 1881.7, 291.2, 327.2),
        (22.11, 247.13, 2.14, 297.03, 51.76, 0.01, 0.01),
    ),
    "twonorm": (
        (2.64, 2.38, 2.35, 2.42, 2.51, 2.32, 2.36, 2.31),
        (97.36, 97.72, 97.65, 99.74, 98.94, 99.71),
        (3216.0, 769.2, 2245.1, 967.5, 1018.6),
        (49.37, 507.64, 39.36, 532.76, 196.55, 0.03, 0.0),
    ),
    "ringnorm": (
        (27.17, 23.22, 1.84, 1.67, 1.65, 1.68, 1.67, 1.52),
        (72.57, 76.71, 98.56, 99.84, 99.78, 99.75),
        (3169.0, 1728.8, 1563.5, 1421.8, 1849.3),
        (147.76, 489.36, 32.25, 503.79, 156.14, 0.02, 0.0),
    ),
}
# EPCVM by expectation propagation: error, vectors, seconds, area under the ROC curve where it is legible.
_EP_COLUMNS = ("error", "vectors", "fit_seconds", "auc")
_PUBLISHED_EP = {
    "thyroid": (5.16, 9.7, 61.18),
    "breast-cancer": (26.65, 8.3, 3.15, 72.53),
    "heart": (16.65, 11.7, 254.65),
    "diabetis": (23.18, 16.3, 357.16, 82.89),
    "german": (23.85, 31.7, 614.02),
    "image": (5.16, 181.2, 212.58),
    "titanic": (21.02, 116.9, 33.1),
    "splice": (11.27, 118.9, 384.75),
    "abalone": (21.16, 95.6, 1004.9),
    "waveform": (9.16, 281.6, 1481.51),
    "banana": (9.6, 112.6, 1688.82),
    "twonorm": (2.31, 874.1, 1651.04),
    "ringnorm": (1.66, 1213.2, 2127.43),
}
# The one area under the ROC curve of EPCVM by Laplace's method that is legible.
_LEGIBLE_AUC = {"breast-cancer": 72.03}
DATASETS = tuple(_PUBLISHED)


def published_values():
    """Printed values by set and method; what is not legible is left out."""
    values = {(dataset, method): {} for dataset in DATASETS for method in METHODS}
    for dataset, rows in _PUBLISHED.items():
        for (name, methods), row in zip(_COLUMNS.items(), rows, strict=True):
            for method, value in zip(methods, row, strict=True):
                if value is not None:
                    values[dataset, method][name] = value
    for dataset, row in _PUBLISHED_EP.items():
        values[dataset, "EPCVM-EP"] = dict(zip(_EP_COLUMNS, row, strict=False))
    for dataset, value in _LEGIBLE_AUC.items():
        values[dataset, "EPCVM"]["auc"] = value
    return values


# Table I: EPCVM by three engines; what is printed of each set.
PUBLISHED_ENGINES = {
    ("breast-cancer", "HMC"): {"error": 26.61, "auc": 71.94, "vectors": 12, "fit_seconds": 669.1},
    ("breast-cancer", "EP"): {"error": 26.65, "auc": 72.53, "vectors": 9, "fit_seconds": 3.2},
    ("breast-cancer", "Laplace"): {"error": 26.71, "auc": 72.03, "vectors": 16, "fit_seconds": 0.2},
    ("diabetis", "HMC"): {"error": 23.17, "auc": 82.86, "vectors": 23, "fit_seconds": 764.1},
    ("diabetis", "EP"): {"error": 23.18, "auc": 82.89, "vectors": 17, "fit_seconds": 357.2},
    ("diabetis", "Laplace"): {"error": 23.11, "fit_seconds": 1.1},
    ("heart", "HMC"): {"error": 16.37, "fit_seconds": 707.4},
    ("heart", "EP"): {"error": 16.65, "fit_seconds": 254.65},
    ("heart", "Laplace"): {"error": 16.65, "fit_seconds": 0.28},
    ("thyroid", "HMC"): {"error": 4.94, "fit_seconds": 913.1},
    ("thyroid", "EP"): {"error": 5.16, "fit_seconds": 61.18},
    ("thyroid", "Laplace"): {"error": 5.02, "fit_seconds": 0.21},
}

_PRINTED = published_values()
TABLES = (
    PaperTable(
        name="epcvm-evidence",
        title="Chen, Tino & Yao 2014, tables III, IV, VIII: this library's machines, by their own choice",
        datasets=DATASETS,
        methods=tuple(METHODS),
        n_splits=100,
        measure=measure,
        measures=_MEASURES,
        published={},
        bounds=tuple(
            Bound(dataset, ours, "error", round(_PRINTED[dataset, theirs]["error"] + _TOLERANCE, 2))
            for ours, theirs in _BOUNDED.items()
            for dataset in DATASETS
        ),
        unmeasured=reason("epcvm-evidence", 100),
        version=3,  # versions 1 and 2 had other machines under the names EPCVM and EPCVM-EP
    ),
)
