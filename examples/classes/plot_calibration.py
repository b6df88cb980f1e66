"""
Are the probabilities right?
============================

Reliability diagrams on held-out rows of the breast cancer data, over six random halves: among the rows to
which a classifier gives 70 %, seven in ten should be malignant. The machine is calibrated without held-out
rows; a forest is too cautious, an SVM needs a cross-validation of its own.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pauca import SparseGPClassifier
from pauca.plotting import ReliabilityDisplay

X, y = load_breast_cancer(return_X_y=True)
machines = {
    "SparseGP": make_pipeline(StandardScaler(), SparseGPClassifier()),
    "random forest": RandomForestClassifier(200, random_state=0),
    "calibrated SVC": make_pipeline(StandardScaler(), CalibratedClassifierCV(SVC(), ensemble=False)),
}
labels, predictions = [], {name: [] for name in machines}
for seed in range(6):
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
    labels.append(y_test)
    for name, machine in machines.items():
        predictions[name].append(machine.fit(X_train, y_train).predict_proba(X_test)[:, 1])
labels = np.concatenate(labels)

# %%
# The log-loss sums it up: smaller is better.

figure, panels = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
for ax, (name, p) in zip(panels, predictions.items(), strict=True):
    ReliabilityDisplay.from_predictions(labels, np.concatenate(p), name=name, ax=ax)
    ax.set_title(f"{name}: log-loss {log_loss(labels, np.concatenate(p)):.3f}")
plt.show()
