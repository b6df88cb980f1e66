"""Machines on the core of Gaussian processes: their common arguments and their observations."""
