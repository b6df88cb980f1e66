"""How a CSV file is written, as far as the user says so."""

import codecs
from dataclasses import dataclass

from ..errors import BadInput

_DELIMITER_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}


@dataclass(frozen=True)
class CsvFormat:
    """How a CSV file is written; None is found out from the file.

    ``sep`` is a delimiter or its name, such as "tab"; ``decimal`` is "." or ",".
    """

    sep: str | None = None
    encoding: str | None = None
    decimal: str | None = None

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise BadInput(f"--decimal must be . or ,; got {self.decimal!r}.")
        if self.sep is not None and len(_DELIMITER_NAMES.get(self.sep, self.sep)) != 1:
            raise BadInput(f"--sep must be one character, or tab, comma, semicolon, space; got {self.sep!r}.")
        if self.encoding is not None:
            _require_encoding(self.encoding)

    @property
    def delimiter(self) -> str | None:
        """The delimiter itself where a name was given."""
        return None if self.sep is None else _DELIMITER_NAMES.get(self.sep, self.sep)


def _require_encoding(name: str) -> None:
    try:
        codecs.lookup(name)
    except LookupError as error:
        raise BadInput(f"--encoding {name!r} is not an encoding that Python knows.") from error
