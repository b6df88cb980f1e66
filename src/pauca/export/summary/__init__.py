"""Summaries: a readable page about a fitted machine, as text, HTML and Markdown."""

from .facts import summary_of
from .page import Summary

__all__ = ["Summary", "summary_of"]
