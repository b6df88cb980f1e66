"""Machines on the core of Gaussian processes: arguments, observations, classes and their uncertainty."""
