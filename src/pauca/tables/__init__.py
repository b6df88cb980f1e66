"""Tables as they are: columns by kind, placed as numbers in groups that a kernel sees as one feature each."""

from .cells import Cells, is_frame, read_cells
from .columns import Columns, better_transforms
from .kinds import CATEGORY, CONSTANT, DATE, IDENTIFIER, NUMBER, as_level, is_identifier_name
from .levels import Levels
from .numbers import Number
from .reader import TableReader
from .transforms import Transform

__all__ = [
    "CATEGORY",
    "CONSTANT",
    "DATE",
    "IDENTIFIER",
    "NUMBER",
    "Cells",
    "Columns",
    "Levels",
    "Number",
    "TableReader",
    "Transform",
    "as_level",
    "better_transforms",
    "is_frame",
    "is_identifier_name",
    "read_cells",
]
