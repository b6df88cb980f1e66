"""Published tables: every file here has `TABLES`, a tuple of `laconic.evaluation.PaperTable`."""
