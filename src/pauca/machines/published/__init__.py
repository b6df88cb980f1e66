"""Machines with the settings of the papers that describe them."""

from .presets import as_published, published_machines

__all__ = ["as_published", "published_machines"]
