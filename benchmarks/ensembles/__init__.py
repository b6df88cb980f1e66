"""Seconds of pruning and of forest predictions, and their results over many sets."""
