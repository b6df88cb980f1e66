"""The site in a browser: pages fit phones and desktops, the search finds, nothing is asked of the network."""

import json
import os
import re
import shutil
import subprocess
from html import unescape

import pytest

pytestmark = pytest.mark.slow

# A frame of the wanted width, since windows have a least width, in which page after page is opened.
_PROBE = """<!DOCTYPE html><html><body style="margin:0"><iframe id="f" style="border:0" height="900"></iframe>
<pre id="found"></pre><script>
const frame = document.getElementById("f"), cases = CASES, found = [];
function look() {
  const page = frame.contentDocument, width = frame.width;
  const free = "table, pre, .highlight, .formula, dialog, .sd-d-none, .headerlink";
  const wide = [...page.querySelectorAll("body *")].filter((e) => {
    const box = e.getBoundingClientRect();
    const fixed = getComputedStyle(e).position === "fixed";
    return box.width > 0 && box.right > +width + 1 && !e.closest(free) && !fixed;
  });
  found.push({ scroll: page.documentElement.scrollWidth,
    wide: wide.slice(0, 3).map((e) => e.outerHTML.slice(0, 120)),
    results: page.querySelectorAll("#search-results li").length });
  next();
}
function next() {
  if (found.length === cases.length) {
    document.getElementById("found").textContent = JSON.stringify(found);
    return;
  }
  const [url, width, wait] = cases[found.length];
  frame.width = width;
  frame.onload = () => setTimeout(look, wait);
  frame.src = url;
}
next();
</script></body></html>
"""
PAGES = (
    *("index.html", "which.html", "limits.html", "user/probabilities.html", "migrate/svc.html"),
    *("theory/sparse_gp.html", "api/pauca.SparseGPClassifier.html", "gallery/index.html", "benchmarks.html"),
)
WIDTHS = (390, 1280)
SEARCHES = ("calibration", "SparseGPRegressor", "label noise")


@pytest.fixture(scope="module")
def measured(site):
    """What the browser measures of every page at every width, and of every search."""
    names = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    browser = next((name for name in names if name), None)
    if browser is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    cases = {(page, width): (page, width, 300) for page in PAGES for width in WIDTHS}
    cases |= {(words, None): (f"search.html?q={words.replace(' ', '+')}", 1280, 2500) for words in SEARCHES}
    probe = site / f"probe-{os.getpid()}.html"
    probe.write_text(_PROBE.replace("CASES", json.dumps(list(cases.values()))), encoding="utf-8")
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--dump-dom"]
    words += [
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--virtual-time-budget=60000",
        "--window-size=1400,1000",
    ]
    run = subprocess.run(
        [browser, *words, probe.as_uri()],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env={**os.environ, "HOME": str(site)},
    )
    probe.unlink()
    text = re.search(r'<pre id="found">(.+?)</pre>', run.stdout, re.DOTALL)
    assert text is not None, run.stderr[-2000:]
    return dict(zip(cases, json.loads(unescape(text[1])), strict=True))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", PAGES)
def test_pages_fit(measured, page, width):
    found = measured[page, width]
    assert found["wide"] == []
    assert found["scroll"] <= width


@pytest.mark.parametrize("words", SEARCHES)
def test_the_search_finds(measured, words):
    assert measured[words, None]["results"] >= 3
