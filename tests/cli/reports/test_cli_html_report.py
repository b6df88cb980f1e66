"""The HTML report of ``pauca compare``: complete, without network access, and as wide as a phone."""

import html.parser
import re
import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from pauca.cli import contenders
from pauca.cli.app import app


@pytest.fixture(scope="module")
def compared(label_tables, tmp_path_factory):
    """What the command printed about three tables, and the page that it wrote."""
    page = tmp_path_factory.mktemp("page") / "report.html"
    words = ["compare", *label_tables, "--target", "label", "--machines", "rvm,logreg,rf", "--splits", "3"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contenders, "_N_TREES", 10)
        result = CliRunner().invoke(app, [*map(str, words), "-o", str(page)])
    assert result.exit_code == 0, result.output
    return result.stdout, page


class Elements(html.parser.HTMLParser):
    """Tags, their attributes, and whether every tag is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.tags = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *attribute) for attribute in attributes]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_ranks_and_tests_are_printed(compared):
    for words in ("mean rank", "table1", "Friedman test over 3 tables", "Nemenyi test", "wrote"):
        assert words in compared[0]


def test_the_page_has_every_figure_and_closes_its_tags(compared):
    elements = Elements(compared[1].read_text(encoding="utf-8"))
    assert elements.open == []
    assert elements.tags.count("img") == 2 + 2 * 3
    assert elements.tags.count("details") == 4
    assert ("meta", "name", "viewport") in elements.attributes
    assert all(value for tag, name, value in elements.attributes if (tag, name) == ("img", "alt"))


def test_the_page_needs_no_network(compared):
    page = compared[1].read_text(encoding="utf-8")
    elements = Elements(page)
    assert not {"script", "link", "iframe"} & set(elements.tags)
    sources = [value for _, name, value in elements.attributes if name in ("src", "href")]
    assert sources
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert not re.search(r"https?://", page)


def test_the_page_in_a_browser(compared, tmp_path):
    """Chromium draws every figure, and nothing is wider than a phone."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    probe = (
        compared[1]
        .read_text(encoding="utf-8")
        .replace(
            "</body>",
            "<script>addEventListener('load', () => { const images = [...document.images];"
            "document.title = 'wide ' + document.documentElement.scrollWidth + ' of ' + innerWidth"
            "+ ', drawn ' + images.filter(i => i.naturalWidth > 100).length + ' of ' + images.length; })"
            "</script></body>",
        )
    )
    probed = tmp_path / "probed.html"
    probed.write_text(probe, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=500,900"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=5000", "--dump-dom"]
    shown = subprocess.run(
        [chromium, *options, probed.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    found = re.search(r"<title>wide (\d+) of (\d+), drawn (\d+) of (\d+)</title>", shown.stdout)
    wide, room, drawn, images = map(int, found.groups())
    assert wide <= room <= 500
    assert drawn == images == 8
