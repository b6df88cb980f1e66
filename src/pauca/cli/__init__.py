"""The command line: demo, fit, predict, prune, reproduce."""

import sys

_NEEDED = {"typer", "rich", "pandas", "pyarrow"}


def main():
    """Run the command line; without the packages it needs, name the extra that brings them."""
    try:
        from .app import app
    except ImportError as error:
        if not is_missing_package(error):
            raise
        print(f"pauca: {remedy(error)}", file=sys.stderr)
        return 1
    app(prog_name="pauca")


def is_missing_package(error):
    """Whether an import failed for want of a package that the extra brings."""
    return isinstance(error, ImportError) and (error.name or "").partition(".")[0] in _NEEDED


def remedy(error):
    """One line that names the extra."""
    return f'the command line needs {error.name}: pip install "pauca[cli]"'
