"""The command line: demo, fit, predict."""

import sys

_EXTRA = {"typer", "rich", "pandas", "pyarrow"}


def main():
    """Run the command line; without the packages it needs, name the extra that brings them."""
    try:
        from .app import app
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        print(f'The command line needs {error.name}: pip install "laconic[cli]"', file=sys.stderr)
        return 1
    app(prog_name="laconic")
