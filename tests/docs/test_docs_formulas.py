"""Every formula of the documents can be written as MathML, as the site does."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(path for path in FOLDER.rglob("*.md") if not {"_build", "results"} & set(path.parts))


def formulas(page):
    """Formulas of a page, those in lines of their own first."""
    text = re.sub(
        r"^```.*?^```|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    blocks = re.findall(r"\$\$(.+?)\$\$", text, re.DOTALL)
    rest = re.sub(r"\$\$.+?\$\$", "", text, flags=re.DOTALL)
    return blocks + re.findall(r"(?<![\\$])\$([^$]+)\$", rest)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if formulas(page)], ids=lambda page: page.relative_to(FOLDER).as_posix()
)
def test_formulas_can_be_drawn(page):
    converter = pytest.importorskip("docutils.utils.math.latex2mathml", reason="docutils is not installed")
    for formula in formulas(page):
        assert converter.tex2mathml(formula).startswith("<math"), formula
        assert not re.search(r"frac\s*\d", formula), f"{formula}: docutils reads the digits as one number"


def test_the_theory_has_formulas():
    assert sum(len(formulas(page)) for page in PAGES) >= 60
