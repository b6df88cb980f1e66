"""Stochastic variational Gaussian process of GPyTorch (Hensman, Matthews & Ghahramani 2015), as a peer.

It needs ``pip install pauca[svgp]``: PyTorch and GPyTorch. Settings are those of GPyTorch's own example
(Adam, learning rate .01, minibatches of 1024 rows, a scale for each feature), and training ends when the loss
on a twentieth of the rows, which are held out, has not fallen for three checks.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

_BATCH, _LEARNING_RATE = 1024, 0.01
# Share of the rows that decide when training ends, and most of them; steps between checks and in all; checks
# without a lower loss after which it ends. Set by hand.
_HELD_OUT, _MOST_HELD_OUT, _CHECK, _MOST_STEPS, _PATIENCE = 0.05, 10_000, 250, 6000, 3
_PREDICTED = 10_000


class SVGP(BaseEstimator):
    """Sparse variational Gaussian process with inducing points that are learned from minibatches.

    Parameters
    ----------
    n_vectors : int
        Number of inducing points.
    regression : bool
        Whether targets are numbers, else labels 0 and 1.
    """

    def __init__(self, n_vectors: int = 128, regression: bool = False) -> None:
        self.n_vectors = n_vectors
        self.regression = regression

    def fit(self, X: NDArray, y: NDArray) -> Self:
        """Learn inducing points, kernel and likelihood."""
        import gpytorch
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(0)
        rng = np.random.default_rng(0)
        self.centre_, self.spread_ = X.mean(axis=0), X.std(axis=0)
        self.spread_[self.spread_ == 0] = 1.0
        self.units_ = (float(y.mean()), float(y.std())) if self.regression else (0.0, 1.0)
        rows = self._placed(X)
        targets = torch.as_tensor((y - self.units_[0]) / self.units_[1], dtype=torch.float32)
        order = rng.permutation(len(X))
        n_held = min(int(_HELD_OUT * len(X)) + 1, _MOST_HELD_OUT)
        held, used = order[:n_held], order[n_held:]
        vectors = rows[rng.choice(used, min(self.n_vectors, len(used)), replace=False)]
        self.model_ = _model(vectors)
        kinds = gpytorch.likelihoods.GaussianLikelihood, gpytorch.likelihoods.BernoulliLikelihood
        self.likelihood_ = kinds[not self.regression]()
        self._train(rows, targets, held, used, rng)
        return self

    def _train(self, rows, targets, held, used, rng):
        """Steps on minibatches while the loss of the rows held out falls; the best state is kept."""
        import gpytorch
        import torch

        bound = gpytorch.mlls.VariationalELBO(self.likelihood_, self.model_, num_data=len(used))
        parts = torch.nn.ModuleList([self.model_, self.likelihood_])
        optimiser = torch.optim.Adam(parts.parameters(), lr=_LEARNING_RATE)
        best, kept, waited = np.inf, None, 0
        for step in range(1, _MOST_STEPS + 1):
            batch = used[rng.integers(0, len(used), min(_BATCH, len(used)))]
            parts.train()
            optimiser.zero_grad()
            loss = -bound(self.model_(rows[batch]), targets[batch])
            loss.backward()
            optimiser.step()
            if step % _CHECK == 0:
                now = self._loss(rows[held], targets[held])
                waited = 0 if now < best - 1e-4 else waited + 1
                if now < best:
                    best = now
                    kept = {name: value.clone() for name, value in parts.state_dict().items()}
                if waited >= _PATIENCE:
                    break
        parts.load_state_dict(kept)

    def _loss(self, rows, targets):
        """Mean negative log predictive density."""
        import torch

        self.model_.eval()
        self.likelihood_.eval()
        with torch.no_grad():
            return float(-self.likelihood_.log_marginal(targets, self.model_(rows)).mean())

    def _placed(self, X):
        import torch

        return torch.as_tensor((X - self.centre_) / self.spread_, dtype=torch.float32)

    def _moments(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Means and variances of observations, in the units of training."""
        import torch

        self.model_.eval()
        self.likelihood_.eval()
        means, variances = [], []
        with torch.no_grad():
            for first in range(0, len(X), _PREDICTED):
                observed = self.likelihood_(self.model_(self._placed(X[first : first + _PREDICTED])))
                means.append(observed.mean.numpy().astype(float))
                variances.append(observed.variance.numpy().astype(float))
        return np.concatenate(means), np.concatenate(variances)

    def predict(self, X: NDArray, return_std: bool = False) -> NDArray | tuple[NDArray, NDArray]:
        """Means of the targets, and standard deviations of new ones if ``return_std``."""
        mean, var = self._moments(X)
        mean = self.units_[0] + self.units_[1] * mean
        return (mean, self.units_[1] * np.sqrt(var)) if return_std else mean

    def predict_proba(self, X: NDArray) -> NDArray:
        """Probabilities of the labels 0 and 1."""
        p = self._moments(X)[0]
        return np.column_stack([1 - p, p])


def _model(vectors: Any) -> Any:
    """Process with a constant mean, an RBF kernel with a width for every feature and inducing points."""
    import gpytorch

    variational, kernels = gpytorch.variational, gpytorch.kernels

    class Process(gpytorch.models.ApproximateGP):
        def __init__(self) -> None:
            distribution = variational.CholeskyVariationalDistribution(len(vectors))
            super().__init__(
                variational.VariationalStrategy(self, vectors, distribution, learn_inducing_locations=True)
            )
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = kernels.ScaleKernel(kernels.RBFKernel(ard_num_dims=vectors.shape[1]))

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    return Process()
