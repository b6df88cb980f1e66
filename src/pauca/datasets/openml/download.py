"""Download from OpenML: the description of a dataset, its file with a progress bar, and the checksum."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dataset import DatasetCorrupted, DatasetNotFound
from .encoding import encode_table
from .registry import Source

if TYPE_CHECKING:
    from http.client import HTTPResponse

#: Address of the OpenML server that is asked by default.
BASE_URL = "https://www.openml.org"
#: Seconds to wait for an answer of the server; set by hand, not tuned.
TIMEOUT_SECONDS = 30.0
# Bytes that are read between two updates of the progress bar; set by hand, not tuned.
_CHUNK_BYTES = 1 << 16

Advance = Callable[[int], None]


def fetch(
    name: str, source: Source, *, base_url: str | None = None, verbose: bool = True
) -> dict[str, np.ndarray]:
    """Download a dataset, check it and return its arrays."""
    with _network_errors(name):
        description = _describe(name, source, base_url or BASE_URL)
        content = _receive(name, description["url"], verbose)
    if hashlib.md5(content, usedforsecurity=False).hexdigest() != description["md5_checksum"]:
        raise _damaged(name, "its checksum is not the one OpenML states")
    try:
        arrays = encode_table(content.decode(), source, description)
    except (ValueError, KeyError) as error:
        raise _damaged(name, f"its table cannot be read ({error})") from error
    arrays["description"] = np.array(f"{source.openml_name}, OpenML dataset {source.data_id}")
    return arrays


def _describe(name: str, source: Source, base_url: str) -> dict[str, Any]:
    """Ask OpenML for the description of a dataset and check the name in it."""
    with _open(f"{base_url.rstrip('/')}/api/v1/json/data/{source.data_id}") as answer:
        text = answer.read()
    try:
        description = json.loads(text)["data_set_description"]
        url, openml_name = description["url"], description["name"]
        complete = "md5_checksum" in description and url.startswith(("http://", "https://"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(name, "OpenML's description of it cannot be read") from error
    if not complete or openml_name.lower() != source.openml_name.lower():
        raise _damaged(
            name, f"OpenML describes it as {openml_name!r}, not as {source.openml_name!r} with a checksum"
        )
    return description


def _receive(name: str, url: str, verbose: bool) -> bytes:
    """Transfer a file into memory with a progress bar."""
    with _open(url) as answer:
        total = int(answer.headers.get("Content-Length") or 0) or None
        content = bytearray()
        with progress_bar(f"Downloading {name}", total, enabled=verbose) as advance:
            while chunk := answer.read(_CHUNK_BYTES):
                content += chunk
                advance(len(chunk))
    if total and len(content) < total:
        raise _damaged(name, f"the transfer ended after {len(content)} of {total} bytes")
    return bytes(content)


def _open(url: str) -> HTTPResponse:
    """Open an address; raises after `TIMEOUT_SECONDS` without an answer."""
    from urllib.request import urlopen

    return urlopen(url, timeout=TIMEOUT_SECONDS)


@contextmanager
def _network_errors(name: str) -> Iterator[None]:
    """Turn network errors into errors that name the dataset and the remedy."""
    from http.client import HTTPException
    from urllib.error import HTTPError

    remedy = f"set PAUCA_DATA to a directory that holds {name}.npz"
    try:
        yield
    except DatasetCorrupted:
        raise
    except HTTPError as error:
        error.close()
        raise DatasetNotFound(
            f"OpenML answered {error.code} ({error.reason}) for dataset {name!r}: retry later, or {remedy}."
        ) from error
    except HTTPException as error:
        raise _damaged(name, "the transfer was cut short") from error
    except OSError as error:
        raise DatasetNotFound(
            f"Dataset {name!r} is not on this machine and OpenML cannot be reached ({error}): "
            f"connect and retry, or {remedy}."
        ) from error


def _damaged(name: str, reason: str) -> DatasetCorrupted:
    """Error of a download that failed for the given reason."""
    return DatasetCorrupted(f"The download of dataset {name!r} failed, {reason}: load it again later.")


@contextmanager
def progress_bar(label: str, total: int | None, *, enabled: bool = True) -> Iterator[Advance]:
    """Show progress on stderr while the block runs, by rich where it is installed.

    The block calls the yielded function with the number of bytes that it received.
    """
    if not enabled:
        yield lambda n_bytes: None
        return
    try:
        import rich.progress  # noqa: F401
    except ImportError:
        bar = _percent_line
    else:
        bar = _rich_bar
    with bar(label, total) as advance:
        yield advance


@contextmanager
def _rich_bar(label: str, total: int | None) -> Iterator[Advance]:
    """Progress bar of rich."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(label, total=total)
        yield lambda n_bytes: progress.advance(task, n_bytes)


@contextmanager
def _percent_line(label: str, total: int | None) -> Iterator[Advance]:
    """Progress as one line of text, in percent or, where the size is not known, in megabytes."""
    received = 0

    def advance(n_bytes: int) -> None:
        nonlocal received
        received += n_bytes
        progress = f"{received / total:4.0%}" if total else f"{received / 1e6:.1f} MB"
        print(f"\r{label} {progress}", end="", file=sys.stderr, flush=True)

    try:
        yield advance
    finally:
        print(file=sys.stderr)
