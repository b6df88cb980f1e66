"""Save and load fitted models without executing foreign code.

A model file is a skops archive with one more member, ``pauca.json``: the version of the format, the versions
of the libraries that wrote it, and the caller's metadata. It is plain JSON and is read first.
"""

from .archive import FORMAT, read_metadata
from .model_files import load, save
from .trust import UntrustedModel

__all__ = ["FORMAT", "UntrustedModel", "load", "read_metadata", "save"]
