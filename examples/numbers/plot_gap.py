"""
Where there are no data
=======================

Mean brightness of the rows of a photograph, with a gap in what the machine may see. The error bars of a
sparse Gaussian process widen in the gap, towards those of the prior. The few columns of a relevance vector
machine hardly reach there, and its mean falls; mixed with a linear model, as by default, its error bars tell
that it does.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from pauca import RVMRegressor, SparseGPRegressor
from pauca.plotting import FitDisplay

brightness = load_sample_image("china.jpg").mean(axis=(1, 2)) / 255
height = np.arange(len(brightness), dtype=float)
seen = ((height < 170) | (height > 260)) & (height % 3 == 0)
X, y = height[seen, None] / 100, brightness[seen]
everything = np.linspace(X.min(), X.max(), 300)

figure, panels = plt.subplots(1, 2, figsize=(12, 4.3), sharey=True, layout="constrained")
for ax, machine in zip(panels, (SparseGPRegressor(), RVMRegressor()), strict=True):
    FitDisplay.from_estimator(
        machine.fit(X, y), X, y, truth=lambda x: np.interp(100 * x, height, brightness), ax=ax
    )
    ax.set(xlabel="height in 100 pixels", ylabel="brightness")
    ax.set_title(f"{type(machine).__name__}: {ax.get_title()}")
plt.show()
