"""A progress bar on stderr: rich where it is installed, a percent line where it is not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], None]


@contextmanager
def progress_bar(label: str, total: int | None, *, enabled: bool = True) -> Iterator[Advance]:
    """Show a bar while the block runs; the block calls the yielded function with the bytes it received."""
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
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(label, total=total)
        yield lambda n_bytes: progress.advance(task, n_bytes)


@contextmanager
def _percent_line(label: str, total: int | None) -> Iterator[Advance]:
    received = 0

    def advance(n_bytes: int) -> None:
        nonlocal received
        received += n_bytes
        share = f"{received / total:4.0%}" if total else f"{received / 1e6:.1f} MB"
        print(f"\r{label} {share}", end="", file=sys.stderr, flush=True)

    try:
        yield advance
    finally:
        print(file=sys.stderr)
