"""Machines with a precision for every weight, given rows in blocks: sums over rows for all candidates."""

from .search import ColumnFit, fit_columns
from .sums import Columns, SitePass, SiteSums

__all__ = ["ColumnFit", "Columns", "SitePass", "SiteSums", "fit_columns"]
