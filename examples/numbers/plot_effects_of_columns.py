"""
The effect of each column
=========================

Progression of diabetes by ten measurements. With ``additive=True`` every column may have an effect of its
own: a curve with a credible band, which sums with the others to the prediction.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from pauca import SparseGPRegressor
from pauca.plotting import plot_effects

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
machine = SparseGPRegressor(additive=True).fit(X, y)
plot_effects(machine)

# %%
# One patient's prediction, part by part.
for part in machine.explain(X.iloc[[0]])[:5]:
    print(f"{part.name:>12}: {part.contribution:+7.1f} ± {part.std:.1f}")
plt.show()
