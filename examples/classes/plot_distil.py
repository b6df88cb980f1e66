"""
A forest taught to a few vectors
================================

A random forest of 300 trees on the breast cancer data, and students of growing size that learn its
probabilities: how often they decide as the forest does on rows that neither has seen, beside their bytes.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from pauca import distil

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
scaler = StandardScaler().fit(X_train)
X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
forest = RandomForestClassifier(300, random_state=0).fit(X_train, y_train)
sizes, agreements = [], []
for n_vectors in (1, 2, 4, 8):
    small = distil(
        forest, X_train, y_train, max_vectors=n_vectors, extra_rows=0, n_folds=2, held_out=(X_test, y_test)
    )
    sizes.append(small.n_bytes["student"])
    agreements.append(small.agreement)

ax = plt.figure(layout="constrained").subplots()
ax.plot(sizes, agreements, "o-", color="#0072B2")
ax.axvline(small.n_bytes["teacher"], color="#D55E00", linestyle="--", label="the forest")
ax.set(xscale="log", xlabel="bytes", ylabel="decisions like the forest's", ylim=(0.85, 1.01))
ax.legend()
plt.show()
