"""Every command that the documents show has the arguments and options that it needs, and no others."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from pauca.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "benchmarks" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def documented():
    """Commands on lines of their own, and in the text those with more than a name."""
    found = set()
    for page in PAGES:
        if "_build" in page.parts:
            continue
        text = page.read_text(encoding="utf-8")
        lines = re.findall(r"^ *(pauca [a-z][^#\n]*)", text, re.MULTILINE)
        inside = re.findall(r"`(pauca [a-z]+ [^`\n]*?)`", text)
        found |= {words.strip() for words in (*lines, *inside) if "..." not in words}
    return sorted(found)


@pytest.mark.parametrize("words", documented())
def test_documented_commands_are_understood(words):
    command = typer.main.get_command(app)
    name, *rest = shlex.split(words)[1:]
    if name not in command.commands:
        pytest.skip("a sentence that begins with the name")
    command.commands[name].make_context(name, rest)


def test_commands_are_documented():
    shown = {words.split()[1] for words in documented()}
    assert set(typer.main.get_command(app).commands) <= shown
