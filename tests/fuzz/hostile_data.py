"""Hostile rows, targets and weights, drawn by kind."""

import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse


def plain(rng, n, d):
    return rng.normal(size=(n, d))


def repeated(rng, n, d):
    return rng.normal(size=(max(n // 4, 1), d))[rng.integers(max(n // 4, 1), size=n)]


def nearly_repeated(rng, n, d):
    return repeated(rng, n, d) + 1e-9 * rng.normal(size=(n, d))


def constant(rng, n, d):
    return np.full((n, d), rng.choice([0.0, 1.0, -3e5]))


def some_constant(rng, n, d):
    return rng.normal(size=(n, d)) * (rng.random(d) < 0.5) + 7.0


def collinear(rng, n, d):
    return rng.normal(size=(n, 1)) @ rng.normal(size=(1, d))


def one_hot(rng, n, d):
    return np.eye(max(d, 1))[rng.integers(max(d, 1), size=n)][:, :d]


def counts(rng, n, d):
    return rng.poisson(1.0, size=(n, d)).astype(float)


def sized(exponent):
    def draw(rng, n, d):
        return rng.normal(size=(n, d)) * 10.0**exponent

    draw.__name__ = f"sized_1e{exponent}"
    return draw


def mixed_sizes(rng, n, d):
    return rng.normal(size=(n, d)) * 10.0 ** rng.integers(-12, 13, size=d)


def far_away(rng, n, d):
    return rng.normal(size=(n, d)) + 1e9


def outlier(rng, n, d):
    X = rng.normal(size=(n, d))
    X[:1] = 1e12
    return X


def with_gaps(rng, n, d):
    return np.where(rng.random((n, d)) < 0.1, np.nan, rng.normal(size=(n, d)))


def with_infinity(rng, n, d):
    X = rng.normal(size=(n, d))
    X[-1:, -1:] = np.inf
    return X


ROWS = [
    *(plain, plain, plain, repeated, nearly_repeated, constant, some_constant, collinear, one_hot, counts),
    *(sized(exponent) for exponent in (-310, -200, -20, 20, 80, 300)),
    *(mixed_sizes, far_away, outlier, with_gaps, with_infinity),
]


def _frame(X, rng):
    import pandas as pd

    return pd.DataFrame(X, columns=[f"column {k}" for k in range(X.shape[1])])


def _frame_with_categories(X, rng):
    frame = _frame(X, rng)
    frame["colour"] = rng.choice(["red", "green", "blue"], len(X))
    return frame


def _frame_with_gaps(X, rng):
    """Frame of numbers that may lack, text, categories that may lack, dates and switches."""
    import pandas as pd

    n = len(X)
    frame = _frame(X, rng)
    colours = rng.choice(["red", "green", None], n)
    return frame.assign(
        whole=pd.array(np.where(rng.random(n) < 0.2, None, 3), dtype="Int64"),
        colour=pd.Categorical(colours),
        name=[f"name {k}" for k in rng.integers(max(n // 2, 1), size=n)],
        day=pd.Timestamp("2026-01-31") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        sure=rng.random(n) < 0.5,
    )


def _polars(X, rng):
    import polars as pl

    return pl.DataFrame({f"column {k}": X[:, k] for k in range(X.shape[1])})


def _polars_with_gaps(X, rng):
    import polars as pl

    colours = rng.choice(["red", "green", ""], len(X))
    gaps = pl.Series("colour", [colour or None for colour in colours.tolist()], dtype=pl.String)
    columns = {f"column {k}": X[:, k] for k in range(X.shape[1])}
    return pl.DataFrame({**columns, "colour": gaps, "code": pl.Series(colours, dtype=pl.Categorical)})


def _objects(X, rng):
    held = X.astype(object)
    if held.size and rng.random() < 0.3:
        held.flat[rng.integers(held.size)] = rng.choice(["one", None, 3j])
    return held


def _memory_map(X, rng):
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "X.npy", X)
        return np.load(Path(folder) / "X.npy", mmap_mode="r")


def _half(X, rng):
    with np.errstate(over="ignore"):
        return X.astype(np.float16)


CONTAINERS = {
    "array": lambda X, rng: X,
    "again an array": lambda X, rng: X,
    "fortran": lambda X, rng: np.asfortranarray(X),
    "memory map": _memory_map,
    "big endian": lambda X, rng: X.astype(">f8"),
    "single": lambda X, rng: np.clip(X, -3e38, 3e38).astype(np.float32),
    "half": _half,
    "integers": lambda X, rng: np.nan_to_num(np.clip(X, -1e9, 1e9)).astype(np.int64),
    "masked": lambda X, rng: np.ma.masked_array(X, rng.random(X.shape) < 0.1),
    "frame": _frame,
    "frame with categories": _frame_with_categories,
    "frame with gaps": _frame_with_gaps,
    "polars": _polars,
    "polars with gaps": _polars_with_gaps,
    "objects": _objects,
    "list": lambda X, rng: X.tolist(),
    "strided": lambda X, rng: np.repeat(X, 2, axis=0)[::2],
    **{
        form: lambda X, rng, form=form: getattr(sparse, f"{form}_matrix")(X)
        for form in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
    },
    "csr array": lambda X, rng: sparse.csr_array(X),
    "one row too few dimensions": lambda X, rng: X.ravel(),
}


def labels(rng, X, plain=False):
    """Class labels that depend on the rows, in one of many types; of few classes if plain."""
    n = len(X)
    score = np.nan_to_num(X[:, 0] if X.shape[1] else rng.normal(size=n), posinf=1, neginf=-1)
    signal = (score > np.median(score)).astype(int)
    many = rng.integers(int(rng.integers(2, 7)), size=n)
    kinds = [
        *(signal, signal, signal ^ (rng.random(n) < 0.2), rng.integers(2, size=n), many),
        *(np.array(["no", "yes"])[signal], signal.astype(bool), signal - 0.5, 2 * signal - 1),
        *(signal.astype(object), np.array(["α", "β", "[/b]"])[many % 3], signal * 10**12),
        *(np.zeros(n, int), (np.arange(n) == 0).astype(int), np.arange(n), rng.normal(size=n)),
        *([1, "one"] * (n // 2) + [1] * (n % 2), np.where(signal, np.nan, 1.0), [None] * n, signal[:-1]),
    ]
    return kinds[rng.integers(9 if plain else len(kinds))]


def numbers(rng, X, plain=False):
    """Targets that depend on the rows, in many sizes and types; near one if plain."""
    n = len(X)
    score = np.nan_to_num(X[:, 0] if X.shape[1] else rng.normal(size=n), posinf=1, neginf=-1)
    size = np.abs(score).max(initial=0)
    signal = (score / size if size > 0 else score) + 0.1 * rng.normal(size=n)
    kinds = [
        *(signal, signal, signal, rng.normal(size=n), np.zeros(n), np.full(n, 3e7), signal * 1e-300),
        *(signal * 1e80, signal * 1e300, signal + 1e12, rng.poisson(2.0, n), (signal > 0), signal**31),
        *(np.where(signal > 0.5, np.nan, signal), np.array(["a", "b"] * n)[:n], signal.astype(object)),
        *(signal[:-1], signal[:, None], np.full(n, np.inf), rng.standard_cauchy(n)),
    ]
    return kinds[rng.integers(4 if plain else len(kinds))]


def weights(rng, n):
    """Sample weights: mostly none, else of any kind."""
    kinds = [
        *(None, None, None, None, None, None, np.ones(n), rng.integers(0, 3, n), rng.random(n)),
        *(rng.random(n) < 0.5, np.zeros(n), -np.ones(n), np.full(n, 1e-12), np.full(n, 1e100)),
        *(np.where(np.arange(n) == 0, 1e6, 1.0), np.full(n, 1 / n), np.full(n, np.nan), np.ones(n + 1)),
        *(10.0 ** rng.integers(-8, 9, n), np.ones((n, 1)), ["heavy"] * n),
    ]
    return kinds[rng.integers(len(kinds))]
