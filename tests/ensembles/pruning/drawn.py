"""Members with known errors that the tests of searches share."""

import numpy as np


def draw(seed, n_members=9, n_samples=30, n_outputs=None):
    """Members with a common error, errors of their own, and different skill."""
    rng = np.random.default_rng(seed)
    shape = (n_samples,) if n_outputs is None else (n_samples, n_outputs)
    y, common = rng.normal(size=shape), rng.normal(size=shape)
    skill = rng.uniform(0.5, 1.5, (n_members, *[1] * len(shape)))
    return y + 0.5 * common + skill * rng.normal(size=(n_members, *shape)), y


def mean_squared_error(outputs, y, members):
    return np.mean(np.square(np.mean(outputs[list(members)], axis=0) - y))
