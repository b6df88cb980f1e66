"""Published tables: how to repeat them, and verdicts on measured beside published values."""
