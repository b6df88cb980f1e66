"""
How many trees are enough?
==========================

Out-of-bag votes of a small forest tell how many trees agree with infinitely many: few for the wines, several
times as many for handwritten digits, where more rows lie near a tie.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier

from pauca import ensemble_size
from pauca.plotting import RequiredSizesDisplay, VoteSharesDisplay

figure, panels = plt.subplots(2, 2, figsize=(11, 7.5), layout="constrained")
for (left, right), (name, load) in zip(
    panels, {"wine": load_wine, "digits": load_digits}.items(), strict=True
):
    X, y = load(return_X_y=True)
    estimate = ensemble_size(RandomForestClassifier(random_state=0), X, y, confidence=0.99)
    VoteSharesDisplay(estimate, bins=25).plot(ax=left)
    left.set_title(f"{name}: {left.get_title()}", fontsize="medium")
    RequiredSizesDisplay(estimate).plot(ax=right)
plt.show()
