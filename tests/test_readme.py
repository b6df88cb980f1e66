"""The Python in the README and on the pages of the site runs as it stands."""

import re
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot

ROOT = Path(__file__).parent.parent


def python_blocks(*pages):
    text = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in pages)
    return re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


# Pages that are generated, and blocks that other tests run.
WITHOUT_BLOCKS = ("benchmarks.md", "development.md")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "docs").rglob("*.md")
    if path.name not in WITHOUT_BLOCKS and "_build" not in path.parts and "results" not in path.parts
)


@pytest.mark.parametrize("page", ["README.md", *(page for page in PAGES if python_blocks(page))])
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    namespace = {"__name__": page}
    try:
        for block in python_blocks(page):
            exec(block, namespace)
    finally:
        pyplot.close("all")


def test_the_pages_have_code():
    assert len(python_blocks("README.md")) >= 1
    assert sum(len(python_blocks(page)) for page in PAGES) >= 30


def test_first_screen_has_two_commands():
    first_screen = (ROOT / "README.md").read_text(encoding="utf-8").split("## ")[0]
    assert re.findall(r"^make \w+", first_screen, flags=re.MULTILINE) == ["make demo", "make test"]
