"""
Finding mislabelled digits
==========================

A Bayes machine estimates how many labels are wrong, and for each label the probability that it is. Left: a
circle with 10 % of the labels flipped, the boundary and the labels most likely to be wrong. Right: threes
and eights of scikit-learn's digits, of which 8 % got the other label, in order of the probability of being
wrong; labels that are wrong are in red.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from pauca import BayesMachineClassifier
from pauca.datasets import make_circle
from pauca.plotting import plot_suspects

figure = plt.figure(figsize=(13, 5.5), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(1.1, 1))

X, y = make_circle(200, label_noise=0.1, random_state=0)
machine = BayesMachineClassifier().fit(X, y)
axes = plot_suspects(
    machine, X, y, truth=lambda rows: (np.square(rows).sum(axis=1) > 0.5).astype(float), ax=left.subplots()
)
axes.legend(loc="upper right", fontsize=8)

images, digits = load_digits(return_X_y=True)
chosen = np.isin(digits, (3, 8))
images, digits = images[chosen] / 16, digits[chosen]
flipped = np.random.default_rng(0).random(len(digits)) < 0.08
labels = np.where(flipped, 11 - digits, digits)
machine = BayesMachineClassifier().fit(images, labels)
ranking = np.argsort(-machine.flip_probability_)
n_flipped = flipped.sum()
found = flipped[ranking[:n_flipped]].sum()
right.suptitle(
    f"noise {100 * machine.noise_:.1f} % (truth {100 * flipped.mean():.1f} %); {found} of {n_flipped} wrong "
    f"labels\namong the {n_flipped} most probable of {len(labels)}"
)
for axes, row in zip(right.subplots(4, 7).flat, ranking, strict=False):
    axes.imshow(images[row].reshape(8, 8), cmap="gray_r")
    colour = "tab:red" if flipped[row] else "tab:grey"
    axes.set_title(f"“{labels[row]}”  {machine.flip_probability_[row]:.2f}", fontsize=8, color=colour)
    axes.set(xticks=[], yticks=[])
plt.show()
