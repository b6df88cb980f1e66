"""Bases of the machines: what several public classes share."""
