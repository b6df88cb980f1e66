"""Columns of a table, chosen and converted alike for training and for prediction, as a step of a pipeline."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from .cells import Cells, read_cells
from .kinds import CATEGORY, DATE


class TableReader(TransformerMixin, BaseEstimator):
    """Reads the columns that a model needs: dates as days since 1970, categories as text, numbers as floats.

    Parameters
    ----------
    kinds : dict of str to str
        Kind of each column that is used: "number", "date" or "category".
    """

    def __init__(self, kinds: dict[str, str]) -> None:
        self.kinds = kinds

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the names of the columns; nothing is learned.

        Parameters
        ----------
        X : DataFrame
            Table.
        y : ignored
            Present for pipelines.

        Returns
        -------
        self : TableReader
        """
        self.feature_names_in_ = np.array(list(self.kinds), dtype=object)
        self.n_features_in_ = len(self.kinds)
        return self

    def transform(self, X: Any) -> Any:
        """The chosen columns as a frame of pandas.

        Parameters
        ----------
        X : DataFrame
            Frame of pandas or polars with at least the chosen columns.

        Returns
        -------
        frame : DataFrame
            Floats with NaN for missing and infinite entries, and texts with NaN for missing ones.
        """
        import pandas as pd

        missing = [name for name in self.kinds if name not in list(X.columns)]
        if missing:
            few = ", ".join(map(repr, missing[:8]))
            more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
            raise ValueError(f"the table lacks the columns {few}{more}, which the model needs.")
        chosen = X[list(self.kinds)]
        columns = {cells.name: self._converted(cells) for cells in read_cells(chosen)}
        return pd.DataFrame(columns, index=getattr(chosen, "index", None))

    def _converted(self, cells: Cells) -> Any:
        kind = self.kinds[cells.name]
        if kind == CATEGORY:
            levels = cells.as_category().values
            return np.where(cells.missing, np.nan, levels)
        values = (cells.as_date() if kind == DATE else cells.as_number()).values
        return np.asarray(values, dtype=float)
