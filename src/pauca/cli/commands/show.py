"""``pauca show``: a readable page about a saved model."""

from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from ..errors import BadInput
from ..reports.terminal import print_json, print_lines
from ..tables.files import check_destination, open_model


def show_model(model_path: Path, html: Path | None = None, as_json: bool = False) -> None:
    """Print the summary of the machine in a model file, or write it as HTML."""
    check_destination(html)
    model, metadata = open_model(model_path)
    machine = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if not hasattr(machine, "summary"):
        raise BadInput(f"{model_path} holds a {type(machine).__name__}, which has no summary.")
    summary = machine.summary()
    if html is not None:
        page = f"<!doctype html>\n<meta charset='utf-8'>\n{summary._repr_html_()}\n"
        html.write_text(page, encoding="utf-8")
    if as_json:
        print_json(_document(model_path, metadata, summary))
        return
    learned = [f"{model_path}: predicts {metadata['target']}"] if "target" in metadata else []
    print_lines([*learned, *str(summary).split("\n")])


def _document(path: Path, metadata: dict[str, Any], summary: Any) -> dict[str, Any]:
    """Summary as plain dictionaries."""
    described: dict[str, Any] = {key: metadata[key] for key in ["target", "task"] if key in metadata}
    sections = {"sections": summary.sections, "warnings": summary.warnings}
    return {"model": str(path), **described, "machine": summary.title, **sections}
