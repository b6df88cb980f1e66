"""What long work tells its user: a bar where one can be shown, and lines on standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib.util import find_spec
from numbers import Integral
from time import monotonic
from typing import Any

from .validation import check_number

# The report of the fit that runs in this context.
_current: ContextVar["Report | None"] = ContextVar("report", default=None)


class Report:
    """What a fit tells: nothing, a bar and what was chosen, or a line for each trial as well.

    Parameters
    ----------
    name : str
        Name of the machine.
    verbose : int
        0 is silent; 1 shows a bar in terminals and notebooks; 2 prints a line for each trial.
    """

    def __init__(self, name: str, verbose: int) -> None:
        self.name, self.verbose = name, verbose
        self.start = monotonic()
        self.bar = _started_bar(name) if verbose else None
        self.share: float | None = None

    def tell(self, message: str, level: int, share: float | None) -> None:
        """Show a message in the bar, and as a line from the given level on."""
        if share is not None:
            self.share = share
        if self.bar is not None:
            task = self.bar.task_ids[0]
            self.bar.update(task, description=f"{self.name}: {message}")
            if self.share is not None:
                self.bar.update(task, total=1.0, completed=self.share)
        if self.verbose >= (level if self.bar is None else 2):
            self._print(message + self._left() if share is not None else message)

    def close(self, outcome: str | None) -> None:
        """Take the bar away and say how the work ended; None says nothing."""
        if self.bar is not None:
            self.bar.stop()
            self.bar = None
        if self.verbose and outcome is not None:
            self._print(f"{outcome}, {monotonic() - self.start:.1f} s")

    def _left(self) -> str:
        """Seconds that are left if the rest goes as fast as what is done."""
        left = (monotonic() - self.start) * (1 - self.share) / self.share if self.share else 0.0
        return f", about {left:.0f} s left" if left >= 1 else ""

    def _print(self, message: str) -> None:
        line = f"[{self.name}] {message}"
        if self.bar is not None:
            self.bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)


@contextmanager
def reporting(estimator: Any) -> Iterator[None]:
    """Let the work of the block tell what it does, as the ``verbose`` of the estimator asks.

    Parameters
    ----------
    estimator : estimator
        Estimator that learns in the block; without ``verbose`` it is silent.
    """
    verbose = getattr(estimator, "verbose", 0)
    if not isinstance(verbose, bool):
        check_number("verbose", verbose, 0, kind=Integral)
    report = Report(type(estimator).__name__, int(verbose))
    token = _current.set(report)
    outcome = None
    try:
        yield
        outcome = _outcome(estimator) if verbose else None
    finally:
        _current.reset(token)
        report.close(outcome)


def tell(message: str, *, level: int = 2, share: float | None = None) -> None:
    """Tell the user of the running fit what it does.

    Parameters
    ----------
    message : str
        What was done or tried.
    level : int, default=2
        Least ``verbose`` that prints the message where no bar can be shown.
    share : float, optional
        Share of the whole work that is done.
    """
    report = _current.get()
    if report is not None and report.verbose:
        report.tell(message, level, share)


@contextmanager
def job_bar(label: str, *, shown: bool = True) -> Iterator[Callable[[Any, int, int], None]]:
    """Show a bar while jobs are done; those that a store has already do not enter the time left.

    Parameters
    ----------
    label : str
        What stands before the bar.
    shown : bool, default=True
        Whether there is a bar at all.

    Yields
    ------
    watch : callable
        ``watch(job, done, total)`` moves the bar; None as the job starts it anew.
    """
    if not shown or find_spec("rich") is None:
        yield lambda job, done, total: None
        return
    with new_bar(in_steps=True) as bar:
        task = bar.add_task(label, total=None)

        def watch(job: Any, done: int, total: int) -> None:
            if job is None:
                bar.reset(task, completed=done, total=total)
            else:
                bar.update(task, completed=done)

        yield watch


def new_bar(*, in_steps: bool, with_rest: bool = True) -> Any:
    """Bar on standard error that goes away at its end; nothing is shown where it could not be redrawn.

    The time left follows from the speed since the start, for steps may take minutes.

    Parameters
    ----------
    in_steps : bool
        Whether steps are counted.
    with_rest : bool, default=True
        Whether the time left is shown; work of a single step has no measure of it.
    """
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

    console = Console(stderr=True)
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *([MofNCompleteColumn()] if in_steps else []),
        TimeElapsedColumn(),
        *([TextColumn("left:"), TimeRemainingColumn()] if with_rest else []),
        console=console,
        transient=True,
        disable=not _can_redraw(console),
        speed_estimate_period=float("inf"),
    )


def _can_redraw(console: Any) -> bool:
    """Whether a bar can be drawn over: in a terminal, and in notebooks with ipywidgets."""
    return bool(console.is_terminal or (console.is_jupyter and find_spec("ipywidgets") is not None))


def _started_bar(name: str) -> Any:
    """A bar at work, or None without rich, without a terminal or notebook, or beside another bar."""
    if find_spec("rich") is None:
        return None
    from rich.errors import LiveError

    bar = new_bar(in_steps=False)
    if bar.disable:
        return None
    bar.add_task(name, total=None)
    with suppress(LiveError):
        bar.start()
        return bar
    return None


def _outcome(estimator: Any) -> str:
    """What a fitted machine is, in one line."""
    parts = []
    if (kept := getattr(estimator, "relevance_", None)) is not None:
        parts.append(f"{len(kept)} vectors")
    if (kernel := getattr(estimator, "kernel_", None)) is not None:
        parts.append(str(getattr(kernel, "name", kernel)))
    if (evidence := getattr(estimator, "log_evidence_", None)) is not None:
        parts.append(f"log evidence {float(evidence):.2f}")
    if getattr(estimator, "converged_", True) is False:
        parts.append("not converged")
    return ", ".join(parts) or "done"
