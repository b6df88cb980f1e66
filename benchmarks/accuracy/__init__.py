"""Test errors and losses: choice of gamma, many classes, ranks over many sets, errors promised."""
