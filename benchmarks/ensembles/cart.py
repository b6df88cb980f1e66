"""Classification trees as Breiman, Friedman, Olshen & Stone prune them in their book of 1984."""

from copy import copy

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

_FOLDS = 10
# Prunes every tree to its root: no branch lowers the share of misclassified rows by as much.
_ROOT = 1.0


class Cart(DecisionTreeClassifier):
    """Tree that is grown by Gini's index and pruned by cost and complexity, its misclassified rows the cost.

    Scikit-learn's own trees are pruned by Gini's index, too.
    """

    def _prune_tree(self):
        shares = self.tree_.value[:, 0]
        self.tree_.impurity[:] = 1 - shares.max(axis=1) / shares.sum(axis=1)
        super()._prune_tree()

    def pruned(self, ccp_alpha):
        """Copy that is pruned by a constant; this tree keeps its branches."""
        tree = copy(self).set_params(ccp_alpha=ccp_alpha)
        tree._prune_tree()
        return tree


def one_standard_error_alpha(problem):
    """Constant of the smallest tree whose error is within one standard error of the smallest one.

    Errors are those of ten-fold cross-validation at the geometric means of successive constants of the tree
    of all rows; fewer folds where no class has ten rows.
    """
    X, y = problem.X, problem.y
    alphas = np.unique(Cart(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas.clip(0.0))
    alphas = np.append(np.sqrt(alphas[:-1] * alphas[1:]), _ROOT)
    folds = min(_FOLDS, np.unique(y, return_counts=True)[1].max())
    wrong = np.zeros(len(alphas))
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
        tree = Cart(random_state=0).fit(X[train], y[train])
        wrong += [np.sum(tree.pruned(alpha).predict(X[test]) != y[test]) for alpha in alphas]
    errors = wrong / len(y)
    least = errors.min()
    close = errors <= least + np.sqrt(least * (1 - least) / len(y))
    return float(alphas[np.flatnonzero(close)[-1]])
