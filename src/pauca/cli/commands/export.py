"""``pauca export``: a saved model as ONNX or as C."""

from pathlib import Path
from typing import Any

from pauca.export import CannotExport, c_bytes, portable_of, to_c, to_onnx

from ..errors import BadInput
from ..reports.terminal import print_json, print_lines
from ..tables.files import check_destination, open_model


def export_model(
    model_path: Path, target: str, output: Path, precision: str, name: str, as_json: bool = False
) -> None:
    """Write the model in another language, and say what the file needs."""
    check_destination(output)
    model, _ = open_model(model_path)
    try:
        if target == "c":
            to_c(model, output, precision=precision, name=name)
        else:
            to_onnx(model, path=output, precision=precision)
        document = _document(model, model_path, target, output, precision)
    except CannotExport as error:
        raise BadInput(str(error)) from error
    except (ImportError, ValueError) as error:
        raise BadInput(str(error)) from error
    if as_json:
        print_json(document)
        return
    lines = [f"wrote {output}: {document['bytes'] / 1000:.1f} kB"]
    if "constants" in document:
        lines.append(f"constants: {document['constants'] / 1000:.1f} kB; compile with cc -std=c99 -O3 -lm")
    for column, levels in document["categories"].items():
        codes = ", ".join(f"{code} = {level}" for code, level in enumerate(levels))
        lines.append(f"column {column} takes codes in C: {codes}")
    print_lines(lines)


def _document(model: Any, path: Path, target: str, output: Path, precision: str) -> dict[str, Any]:
    """What was written, and how columns of text are coded in C."""
    form: Any = portable_of(model)
    inputs = getattr(form, "inputs", None)
    levels = {} if inputs is None or target != "c" else inputs.levels
    names = () if inputs is None else inputs.names
    document = {
        "model": str(path),
        "to": target,
        "output": str(output),
        "bytes": output.stat().st_size,
        "columns": list(names),
        "categories": {names[place] if names else str(place): list(each) for place, each in levels.items()},
    }
    if target == "c":
        document["constants"] = c_bytes(model, precision=precision)
    return document
