"""Tables of many features: the few groups of them that matter, by the evidence."""

from .narrow import Narrow
from .search import relevant_groups
from .statistics import group_significance

__all__ = ["Narrow", "group_significance", "relevant_groups"]
