"""What goes wrong, in one line, with an exit code."""

import re
import sys

import typer

FAILURE, USAGE = 1, 2


class BadInput(ValueError):
    """The user's table, model or options cannot be used as they are."""


class OneLineErrors(typer.core.TyperGroup):
    """A command group that reports every error in one line, and the traceback only with ``--debug``."""

    def main(self, args=None, prog_name=None, standalone_mode=True, **extra):
        args = sys.argv[1:] if args is None else list(args)
        try:
            sys.exit(super().main(args, prog_name, standalone_mode=False, **extra))
        except Exception as error:
            if "--debug" in args:
                raise
            print(f"{prog_name or 'laconic'}: {_one_line(error)}", file=sys.stderr)
            sys.exit(_exit_code(error))


def _one_line(error):
    """The message; of errors nobody foresaw also the type."""
    if hasattr(error, "format_message"):
        message = error.format_message()
    elif isinstance(error, BadInput | ImportError):
        message = str(error)
    elif isinstance(error, typer.Abort):
        message = "stopped"
    else:
        message = f"{type(error).__name__}: {error} (--debug shows where)"
    return re.sub(r"\s+", " ", message).strip()


def _exit_code(error):
    """2 for input that can be mended, 1 for work that failed."""
    return USAGE if isinstance(error, BadInput) else getattr(error, "exit_code", FAILURE)
