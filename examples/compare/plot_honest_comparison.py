"""
Is one method really better?
============================

Four classifiers on the four classification tables of scikit-learn, fitted and scored on the same random
splits. A bar in the diagram joins methods whose mean ranks do not differ significantly: four tables are
few, and the diagram says so.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pauca import SparseGPClassifier
from pauca.evaluation import Benchmark, analyse, compare, repeated_splits
from pauca.plotting import CriticalDifferenceDisplay, RankBoxesDisplay

methods = {
    "SparseGP": make_pipeline(StandardScaler(), SparseGPClassifier()),
    "random forest": RandomForestClassifier(100, random_state=0),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "naive Bayes": GaussianNB(),
}
benchmarks = {}
for name, load in {
    "cancer": load_breast_cancer,
    "digits": load_digits,
    "iris": load_iris,
    "wine": load_wine,
}.items():
    X, y = load(return_X_y=True)
    X, y = X[:600], y[:600]
    benchmarks[name] = Benchmark(X, y, repeated_splits(y, 3, train_size=0.5, stratify=True), methods)
comparison = compare(benchmarks)
result = analyse(comparison, "log_loss")
print(comparison.scores("log_loss").round(3))

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
CriticalDifferenceDisplay.from_ranks(result.mean_ranks, result.critical_difference, ax=left)
RankBoxesDisplay(result.ranks).plot(ax=right)
figure.suptitle("log-loss on four tables")
plt.show()
