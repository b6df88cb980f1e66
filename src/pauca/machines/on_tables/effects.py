"""Effects of the columns of a table on the prediction, and explanations of single rows."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ...fitting.processes import column_factors, column_shares, effect_moments

# Pairs of columns whose contribution is computed, by their shares; pairs that are shown, and the least share
# of the mean squared contributions of such a pair. Set by hand.
_N_CANDIDATES, _MOST_PAIRS, _LEAST_SHARE = 20, 10, 0.01
# Training rows by which pairs are chosen; set by hand.
_N_ROWS = 200


class Effects(NamedTuple):
    """Contributions of columns and pairs of columns to the predictions of some rows.

    Parameters
    ----------
    names : tuple of str
        "constant", the columns, pairs as "a × b", and "interactions" for all that is left.
    contributions : ndarray of shape (n_rows, n_effects)
        Posterior means, which sum to the predicted value of the latent function.
    std : ndarray of shape (n_rows, n_effects)
        Posterior standard deviations.
    """

    names: tuple[str, ...]
    contributions: NDArray
    std: NDArray

    def as_frame(self) -> Any:
        """Contributions as a frame of pandas, a column for each effect."""
        import pandas as pd

        return pd.DataFrame(self.contributions, columns=list(self.names))


class Contribution(NamedTuple):
    """Contribution of one effect to the prediction of a row.

    Parameters
    ----------
    name : str
        Name of the effect.
    contribution : float
        Posterior mean.
    std : float
        Posterior standard deviation.
    """

    name: str
    contribution: float
    std: float


class EffectCurve(NamedTuple):
    """Main effect of a column.

    Parameters
    ----------
    name : str
        Name of the column.
    entries : ndarray of shape (n_points,)
        Numbers in increasing order, or names of levels, the most frequent first.
    mean : ndarray of shape (n_points,)
        Posterior mean of the effect of each entry.
    std : ndarray of shape (n_points,)
        Posterior standard deviation.
    missing : tuple of two floats or None
        Mean and standard deviation of the effect of a missing number, if training had any.
    """

    name: str
    entries: NDArray
    mean: NDArray
    std: NDArray
    missing: tuple[float, float] | None


class TableEffects:
    """Machine of Gaussian processes whose predictions are sums of effects of columns."""

    _posteriors: list[Any]
    _columns: Any
    # Pairs of used columns that are shown.
    _pairs: list[tuple[int, int]]
    # Root mean square of the main effect of each column over training rows.
    _effect_sizes: NDArray
    _units: tuple[Any, Any]

    def effects(self: Any, X: Any, label: Any = None) -> Effects:
        """Contributions of columns and of pairs of columns to the prediction of each row.

        The effects of a column, and those of a pair given either column, have mean zero over the training
        entries, so that each is identified. They sum to the predicted mean of a regressor, and to the mean of
        the latent function of a classifier, log odds on the scale of its link.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_features)
            Rows.
        label : object, default=None
            Class whose latent function is explained; needed for more than two classes.

        Returns
        -------
        effects : Effects
            Names, contributions and standard deviations.
        """
        check_is_fitted(self)
        if self._columns is None:
            raise ValueError(
                "effects needs columns of a table; fit with additive=True to get them from numbers only."
            )
        place = self._place_of_class(label)
        found = self._effect_moments(self._place_table(X), self._pairs, place)
        return Effects(self._effect_names, *found)

    def explain(self: Any, row: Any, label: Any = None) -> list[Contribution]:
        """Contributions to the prediction of one row, largest first, the constant last.

        Parameters
        ----------
        row : DataFrame or array-like of shape (1, n_features)
            One row.
        label : object, default=None
            Class whose latent function is explained; needed for more than two classes.

        Returns
        -------
        contributions : list of Contribution
            Name, contribution and standard deviation of each effect.
        """
        effects = self.effects(row, label)
        if len(effects.contributions) != 1:
            raise ValueError(f"row must be one row; got {len(effects.contributions)}.")
        parts = zip(effects.names, effects.contributions[0].tolist(), effects.std[0].tolist(), strict=True)
        constant, *others = (Contribution(*part) for part in parts)
        return [*sorted(others, key=lambda part: -abs(part.contribution)), constant]

    def effect_curve(self: Any, column: str, label: Any = None) -> EffectCurve:
        """Main effect of a column over its training entries, in the units of its cells.

        Parameters
        ----------
        column : str
            Name of the column.
        label : object, default=None
            Class whose latent function is explained; needed for more than two classes.

        Returns
        -------
        curve : EffectCurve
            Entries, means and standard deviations.
        """
        check_is_fitted(self)
        names = [] if self._columns is None else [each.name for each in self._columns.used]
        if column not in names:
            raise ValueError(f"column must be one of {', '.join(map(repr, names))}; got {column!r}.")
        place, at = names.index(column), self._place_of_class(label)
        entries, points = self._columns.used[place].grid()
        placed = np.zeros((len(points), len(self._columns.groups)))
        placed[:, self._columns.groups == place] = points
        mean, std = (part[:, 1 + place] for part in self._effect_moments(placed, [], at))
        n, missing = len(entries), None
        if len(points) > n:
            missing = float(mean[n]), float(std[n])
        return EffectCurve(column, entries, mean[:n], std[:n], missing)

    @property
    def _effect_names(self: Any) -> tuple[str, ...]:
        columns = [column.name for column in self._columns.used]
        pairs = [f"{columns[j]} × {columns[k]}" for j, k in self._pairs]
        return "constant", *columns, *pairs, "interactions"

    def _effect_moments(self: Any, placed: NDArray, pairs: Any, place: int) -> tuple[NDArray, NDArray]:
        """Means and deviations of the effects in the units of the target."""
        found = effect_moments(self._posteriors[place], self._columns.measures, pairs, placed)
        centre, spread = getattr(self, "_units", (0.0, 1.0))
        mean = spread * found.mean
        mean[:, 0] += centre
        return mean, spread * found.std

    def _place_of_class(self: Any, label: Any) -> int:
        """Place of the latent function of a class."""
        if len(self._posteriors) == 1:
            return 0
        classes = self.classes_.tolist()
        if label not in classes:
            raise ValueError(
                f"label must be one of the classes {', '.join(map(repr, classes))}; got {label!r}."
            )
        return classes.index(label)

    def _describe_columns(self: Any, process: Any, placed: Any) -> None:
        """Keep scales and shares of the columns of a table, and the pairs to show."""
        if self._columns is None:
            return
        measures = self._columns.measures
        shares = column_shares(process, measures)
        self.feature_scales_ = self._by_column(column_factors(process, measures))
        self._column_shares = self._by_column(shares)
        self._choose_pairs(placed.rows, shares)

    def _choose_pairs(self: Any, placed: NDArray, shares: NDArray) -> None:
        """Keep the sizes of main effects, and the pairs that contribute much to training rows."""
        placed = placed[:: max(1, len(placed) // _N_ROWS)]
        among = sorted(
            combinations(range(len(shares)), 2), key=lambda pair: -shares[pair[0]] * shares[pair[1]]
        )
        candidates = among[:_N_CANDIDATES]
        sizes = np.zeros(1 + len(shares) + len(candidates) + 1)
        for place in range(len(self._posteriors)):
            sizes += np.square(self._effect_moments(placed, candidates, place)[0]).mean(axis=0)
        sizes[0] = 0.0
        self._effect_sizes = self._by_column(np.sqrt(sizes[1 : 1 + len(shares)] / len(self._posteriors)))
        of_pairs = sizes[1 + len(shares) : -1]
        largest = np.argsort(-of_pairs)[:_MOST_PAIRS]
        self._pairs = [candidates[k] for k in largest if of_pairs[k] >= _LEAST_SHARE * sizes.sum()]
