"""
A forest that asks only the trees it needs
==========================================

A random forest of 501 trees on handwritten digits. Most digits are decided after a few trees; the difficult
ones, shown on the right, need nearly all.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from pauca import InstancePrunedClassifier
from pauca.plotting import QueriesDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
forest = RandomForestClassifier(501, random_state=0).fit(X_train, y_train)
fast = InstancePrunedClassifier(forest, confidence=0.99, random_state=0)
labels, queries = fast.predict(X_test, return_queries=True)

figure = plt.figure(figsize=(11, 4.2), layout="constrained")
left, right = figure.subfigures(1, 2)
display = QueriesDisplay.from_estimator(fast, X_test, ax=left.subplots())
same = np.mean(labels == forest.predict(X_test))
display.ax_.set_title(f"same class as the whole forest: {same:.1%}")
for ax, row in zip(right.subplots(3, 6).flat, np.argsort(-queries), strict=False):
    ax.imshow(X_test[row].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"{queries[row]} trees: {labels[row]}", fontsize=8)
    ax.set(xticks=[], yticks=[])
plt.show()
