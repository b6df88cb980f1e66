"""
Relevance vectors of Ripley's mixture
=====================================

The probability surface of a relevance vector machine and the few training rows that carry it.
"""

import matplotlib.pyplot as plt
import numpy as np

from pauca import RVMClassifier
from pauca.datasets import make_ripley

X, y = make_ripley(250, random_state=0)
machine = RVMClassifier().fit(X, y)

horizontal, vertical = np.meshgrid(np.linspace(-1.4, 1.2, 200), np.linspace(-0.3, 1.3, 200))
grid = np.column_stack([horizontal.ravel(), vertical.ravel()])
surface = machine.predict_proba(grid)[:, 1].reshape(horizontal.shape)

figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
filled = axes.contourf(horizontal, vertical, surface, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.8)
axes.contour(horizontal, vertical, surface, levels=[0.5], colors="black", linewidths=1)
axes.scatter(*X.T, c=y, cmap="RdBu_r", edgecolor="white", s=22)
axes.scatter(*machine.relevance_vectors_.T, s=140, facecolor="none", edgecolor="black", linewidth=1.8)
axes.set_title(f"{len(machine.relevance_)} of {len(y)} rows kept")
figure.colorbar(filled, label="probability of class 1")
plt.show()
