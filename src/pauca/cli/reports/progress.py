"""Progress on stderr while a command works."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[..., None]]:
    """Show a bar while the block runs, if stderr is a terminal; the block calls the function it is given."""
    with _bar(in_steps=total > 1) as bar:
        task = bar.add_task(label, total=total if total > 1 else None)

        def advance(description: str | None = None, steps: int = 1) -> None:
            bar.update(task, advance=steps, description=description)

        yield advance


@contextmanager
def share_progress(label: str) -> Iterator[Callable[[str, float, str], None]]:
    """Show a bar for work that tells its phase and the share of it that is done."""
    with _bar(in_steps=False) as bar:
        task = bar.add_task(label, total=1.0)

        def watch(phase: str, share: float, message: str) -> None:
            bar.update(task, completed=share, description=f"{label}: {phase}")

        yield watch


@contextmanager
def store_progress(label: str) -> Iterator[Callable[[Any, int, int], None]]:
    """Show a bar for work with a store; results that the store has already do not enter the time left."""
    with _bar() as bar:
        task = bar.add_task(label, total=None)

        def watch(job: Any, done: int, total: int) -> None:
            if job is None:
                bar.reset(task, completed=done, total=total)
            else:
                bar.update(task, completed=done)

        yield watch


@contextmanager
def resumable(path: Path) -> Iterator[None]:
    """Say, when the user interrupts the work, where the finished results are."""
    try:
        yield
    except KeyboardInterrupt:
        print(
            f"pauca: stopped; finished results are in {path}, run the same command again to resume",
            file=sys.stderr,
        )
        raise


def _bar(in_steps: bool = True) -> Progress:
    """A bar with the time left, estimated from the speed since the start: steps may take minutes.

    Work of a single step has no measure of what is left: it shows that it runs, and for how long.
    """
    stderr = Console(stderr=True)
    left = [TextColumn("left:"), TimeRemainingColumn()]
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        *([MofNCompleteColumn()] if in_steps else []),
        TimeElapsedColumn(),
        *(left if in_steps else []),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal,
        speed_estimate_period=float("inf"),
    )
