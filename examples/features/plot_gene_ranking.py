"""
Which genes matter, and with what probability
=============================================

Simulated data of 120 patients and 1000 genes in correlated groups; three genes determine the classes. After
figures 7.1 to 7.3 of D. Hernández-Lobato's thesis (2009): the inclusion probability of every gene, the
expression of the best ones in all patients, and how stable their ranking is; and the log evidence over the
expected number of genes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier

from pauca import SpikeSlabClassifier, stability
from pauca.plotting import plot_expression, plot_inclusion, plot_stability

N_PATIENTS, N_GROUPS, GROUP_SIZE = 120, 250, 4
CAUSES = [100, 400, 700]


def draw_patients(seed=0):
    """Genes with correlation 0.3 within their groups, and a disease that depends on three of them."""
    rng = np.random.default_rng(seed)
    common = np.repeat(rng.normal(size=(N_PATIENTS, N_GROUPS)), GROUP_SIZE, axis=1)
    X = np.sqrt(0.3) * common + np.sqrt(0.7) * rng.normal(size=(N_PATIENTS, N_GROUPS * GROUP_SIZE))
    risk = X[:, CAUSES] @ [1.5, -1.5, 1.0]
    return X, np.where(risk + rng.normal(size=N_PATIENTS) > 0, "ill", "healthy")


def draw_evidence(axes, X, y):
    """Draw the log evidence over the expected number of features of the prior."""
    numbers = 2.0 ** np.arange(-1, 9)
    axes.plot(
        numbers, [SpikeSlabClassifier(number).fit(X, y).log_evidence_ for number in numbers], marker="o"
    )
    axes.axvline(len(CAUSES), color="grey", linewidth=0.8, label="true number")
    axes.set(xscale="log", xlabel="expected features", ylabel="log evidence")
    axes.legend()


X, y = draw_patients()
machine = SpikeSlabClassifier().fit(X, y)
figure, panels = plt.subplots(2, 2, figsize=(14, 9), layout="constrained")
plot_inclusion(machine, ax=panels[0, 0])
plot_expression(machine, X, y, top=12, ax=panels[0, 1])
rankings = {
    "spike and slab": stability(X, y, 20),
    "random forest": stability(X, y, 20, estimator=RandomForestClassifier(100, random_state=0)),
}
plot_stability(rankings, ax=panels[1, 0])
draw_evidence(panels[1, 1], X, y)
plt.show()
