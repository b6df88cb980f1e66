"""Docstrings are read as text: bars, stars of patterns and trailing underscores are no markup."""

import re

_CODE = re.compile(r"(``.*?``|`[^`]+`)")


def plain(line):
    """A line of a docstring with the characters escaped that reStructuredText would take as markup."""
    parts = _CODE.split(line)
    for place in range(0, len(parts), 2):
        text = re.sub(r"(?<=\w)_(?!\w)", r"\\_", parts[place])
        parts[place] = re.sub(r"(?<![\w*])\*(?=\.)", r"\\*", text).replace("|", r"\|")
    return "".join(parts)


def _process(app, what, name, thing, options, lines):
    in_example = False
    for place, line in enumerate(lines):
        in_example = line.lstrip().startswith((">>>", "...")) or (in_example and bool(line.strip()))
        if not in_example and not line.lstrip().startswith(".. "):
            lines[place] = plain(line)


def setup(app):
    """Process docstrings after numpydoc."""
    app.connect("autodoc-process-docstring", _process, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
