"""Stability of rankings of genes, as in section 7.4.2 of the thesis, whose figure 7.3 is drawn again."""

import warnings
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pauca import as_published, datasets, stability
from pauca.evaluation import Stability, Target, Unit
from pauca.plotting import plot_stability

from ..harness.report import Report, Table

# Sets of figure 7.3 and their names there.
SETS = {"golub": "Leukemia", "khan_multiclass": "SRBCT", "hedenfalk": "Mutation", "subramanian": "p53"}
SIZES = (1, 2, 5, 10, 20, 50, 100, 200)
# Resamples of two thirds of the rows in the thesis; a fifth of them for each split that is asked for.
_MOST, _EACH = 50, 10
OURS = "spike and slab, EP"


class RankingSVM(ClassifierMixin, BaseEstimator):
    """Ranking by recursive elimination with a linear SVM (Guyon et al. 2002), half of the genes each time."""

    def fit(self, X, y):
        """Rank the features: those that are eliminated last come first."""
        X = StandardScaler().fit_transform(X)
        self.classes_, kept, eliminated = np.unique(y), np.arange(X.shape[1]), []
        while len(kept):
            svm = SVC(kernel="linear", C=100.0).fit(X[:, kept], y)
            order = np.argsort(np.square(svm.coef_).sum(axis=0), kind="stable")
            n_left = len(kept) // 2
            eliminated.append(kept[order[: len(kept) - n_left]])
            kept = kept[np.sort(order[len(kept) - n_left :])]
        self.ranking_ = np.concatenate(eliminated)[::-1]
        return self

    def predict(self, X):
        """The first class: this machine only ranks."""
        return np.full(len(X), self.classes_[0])


def machines():
    """Ranking machines by name. Gibbs sampling takes hours on all genes and is left out."""
    return {
        OURS: as_published("spike-and-slab"),
        "SVM with elimination": RankingSVM(),
        "random forest": RandomForestClassifier(500, max_features="sqrt", random_state=0),
    }


def run(options, store) -> Report:
    """Kuncheva's index of the first k genes for every set and machine; ``--plot`` draws them."""
    n_resamples = 3 if options.quick else min(_MOST, _EACH * options.splits)
    rows, missing, found = [], [], {}
    for name, title in {"generated": "generated"}.items() if options.quick else SETS.items():
        try:
            X, y = generated() if options.quick else _loaded(name)
        except OSError as error:
            missing.append(f"{name} left out: {error}")
            continue
        sizes = [size for size in SIZES if size < X.shape[1]]
        for machine in machines():
            unit = Unit("stability", name, n_resamples, machine)
            if unit not in store:
                store.put(unit, measure(X, y, machine, n_resamples, sizes))
            index = store[unit]["index"]
            rows.append({"set": title, "machine": machine, **dict(zip(map(str, sizes), index, strict=True))})
            found.setdefault(title, {})[machine] = (sizes, index)
    if options.plot and found:
        draw(found, Path(options.plot))
    note = [f"{n_resamples} random two thirds of each set; p53 takes the place of Down syndrome, not at hand"]
    return Report([Table("Kuncheva's index of the first k genes", rows)], targets(rows), [*missing, *note])


def measure(X, y, machine, n_resamples, sizes):
    """Index for each number of genes, and processor seconds."""
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = stability(X, y, n_resamples, estimator=machines()[machine], sizes=sizes)
    return {"index": found.index.tolist(), "cpu_s": process_time() - start}


def generated():
    """Few rows of many features, three of which matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(45, 60))
    return X, X[:, :3].sum(axis=1) > 0


def _loaded(name):
    data = datasets.load(name, download=False)
    return np.asarray(data.X), data.y


def draw(found, path):
    """A panel for each set, as in figure 7.3."""
    from matplotlib.figure import Figure

    n_columns = min(len(found), 2)
    n_lines = -(-len(found) // n_columns)
    figure = Figure(figsize=(5.5 * n_columns, 4 * n_lines), layout="constrained")
    axes = np.atleast_1d(figure.subplots(n_lines, n_columns, squeeze=False)).ravel()
    for ax, (title, results) in zip(axes, found.items(), strict=False):
        nothing = np.zeros((0, 0), dtype=int)
        plot_stability(
            {name: Stability(np.array(k), np.array(index), nothing) for name, (k, index) in results.items()},
            ax=ax,
        )
        ax.set_title(title)
    for ax in axes[len(found) :]:
        ax.set_axis_off()
    figure.savefig(path, dpi=120)


def targets(rows):
    """The thesis's finding: expectation propagation is more stable than the SVM with elimination."""
    means = {
        name: np.mean(
            [[row[str(k)] for k in SIZES if str(k) in row] for row in rows if row["machine"] == name]
        )
        for name in (OURS, "SVM with elimination")
        if any(row["machine"] == name for row in rows)
    }
    if len(means) < 2:
        return []
    gap = float(means[OURS] - means["SVM with elimination"])
    return [Target("mean stability: EP - SVM with elimination", gap, 0, True)]
