"""C: a portable form as one self-contained C99 file."""

from .forest import write_forest
from .writer import write_form

__all__ = ["write_forest", "write_form"]
