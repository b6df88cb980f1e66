"""Errors of the command line: one line on stderr, and an exit code."""

import sys
import traceback
from typing import Any

import typer

from .missing_packages import is_missing_package, missing_package_message

# Exit codes: the work failed; the input or the options can be corrected.
FAILURE, USAGE = 1, 2


class BadInput(ValueError):
    """The user's table, model or options cannot be used as they are."""


class OneLineErrors(typer.core.TyperGroup):
    """A command group that reports every error in one line, and the traceback only with ``--debug``."""

    def main(self, args: Any = None, *positional: Any, **options: Any) -> Any:
        """Run a command; exit with the code of its error, if there is one."""
        args = sys.argv[1:] if args is None else list(args)
        options["standalone_mode"] = False
        try:
            sys.exit(super().main(args, *positional, **options))
        except Exception as error:
            if "--debug" in args:
                traceback.print_exc()
            print(f"pauca: {_message(error)}", file=sys.stderr)
            sys.exit(_exit_code(error))


def one_line(text: object) -> str:
    """A text with every run of white space replaced by one space."""
    return " ".join(str(text).split())


def _message(error: Exception) -> str:
    """The message of an error; with its type where the error was not foreseen."""
    if hasattr(error, "format_message"):
        message = error.format_message()
    elif isinstance(error, ImportError) and is_missing_package(error):
        message = missing_package_message(error)
    elif isinstance(error, BadInput | ImportError):
        message = str(error)
    elif isinstance(error, typer.Abort):
        message = "stopped"
    else:
        message = f"{type(error).__name__}: {error} (--debug shows the traceback)"
    return one_line(message)


def _exit_code(error: Exception) -> int:
    return USAGE if isinstance(error, BadInput) else getattr(error, "exit_code", FAILURE)
