"""The HTML report of ``pauca compare``: complete, without network access, and as wide as a phone."""

import html.parser
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
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


def test_the_page_begins_with_a_summary(compared):
    text = compared[1].read_text(encoding="utf-8")
    start = text.split("<h2>", 2)[1]
    assert start.startswith("In short</h2>")
    for words in (
        "Best by error: ",
        "mean rank",
        "Best calibrated: ",
        "Fastest to predict: ",
    ):
        assert words in start
    assert "significantly worse" in start or "Significantly worse" in start


def test_plots_have_their_names_and_machines_their_columns(compared):
    text = compared[1].read_text(encoding="utf-8")
    assert text.count("<figcaption>Risk-coverage curve: ") == 3
    assert text.count("<figcaption>Reliability diagram: ") == 3
    assert text.count("<h3>Columns that matter</h3>") == 3
    assert "Wide tables scroll sideways." in text
    # The label of table k depends on its column k only: shuffling it hurts most.
    for k, name in enumerate("abc"):
        rows = text.split("<h3>Columns that matter</h3>")[k + 1].split("<tbody>")[1]
        assert re.search(r"<td[^>]*>(\w)</td>", rows)[1] == name


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
        [chromium, *options, probed.as_uri()], capture_output=True, text=True, timeout=600, check=True
    )
    found = re.search(r"<title>wide (\d+) of (\d+), drawn (\d+) of (\d+)</title>", shown.stdout)
    wide, room, drawn, images = map(int, found.groups())
    assert wide <= room <= 500
    assert drawn == images == 8


HOSTILE = "<script>alert('x')</script>"


def test_hostile_names_stay_text(tmp_path):
    """Names of columns, classes and files that are markup, or very long, do no harm in a browser."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    names = [f"a{HOSTILE}", "“" + "x" * 150 + "”", "</table></div>&amp;"]
    label = np.where(X[:, 0] > 0, "<b>ja", "nein\u202e&")
    table = tmp_path / "t&<i>.csv"
    pd.DataFrame(X, columns=names).assign(**{"target<": label}).to_csv(table, index=False)
    words = ["compare", str(table), "--target", "target<", "--machines", "rvm,logreg", "--splits", "2"]
    page = tmp_path / "report.html"
    assert CliRunner().invoke(app, [*words, "-o", str(page)]).exit_code == 0
    text = page.read_text(encoding="utf-8")
    elements = Elements(text)
    assert elements.open == []
    assert not {"script", "b", "i"} & set(elements.tags)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    probed = tmp_path / "probed.html"
    look = "const names = [...document.querySelectorAll('td:first-child')].map(e => e.offsetWidth);"
    look += "document.title = 'wide ' + document.documentElement.scrollWidth + ' of ' + innerWidth"
    look += "+ ', names ' + Math.max(...names)"
    look = f"<script>addEventListener('load', () => {{ {look}; }})</script></body>"
    probed.write_text(text.replace("</body>", look), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=500,900"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=5000", "--dump-dom"]
    shown = subprocess.run(
        [chromium, *options, probed.as_uri()], capture_output=True, text=True, timeout=600, check=True
    )
    found = re.search(r"<title>wide (\d+) of (\d+), names (\d+)</title>", shown.stdout)
    wide, room, names = map(int, found.groups())
    assert wide <= room <= 500
    assert names <= room / 2  # the numbers beside a long name can be seen
