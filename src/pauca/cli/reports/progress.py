"""Progress on stderr while a command works."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...reporting import new_bar


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[..., None]]:
    """Show a bar while the block runs, if stderr is a terminal; the block calls the function it is given."""
    with new_bar(in_steps=total > 1, with_rest=total > 1) as bar:
        task = bar.add_task(label, total=total if total > 1 else None)

        def advance(description: str | None = None, steps: int = 1) -> None:
            bar.update(task, advance=steps, description=description)

        yield advance


@contextmanager
def share_progress(label: str) -> Iterator[Callable[[str, float, str], None]]:
    """Show a bar for work that tells its phase and the share of it that is done."""
    with new_bar(in_steps=False) as bar:
        task = bar.add_task(label, total=1.0)

        def watch(phase: str, share: float, message: str) -> None:
            bar.update(task, completed=share, description=f"{label}: {phase}")

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
