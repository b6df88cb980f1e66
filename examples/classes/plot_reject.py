"""
Leave the doubtful rows to a person
===================================

Handwritten digits, 300 of them to learn from. If a machine may hand over the rows of which it is least
sure, how many errors remain among the others? The risk-coverage curve answers it; the pictures are the rows
that are handed over first.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from pauca import SparseGPClassifier
from pauca.plotting import RiskCoverageDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, train_size=300, random_state=0, stratify=y)
machine = SparseGPClassifier(gamma=0.1).fit(X_train, y_train)
forest = RandomForestClassifier(300, random_state=0).fit(X_train, y_train)

figure = plt.figure(figsize=(11, 4.2), layout="constrained")
left, right = figure.subfigures(1, 2)
display = RiskCoverageDisplay.from_estimator(machine, X_test, y_test, name="SparseGP", ax=left.subplots())
other = RiskCoverageDisplay.from_estimator(
    forest, X_test, y_test, name="random forest", ax=plt.figure().subplots()
)
plt.close(other.figure_)
display.ax_.plot(
    other.coverage, other.curves["random forest"], marker="s", markersize=4, label="random forest"
)
display.ax_.legend()

p = machine.predict_proba(X_test)
for ax, row in zip(right.subplots(3, 6).flat, np.argsort(p.max(axis=1)), strict=False):
    ax.imshow(X_test[row].reshape(8, 8), cmap="gray_r")
    first, second = machine.classes_[np.argsort(-p[row])[:2]]
    ax.set_title(f"{first} or {second}? ({y_test[row]})", fontsize=8)
    ax.set(xticks=[], yticks=[])
right.suptitle("least certain digits (in brackets: truth)")
plt.show()
