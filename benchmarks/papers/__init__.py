"""Published tables: every file here has `TABLES`, a tuple of `pauca.evaluation.PaperTable`."""
