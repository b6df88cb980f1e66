"""Test errors and losses: choice of gamma, many classes, ranks over many sets, targets on small sets."""
