"""Expectation propagation for linear models of many features, most of which have no weight."""
