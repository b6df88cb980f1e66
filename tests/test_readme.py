"""The Python in the README and the guide runs as it stands."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def python_blocks(*pages):
    text = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in pages)
    return re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def test_python_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    blocks = python_blocks("README.md", "docs/guide.md")
    for block in blocks:
        exec(block, namespace)
    assert len(blocks) >= 3
    assert namespace["machine"].converged_


def test_first_screen_has_two_commands():
    first_screen = (ROOT / "README.md").read_text(encoding="utf-8").split("## ")[0]
    assert re.findall(r"^make \w+", first_screen, flags=re.MULTILINE) == ["make demo", "make test"]
