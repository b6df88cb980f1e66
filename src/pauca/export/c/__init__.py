"""C: a portable form as one self-contained C99 file."""

from .constants import Constants
from .writer import write_form

__all__ = ["Constants", "write_form"]
