"""
One measurement in ten is nonsense
==================================

Mean brightness of the rows of a photograph, of which every tenth was read wrongly. Student's t learns how
heavy the tails are and hardly follows the outliers; a Gaussian takes them for noise everywhere.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from pauca import SparseGPRegressor

brightness = load_sample_image("china.jpg").mean(axis=(1, 2)) / 255
height = np.arange(0, len(brightness), 3)
rng = np.random.default_rng(0)
X, y = height[:, None] / 100, brightness[height].copy()
wrong = rng.random(len(y)) < 0.1
y[wrong] = rng.uniform(0, 1.3, wrong.sum())

figure, panels = plt.subplots(1, 2, figsize=(12, 4.2), sharey=True, layout="constrained")
for ax, likelihood in zip(panels, ("gaussian", "student_t"), strict=True):
    machine = SparseGPRegressor(likelihood=likelihood).fit(X, y)
    mean = machine.predict(X)
    error = np.sqrt(np.mean(np.square(mean - brightness[height])))
    ax.scatter(X[:, 0], y, s=10, color="#777777", label="measured")
    ax.plot(X[:, 0], brightness[height], "--", color="#D55E00", label="truth")
    ax.plot(X[:, 0], mean, color="#0072B2", label="mean")
    ax.set(xlabel="height in 100 pixels", title=f"{likelihood}: RMSE to the truth {error:.3f}")
panels[0].set_ylabel("brightness")
panels[0].legend()
plt.show()
