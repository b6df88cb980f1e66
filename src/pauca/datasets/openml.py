"""Download from OpenML: its description of a data set, the file, and the check that one fits the other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from .dataset import DatasetCorrupted, DatasetNotFound
from .encoding import encode_table
from .progress import progress_bar
from .registry import Source

if TYPE_CHECKING:
    from http.client import HTTPResponse

BASE_URL = "https://www.openml.org"
TIMEOUT_SECONDS = 30.0
_CHUNK_BYTES = 1 << 16


def fetch(
    name: str, source: Source, *, base_url: str | None = None, verbose: bool = True
) -> dict[str, np.ndarray]:
    """Download a data set, check it and return its arrays."""
    with _network_errors(name):
        description = _describe(name, source, base_url or BASE_URL)
        content = _receive(name, description["url"], verbose)
    if hashlib.md5(content, usedforsecurity=False).hexdigest() != description["md5_checksum"]:
        raise _damaged(name, "its checksum is not the one OpenML states")
    try:
        arrays = encode_table(content.decode(), source, description)
    except (ValueError, KeyError) as error:
        raise _damaged(name, f"its table cannot be read ({error})") from error
    arrays["description"] = np.array(f"{source.openml_name}, OpenML data set {source.data_id}")
    return arrays


def _describe(name: str, source: Source, base_url: str) -> dict[str, Any]:
    """Ask OpenML for its description and make sure that it is of the expected data set."""
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
    from urllib.request import urlopen

    return urlopen(url, timeout=TIMEOUT_SECONDS)


@contextmanager
def _network_errors(name: str) -> Iterator[None]:
    """Say what to do when the network, or OpenML, does not answer."""
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
            f"OpenML answered {error.code} ({error.reason}) for data set {name!r}: retry later, or {remedy}."
        ) from error
    except HTTPException as error:
        raise _damaged(name, "the transfer was cut short") from error
    except OSError as error:
        raise DatasetNotFound(
            f"Data set {name!r} is not on this machine and OpenML cannot be reached ({error}): "
            f"connect and retry, or {remedy}."
        ) from error


def _damaged(name: str, reason: str) -> DatasetCorrupted:
    return DatasetCorrupted(f"The download of data set {name!r} failed, {reason}: load it again later.")
