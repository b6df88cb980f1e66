"""One file for each set of published tables: theirs and ours, side by side."""
