"""Files that appear complete or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Context with the name of a temporary file, which takes the place of ``path`` at the end.

    The file is written beside its destination, where links are followed, under a name with the same ending.
    If anything fails, be it a full disk or an interruption, the old file stays as it is.

    Parameters
    ----------
    path : str or path
        The file to write; an existing one is replaced.

    Yields
    ------
    temporary : Path
        The file to write in its place.
    """
    destination = Path(os.path.realpath(path))
    if destination.exists() and not destination.is_file():  # such as a terminal, which cannot be replaced
        yield destination
        return
    temporary = destination.with_name(f".{destination.stem}.{token_hex(4)}.part{destination.suffix}")
    try:
        yield temporary
        if destination.exists():
            temporary.chmod(destination.stat().st_mode & 0o777)
        os.replace(temporary, destination)
    finally:
        temporary.unlink(missing_ok=True)
