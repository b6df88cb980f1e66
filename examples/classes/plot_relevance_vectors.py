"""
Few training rows are enough
============================

Ripley's mixture: predicted probabilities of a sparse Gaussian process and of a relevance vector machine,
and the training rows that each of them keeps (circled).
"""

import matplotlib.pyplot as plt
import numpy as np

from pauca import RVMClassifier, SparseGPClassifier
from pauca.datasets import make_ripley

X, y = make_ripley(250, random_state=0)
horizontal, vertical = np.meshgrid(np.linspace(-1.4, 1.2, 200), np.linspace(-0.3, 1.3, 200))
grid = np.column_stack([horizontal.ravel(), vertical.ravel()])

figure, panels = plt.subplots(1, 2, figsize=(12, 4.5), sharey=True, layout="constrained")
for axes, machine in zip(panels, (SparseGPClassifier(), RVMClassifier()), strict=True):
    surface = machine.fit(X, y).predict_proba(grid)[:, 1].reshape(horizontal.shape)
    filled = axes.contourf(
        horizontal, vertical, surface, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.8
    )
    axes.contour(horizontal, vertical, surface, levels=[0.5], colors="black", linewidths=1)
    axes.scatter(*X.T, c=y, cmap="RdBu_r", edgecolor="white", s=22)
    axes.scatter(*machine.relevance_vectors_.T, s=140, facecolor="none", edgecolor="black", linewidth=1.8)
    axes.set_title(f"{type(machine).__name__}: {len(machine.relevance_)} of {len(y)} rows kept")
figure.colorbar(filled, ax=panels, label="predicted probability of class 1")
plt.show()
