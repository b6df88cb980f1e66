"""
Two kinds of doubt
==================

Iris over two measurements. Where classes overlap, more data would not help (noise); far from all rows,
nobody has looked (ignorance). ``predict_uncertainty`` tells them apart, in nats.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from pauca import SparseGPClassifier

data = load_iris(as_frame=True)
chosen = data.target > 0
X, y = data.data.loc[chosen, ["petal length (cm)", "petal width (cm)"]], data.target[chosen]
machine = SparseGPClassifier().fit(X, y)
grid = np.meshgrid(np.linspace(1, 9, 150), np.linspace(0, 4, 150))
points = type(X)(np.column_stack([grid[0].ravel(), grid[1].ravel()]), columns=X.columns)
noise, ignorance = machine.predict_uncertainty(points)

figure, panels = plt.subplots(1, 3, figsize=(13, 4), sharey=True, layout="constrained")
shown = {
    "predicted probability of virginica": machine.predict_proba(points)[:, 1],
    "noise": noise,
    "ignorance": ignorance,
}
for ax, (title, values) in zip(panels, shown.items(), strict=True):
    colours = "RdBu_r" if ax is panels[0] else "cividis"
    filled = ax.contourf(*grid, values.reshape(grid[0].shape), levels=20, cmap=colours)
    for code, marker in ((1, "o"), (2, "s")):
        rows = X[y == code]
        ax.scatter(*rows.to_numpy().T, s=10, marker=marker, color="white", edgecolor="black", linewidth=0.5)
    ax.set(title=title, xlabel=X.columns[0])
    figure.colorbar(filled, ax=ax)
panels[0].set_ylabel(X.columns[1])
plt.show()
