"""The site in a browser: pages fit phones and desktops, the search finds, nothing is asked of the network."""

import json
import os
import re
import shutil
import subprocess
from html import unescape

import pytest

pytestmark = pytest.mark.slow

# A page with a frame of the wanted width, since windows have a least width; it writes what it measured.
_FRAME = """<!DOCTYPE html><html><body style="margin:0"><iframe id="f" src="{url}" style="border:0"
width="{width}" height="900"></iframe><pre id="found">nothing</pre><script>
const frame = document.getElementById("f");
function look() {{
  const page = frame.contentDocument, root = page.documentElement;
  const wide = [...page.querySelectorAll("body *")].filter((e) => {{
    if (e.closest("table, pre, .highlight, .formula, dialog, .sd-d-none, .headerlink")) return false;
    const box = e.getBoundingClientRect();
    return box.width > 0 && box.right > {width} + 1 && getComputedStyle(e).position !== "fixed";
  }});
  const results = page.querySelectorAll("#search-results li").length;
  document.getElementById("found").textContent = JSON.stringify({{
    scroll: root.scrollWidth, wide: wide.slice(0, 3).map((e) => e.outerHTML.slice(0, 120)), results: results,
    title: page.title }});
}}
frame.addEventListener("load", () => setTimeout(look, {wait}));
</script></body></html>
"""


@pytest.fixture(scope="module")
def browser():
    """The path of Chromium."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("Chromium is not installed: apt-get install chromium")


def measured(browser, site, page, width, wait=400):
    """What a frame of the given width measures of a page."""
    probe = site / f"probe-{width}-{re.sub(r'[^a-z]', '', page.lower())}.html"
    probe.write_text(_FRAME.format(url=page, width=width, wait=wait), encoding="utf-8")
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--dump-dom"]
    words += [
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--virtual-time-budget=6000",
        "--window-size=1400,1000",
    ]
    run = subprocess.run(
        [browser, *words, probe.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "HOME": str(site)},
    )
    probe.unlink()
    text = re.search(r'<pre id="found">(.*?)</pre>', run.stdout, re.DOTALL)
    assert text is not None, run.stderr[-2000:]
    assert text[1] != "nothing", run.stderr[-2000:]
    return json.loads(unescape(text[1]))


PAGES = (
    *("index.html", "which.html", "limits.html", "user/probabilities.html", "migrate/svc.html"),
    *("theory/sparse_gp.html", "api/pauca.SparseGPClassifier.html", "gallery/index.html", "benchmarks.html"),
)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page", PAGES)
def test_pages_fit(browser, site, page, width):
    found = measured(browser, site, page, width)
    assert found["wide"] == []
    assert found["scroll"] <= width


@pytest.mark.parametrize("words", ["calibration", "SparseGPRegressor", "label noise"])
def test_the_search_finds(browser, site, words):
    page = "search.html?q=" + words.replace(" ", "+")
    assert measured(browser, site, page, 1280, wait=2500)["results"] >= 3
