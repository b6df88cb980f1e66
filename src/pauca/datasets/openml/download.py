"""Download from OpenML: the description of a dataset, its file with a progress bar, and the checksum."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

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
#: Largest description and largest file in bytes, and the longest transfer in seconds; set by hand for tables
#: of some hundred megabytes on a slow line.
MAX_DESCRIPTION_BYTES, MAX_FILE_BYTES, MAX_SECONDS = 2**22, 2**29, 1800.0
# Bytes that are read between two updates of the progress bar; set by hand, not tuned.
_CHUNK_BYTES = 1 << 16

Advance = Callable[[int], None]


def fetch(
    name: str, source: Source, *, base_url: str | None = None, verbose: bool = True
) -> dict[str, np.ndarray]:
    """Download a dataset, check it and return its arrays."""
    with _network_errors(name):
        description = _describe(name, source, base_url or BASE_URL)
        content = _receive(name, description["url"], verbose, base_url or BASE_URL)
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
    with _open(f"{base_url.rstrip('/')}/api/v1/json/data/{source.data_id}", base_url) as answer:
        text = b"".join(_chunks(name, answer, MAX_DESCRIPTION_BYTES))
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


def _receive(name: str, url: str, verbose: bool, base_url: str) -> bytes:
    """Transfer a file into memory with a progress bar."""
    with _open(url, base_url) as answer:
        stated = answer.headers.get("Content-Length") or ""
        total = int(stated) if stated.isdecimal() and 0 < int(stated) <= MAX_FILE_BYTES else None
        content = bytearray()
        with progress_bar(f"Downloading {name}", total, enabled=verbose) as advance:
            for chunk in _chunks(name, answer, MAX_FILE_BYTES):
                content += chunk
                advance(len(chunk))
    if total and len(content) < total:
        raise _damaged(name, f"the transfer ended after {len(content)} of {total} bytes")
    return bytes(content)


def _chunks(name: str, answer: HTTPResponse, limit: int) -> Iterator[bytes]:
    """Parts of an answer; an error where it is too large or takes too long."""
    deadline, n_bytes = monotonic() + MAX_SECONDS, 0
    while chunk := answer.read1(_CHUNK_BYTES):
        n_bytes += len(chunk)
        if n_bytes > limit:
            raise _damaged(name, f"the server sent more than {limit} bytes")
        if monotonic() > deadline:
            raise _damaged(name, f"the transfer took more than {MAX_SECONDS:.0f} seconds")
        yield chunk


def _open(url: str, base_url: str) -> HTTPResponse:
    """Open an address and follow redirects, all of them by https, or by http where ``base_url`` is http.

    Raises after `TIMEOUT_SECONDS` without an answer.
    """
    from urllib import request

    schemes = {"https", urlsplit(base_url).scheme} & {"http", "https"}

    class Redirects(request.HTTPRedirectHandler):
        def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
            _check_scheme(newurl, schemes)
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    _check_scheme(url, schemes)
    # No handlers of files and of ftp.
    opener = request.OpenerDirector()
    network = request.ProxyHandler, request.HTTPHandler, request.HTTPSHandler
    for handler in (*network, request.HTTPDefaultErrorHandler, request.HTTPErrorProcessor, Redirects):
        opener.add_handler(handler())
    return opener.open(url, timeout=TIMEOUT_SECONDS)


def _check_scheme(url: str, schemes: Collection[str]) -> None:
    scheme = urlsplit(url).scheme
    if scheme not in schemes:
        raise OSError(f"the server leads to an address of {scheme or 'no scheme'}, not of https")


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
