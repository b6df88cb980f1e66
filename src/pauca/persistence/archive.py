"""The archive of a model file: its header, and the limit of what it unpacks to."""

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from .. import __version__

# Version of the file format; `load` refuses newer ones.
FORMAT = 1
_HEADER = "pauca.json"
# Libraries whose versions the header has.
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "skops")
# Largest size of what a file unpacks to: bytes for any file, and multiples of its own size. Files that `save`
# writes are not compressed, except sparse matrices. Numerical guard.
_ANY_SIZE, _LARGEST_RATIO = 16 * 2**20, 100


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the metadata given to :func:`save`, without loading the model.

    Parameters
    ----------
    path : str or path
        The model file.

    Returns
    -------
    dict
        The metadata; empty if none was given.
    """
    return read_archive(path)[1]["metadata"]


def read_archive(path: str | os.PathLike[str]) -> tuple[bytes, dict[str, Any]]:
    """Archive of a model file and its header; a ValueError for other files and where it unpacks too far."""
    archive = Path(path).read_bytes()
    try:
        with ZipFile(BytesIO(archive)) as file:
            _refuse_bombs(file, len(archive), path)
            header = json.loads(file.read(_HEADER))
        number, writer = int(header["format"]), str(header["pauca"])
        header["metadata"] = dict(header["metadata"])
        header["versions"] = {str(k): str(v) for k, v in dict(header.get("versions", {})).items()}
    except (BadZipFile, KeyError, TypeError, RecursionError, NotImplementedError, EOFError) as error:
        raise ValueError(f"{path} is not a pauca model.") from error
    except ValueError as error:
        if isinstance(error, UnpacksTooFar):
            raise
        raise ValueError(f"{path} is not a pauca model.") from error
    if number > FORMAT:
        raise ValueError(
            f"{path} was written by pauca {writer} in format {number}, and pauca {__version__} reads "
            f"formats up to {FORMAT}: pip install --upgrade pauca."
        )
    return archive, header


class UnpacksTooFar(ValueError):
    """A file is far larger when it is unpacked."""


def _refuse_bombs(file: ZipFile, n_bytes: int, path: Any) -> None:
    """Refuse an archive whose members, and those of archives inside it, unpack to far more than its size."""
    limit = _ANY_SIZE + _LARGEST_RATIO * n_bytes
    total = sum(member.file_size for member in file.infolist())
    if total <= limit:
        for member in file.infolist():
            # Readers of arrays know an archive by its first bytes, whatever its name.
            with file.open(member) as content:
                if content.read(2) == b"PK":
                    content.seek(0)
                    with ZipFile(BytesIO(content.read())) as inner:
                        total += sum(part.file_size for part in inner.infolist())
    if total > limit:
        raise UnpacksTooFar(
            f"{path} was not loaded: its {n_bytes} bytes unpack to {total}, far more than a model that pauca "
            "has saved."
        )


def with_header(archive: bytes, metadata: dict[str, Any] | None) -> bytes:
    """Archive with the header as one more member."""
    header = {"format": FORMAT, "pauca": __version__, "versions": _versions(), "metadata": metadata or {}}
    buffer = BytesIO(archive)
    with ZipFile(buffer, "a") as file:
        file.writestr(_HEADER, json.dumps(header, ensure_ascii=False, indent=1))
    return buffer.getvalue()


def _versions() -> dict[str, str]:
    """Versions of Python and of the libraries that are installed here."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def other_versions(header: dict[str, Any]) -> str:
    """Advice where a file was written with other versions than those installed here, else nothing."""
    here = _versions()
    others = [f"{k} {v} (here {here[k]})" for k, v in header["versions"].items() if here.get(k, v) != v]
    if not others:
        return ""
    return (
        f" It was written with {', '.join(others)}: load it with these versions, or save the model again "
        "with those installed here."
    )
