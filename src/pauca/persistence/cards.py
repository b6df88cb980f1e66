"""Model cards: a page in Markdown beside a model file."""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from .. import __version__
from ..atomic_file import replacing

_USE = """```python
from pauca import load

model = load({name!r})
```"""


def write_card(model: Any, path: str | os.PathLike[str]) -> Path:
    """Write the card of a saved model; the path of the card."""
    destination = Path(path).with_suffix(".md")
    if destination == Path(path):
        raise ValueError("A model whose file ends in .md has no room for a card: choose another ending.")
    card = import_module("skops.card").Card(model, model_diagram=False, template=None)
    kind = type(_last(model)).__name__
    card.add(**{kind: f"A model of pauca {__version__}, saved as {_code(Path(path).name)}."})
    summary = getattr(_last(model), "summary", None)
    if summary is not None:
        card.add(**{f"{kind}/Summary": summary().to_markdown()})
    card.add_hyperparams(section=f"{kind}/Arguments")
    card.add(**{f"{kind}/How to use": _USE.format(name=Path(path).name)})
    with replacing(destination) as temporary:
        temporary.write_text(card.render(), encoding="utf-8")
    return destination


def _last(model):
    """The machine itself, for a pipeline its last step."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def _code(text):
    """Text as code in Markdown."""
    return "`" + text.replace("`", "'") + "`"
