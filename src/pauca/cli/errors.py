"""What goes wrong, in one line, with an exit code."""

import sys
import traceback

import typer

from . import is_missing_package, remedy

FAILURE, USAGE = 1, 2


class BadInput(ValueError):
    """The user's table, model or options cannot be used as they are."""


class OneLineErrors(typer.core.TyperGroup):
    """A command group that reports every error in one line, and the traceback only with ``--debug``."""

    def main(self, args=None, *positional, **options):
        args = sys.argv[1:] if args is None else list(args)
        options["standalone_mode"] = False
        try:
            sys.exit(super().main(args, *positional, **options))
        except Exception as error:
            if "--debug" in args:
                traceback.print_exc()
            print(f"pauca: {_message(error)}", file=sys.stderr)
            sys.exit(_exit_code(error))


def one_line(text):
    """The text with every run of white space made one blank."""
    return " ".join(str(text).split())


def _message(error):
    """The message; of errors nobody foresaw also the type."""
    if hasattr(error, "format_message"):
        message = error.format_message()
    elif is_missing_package(error):
        message = remedy(error)
    elif isinstance(error, BadInput | ImportError):
        message = str(error)
    elif isinstance(error, typer.Abort):
        message = "stopped"
    else:
        message = f"{type(error).__name__}: {error} (--debug shows where)"
    return one_line(message)


def _exit_code(error):
    """2 for input that can be mended, 1 for work that failed."""
    return USAGE if isinstance(error, BadInput) else getattr(error, "exit_code", FAILURE)
