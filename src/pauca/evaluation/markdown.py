"""Rows of figures as tables of a Markdown page."""

import numpy as np


def markdown_table(rows):
    """A table of rows with the same keys: four digits, a dash for what is missing."""
    names = list(rows[0])
    cells = [names, *([row[name] for name in names] for row in rows)]
    lines = [[_cell(value) for value in line] for line in cells]
    lines.insert(1, ["---"] * len(names))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def machine_line(environment):
    """Processor and versions of an `environment` in one line."""
    versions = {"Python": environment["python"], **environment["packages"]}
    installed = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    return f"{environment['processor']}, {environment['cores']} cores, {installed}"


def _cell(value):
    """What would end a cell is escaped."""
    if isinstance(value, str):
        return value.replace("|", r"\|")
    return f"{value:.4g}" if value is not None and np.isfinite(value) else "–"
