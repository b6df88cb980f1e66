"""The page of the benchmarks can be read: what each section measures, a list of them, long tables folded."""

import re
from pathlib import Path

from docutils import nodes

PAGE = "benchmarks"
DESCRIPTIONS = Path(__file__).resolve().parents[2] / "benchmarks" / "README.md"
# Rows from which a table is folded.
_LONG = 12
# Folders in the order of the list, and what their sections are about.
SUBJECTS = {
    "accuracy": "Accuracy and probabilities",
    "timing": "Speed and memory",
    "scale": "Many rows",
    "ensembles": "Forests and boosting",
    "genes": "Many more columns than rows",
    "labels": "Wrong labels",
    "ship": "Export and distillation",
}


def described():
    """Sections with their folder, and what they measure."""
    text = DESCRIPTIONS.read_text(encoding="utf-8")
    found = re.findall(r"^\| `([\w-]+)` \| `(\w+)` \| (.*?) \| `", text, re.MULTILINE)
    return {name: (folder, what) for name, folder, what in found}


def _paragraph(text):
    """Paragraph with the code between back quotes as code, beginning with a capital letter."""
    paragraph = nodes.paragraph()
    for place, part in enumerate(f"{text[:1].upper()}{text[1:]}.".split("`")):
        paragraph += nodes.literal("", part) if place % 2 else nodes.Text(part)
    return paragraph


def _contents(sections, known):
    """A line of links for each subject."""
    listed = nodes.bullet_list()
    for folder, subject in SUBJECTS.items():
        line = nodes.paragraph("", f"{subject}: ")
        own = [section for section in sections if known.get(section["names"][0], ("",))[0] == folder]
        for place, section in enumerate(own):
            line += nodes.Text(", " if place else "")
            link = {"refid": section["ids"][0], "internal": True}
            line += nodes.reference("", section["names"][0], **link)
        if own:
            listed += nodes.list_item("", line)
    return listed


def _fold(table):
    """Put a long table behind a line that opens it."""
    n_rows = sum(len(body) for body in table.findall(nodes.tbody))
    if n_rows < _LONG:
        return
    start, end = f"<details><summary>Table of {n_rows} rows</summary>", "</details>"
    place = table.parent.index(table)
    table.parent.insert(place + 1, nodes.raw("", end, format="html"))
    table.parent.insert(place, nodes.raw("", start, format="html"))


def _process(app, doctree):
    if app.env.current_document.docname != PAGE:
        return
    sections, known = list(next(doctree.findall(nodes.section)).findall(nodes.section)), described()
    sections = [section for section in sections if section["names"]][1:]
    for section in sections:
        name = section["names"][0]
        if name in known:
            section.insert(1, _paragraph(known[name][1]))
    sections[0].parent.insert(sections[0].parent.index(sections[0]), _contents(sections, known))
    for table in list(doctree.findall(nodes.table)):
        _fold(table)


def setup(app):
    """Process the page once it is read."""
    app.connect("doctree-read", _process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
