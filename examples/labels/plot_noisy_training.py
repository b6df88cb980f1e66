"""
Learning from labels of which many are wrong
============================================

Breast cancer data whose training labels are flipped with a growing probability; the labels of the test rows
are right. A Bayes machine estimates how many are wrong and learns past them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pauca import BayesMachineClassifier, SparseGPClassifier

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
levels = [0.0, 0.1, 0.2, 0.3]
machines = {
    "Bayes machine": BayesMachineClassifier(gamma=0.01),
    "SparseGP": SparseGPClassifier(gamma=0.01),
    "SVC": SVC(gamma=0.01, C=10),
}
errors = {name: np.zeros(len(levels)) for name in machines}
estimated = np.zeros(len(levels))
for seed in range(3):
    X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=150, random_state=seed, stratify=y)
    chance = np.random.default_rng(seed).random(len(y_train))
    for place, level in enumerate(levels):
        labels = np.where(chance < level, 1 - y_train, y_train)
        for name, machine in machines.items():
            errors[name][place] += np.mean(machine.fit(X_train, labels).predict(X_test) != y_test) / 3
        estimated[place] += machines["Bayes machine"].noise_ / 3

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.3), layout="constrained")
for (name, error), marker, colour in zip(
    errors.items(), "os^", ("#0072B2", "#D55E00", "#009E73"), strict=True
):
    left.plot(levels, error, marker=marker, color=colour, label=name)
left.set(xlabel="fraction of wrong training labels", ylabel="error on right labels")
left.legend()
right.plot(levels, estimated, "o-", color="#0072B2", label="estimated")
right.plot(levels, levels, "--", color="#777777", label="truth")
right.set(xlabel="fraction of wrong training labels", ylabel="noise_")
right.legend()
plt.show()
