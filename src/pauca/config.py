"""Settings for the whole session: where the site is that notebooks link to."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["config_context", "get_config", "set_config"]

# Environment variable with the address of the site.
_VARIABLE = "PAUCA_SITE"
# A plain value: cells of a notebook run in contexts of their own.
_settings: dict[str, str | None] = {"site": None}


def set_config(*, site: str | os.PathLike[str] | None = None) -> None:
    """Set what holds for the whole session.

    How estimators are displayed is set by `sklearn.set_config`, which holds for pauca's as well.

    Parameters
    ----------
    site : str or path, default=None
        Address of the site, or the folder of a built one; machines in notebooks link to their page there.
        None: the environment variable ``PAUCA_SITE``, or no links if it is not set.

    Examples
    --------
    >>> import pauca
    >>> pauca.set_config(site="https://pauca.example.org/stable/")
    >>> pauca.get_config()
    {'site': 'https://pauca.example.org/stable'}
    >>> pauca.set_config(site=None)
    """
    _settings["site"] = None if site is None else _address(site)


def get_config() -> dict[str, Any]:
    """Look up what holds for the whole session.

    Returns
    -------
    dict
        ``site``: address of the site, or None.
    """
    given = os.environ.get(_VARIABLE)
    return {"site": _settings["site"] or (_address(given) if given else None)}


@contextmanager
def config_context(*, site: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Set what holds inside a ``with`` block.

    Parameters
    ----------
    site : str or path, default=None
        Address of the site, or the folder of a built one.

    Examples
    --------
    >>> import pauca
    >>> with pauca.config_context(site="https://pauca.example.org"):
    ...     pauca.get_config()["site"]
    'https://pauca.example.org'
    """
    before = _settings["site"]
    set_config(site=site)
    try:
        yield
    finally:
        _settings["site"] = before


class LinksToSite:
    """Mixin of estimators whose diagram in a notebook links to their page on the site."""

    def _get_doc_link(self) -> str:
        """Address of the page of this class; empty where no site is known or the class is not public."""
        site = get_config()["site"]
        kind = next((base for base in type(self).__mro__ if base.__module__.startswith("pauca.")), None)
        is_ours = kind is type(self) and not kind.__name__.startswith("_")
        return f"{site}/api/pauca.{kind.__name__}.html" if site and is_ours and kind is not None else ""


def _address(site: str | os.PathLike[str]) -> str:
    """An address without a slash at its end; a folder as an address of the file system."""
    text = os.fspath(site)
    if "://" in text:
        return text.rstrip("/")
    folder = Path(text).resolve()
    if not folder.is_dir():
        raise ValueError(f"site must be an address such as https://..., or a folder; got {text!r}.")
    return folder.as_uri()
