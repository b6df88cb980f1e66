"""The site builds without a warning; every link leads somewhere, and every public name has a page."""

import json
import re
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import pauca

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


class Page(HTMLParser):
    """Links, anchors and images of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.sources = [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("img", "script") and values.get("src"):
            self.sources.append((tag, values))
        if tag == "link" and values.get("href"):
            self.sources.append((tag, {"src": values["href"]}))


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}


def test_every_link_leads_somewhere(pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = (
                pages[target].anchors if target in pages and parts.fragment else {unquote(parts.fragment)}
            )
            if not target.exists() or unquote(parts.fragment) not in anchors:
                broken.append((path.name, link))
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(pages):
    remote = {values["src"] for page in pages.values() for _, values in page.sources if "//" in values["src"]}
    assert remote == set()
    missing = [
        (path.name, values["src"])
        for path, page in pages.items()
        for _, values in page.sources
        if not values["src"].startswith("data:") and not (path.parent / urlsplit(values["src"]).path).exists()
    ]
    assert missing == []


def test_pictures_have_descriptions(pages):
    assert [
        (path.name, v) for path, p in pages.items() for t, v in p.sources if t == "img" and "alt" not in v
    ] == []


def test_every_public_name_has_a_page(pages, site):
    for name in pauca.__all__:
        if name not in ("__version__", "datasets"):
            assert (site / "api" / f"pauca.{name}.html").exists()
    from api_pages import public_names

    for place, names in public_names().items():
        module = f"pauca.{place}" if place else "pauca"
        index = (site / "api" / f"{place or 'pauca'}_index.html").read_text(encoding="utf-8") if names else ""
        assert [name for name in names if f"{module}.{name}" not in index] == []


def test_the_search_knows_names_and_words(site):
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)", text, re.DOTALL)[1])
    titles = " ".join(index["titles"])
    assert "Which machine?" in titles
    assert "When not to use it" in titles
    assert {"calibr", "vector"} <= set(index["terms"])


def test_the_page_of_the_benchmarks_says_what_is_measured_and_folds_long_tables(site):
    from benchmark_sections import SUBJECTS, described
    from benchmarks.__main__ import SECTIONS

    assert set(described()) == set(SECTIONS)
    assert {folder for folder, _ in described().values()} == set(SUBJECTS)
    text = (site / "benchmarks.html").read_text(encoding="utf-8")
    written = re.findall(r"^## ([\w-]+)$", (ROOT / "docs" / "benchmarks.md").read_text("utf-8"), re.MULTILINE)
    for name in written:
        section = text.split(f'<section id="{name}">')[1].split("</p>")[0]
        start = described()[name][1].split("`")[0][1:40]
        assert escape(start, quote=False) in section
        assert f'href="#{name}"' in text
    article = text.split("<article")[1].split("</article>")[0]
    assert article.count("<details><summary>Table of ") == article.count("</details>") >= 5
    assert re.search(r"</details>\s*<p>", article)


def test_the_start_page_says_what_a_newcomer_asks(site):
    text = " ".join(re.sub(r"<[^>]+>", " ", (site / "index.html").read_text(encoding="utf-8")).split())
    for part in ("scikit-learn", "pip install", "SparseGPClassifier", "When not to use it", "rows"):
        assert part in text
