"""Data frames; pandas is loaded when the first one is made."""

from importlib import import_module


def pandas():
    """The package, or a message that names the extra."""
    return _optional("pandas", "Tables of results")


def posthocs():
    """The package scikit-posthocs, or a message that names the extra."""
    return _optional("scikit_posthocs", "Tests of several methods")


def frame(rows, **options):
    """A data frame of rows or columns."""
    return pandas().DataFrame(rows, **options)


def _optional(name, purpose):
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f'{purpose} need {name}: pip install "pauca[evaluation]"') from error
