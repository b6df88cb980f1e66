"""The command line: ``pauca fit``, ``predict``, ``compare``, ``rank``, ``prune``, ``reproduce``, ``demo``."""

import sys

# Packages that the extra ``cli`` installs.
_NEEDED = {"typer", "rich", "pandas", "pyarrow"}


def main() -> int | None:
    """Run the command line; without the packages it needs, name the extra that installs them."""
    try:
        from .app import app
    except ImportError as error:
        if not is_missing_package(error):
            raise
        print(f"pauca: {missing_package_message(error)}", file=sys.stderr)
        return 1
    app(prog_name="pauca")
    return None


def is_missing_package(error: BaseException) -> bool:
    """Whether an import failed because a package of the extra ``cli`` is not installed."""
    return isinstance(error, ImportError) and (error.name or "").partition(".")[0] in _NEEDED


def missing_package_message(error: ImportError) -> str:
    """One line that names the missing package and the extra that installs it."""
    return f'the command line needs {error.name}: pip install "pauca[cli]"'
