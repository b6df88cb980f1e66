"""Seconds and memory of fits and predictions, beside peers."""
