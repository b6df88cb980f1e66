"""Benchmarks of machines that do not trust the labels."""
