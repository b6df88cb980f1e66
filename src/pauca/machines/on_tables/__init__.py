"""Machines on tables as they are: columns by kind go in, effects of columns come out."""

from .effects import Contribution, EffectCurve, Effects, TableEffects
from .files import TableFile
from .input import PlacedTable, TableInput, entries_of
from .regression import TableRegressor

__all__ = [
    "Contribution",
    "EffectCurve",
    "Effects",
    "PlacedTable",
    "TableEffects",
    "TableFile",
    "TableInput",
    "TableRegressor",
    "entries_of",
]
