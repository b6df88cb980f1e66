"""Summaries: a readable page about a fitted machine, as text, HTML and Markdown."""

from .facts import summary_of
from .leave_one_out import leave_one_out_scores
from .page import Summary

__all__ = ["Summary", "leave_one_out_scores", "summary_of"]
