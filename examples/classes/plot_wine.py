"""
Many classes in one model
=========================

Three kinds of wine by two of their measurements: all classes are learned together, every class has a
colour, and colours mix where the machine is in doubt. The names of the columns come from the data frame.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from pauca import RVMClassifier, SparseGPClassifier
from pauca.plotting import SurfaceDisplay

data = load_wine(as_frame=True)
X, y = data.data[["flavanoids", "color_intensity"]], data.target_names[data.target]
figure, panels = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
for ax, machine in zip(panels, (SparseGPClassifier(), RVMClassifier()), strict=True):
    SurfaceDisplay.from_estimator(machine.fit(X, y), X, y, ax=ax)
    ax.set_title(f"{type(machine).__name__}: {ax.get_title()}")
plt.show()
