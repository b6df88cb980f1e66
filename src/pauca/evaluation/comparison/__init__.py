"""Comparison of methods: the same splits for all of them, and statistical tests of the differences."""
