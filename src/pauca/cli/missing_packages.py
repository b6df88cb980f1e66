"""Packages that the command line needs: whether an import failed for want of one, and the remedy."""

# Packages that the extra ``cli`` installs.
_NEEDED = {"typer", "rich", "pandas", "pyarrow"}


def is_missing_package(error: BaseException) -> bool:
    """Whether an import failed because a package of the extra ``cli`` is not installed."""
    return isinstance(error, ImportError) and (error.name or "").partition(".")[0] in _NEEDED


def missing_package_message(error: ImportError) -> str:
    """One line that names the missing package and the extra that installs it."""
    return f'the command line needs {error.name}: pip install "pauca[cli]"'
