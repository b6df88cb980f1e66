"""
A boosted classifier that stops early
=====================================

Gradient boosting on handwritten digits, evaluated tree by tree until no later tree can change the class.
The certificate is exact: every class is that of all trees.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from pauca import InstancePrunedBoostingClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
boosted = HistGradientBoostingClassifier(max_iter=60, random_state=0).fit(X_train, y_train)
fast = InstancePrunedBoostingClassifier(boosted)
labels, queries = fast.predict(X_test, return_queries=True)
same = np.mean(labels == boosted.predict(X_test))

ax = plt.figure(layout="constrained").subplots()
ax.hist(queries, bins=40, color="#0072B2")
ax.axvline(queries.mean(), color="#222222", linestyle="--", label=f"mean {queries.mean():.0f}")
ax.set(xlabel="trees evaluated", ylabel="rows", title=f"same class as all trees: {same:.1%}")
ax.legend()
plt.show()
