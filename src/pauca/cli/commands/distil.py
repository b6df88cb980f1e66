"""``pauca distil``: a saved model made into a small sparse Gaussian process."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pauca import distil
from pauca.distillation import Distillation
from pauca.persistence import save

from ..errors import BadInput
from ..held_out import warnings_as_notes
from ..reports.progress import progress
from ..reports.terminal import print_json, print_lines
from ..tables.columns import categories
from ..tables.csv_format import CsvFormat
from ..tables.encoding import features
from ..tables.files import check_model_destination, open_model, read_table
from ..tables.target import drop_missing_target, read_target


@dataclass(frozen=True)
class DistilOptions:
    """Options of ``pauca distil``."""

    max_bytes: int | None = None
    max_vectors: int | None = None
    extra_rows: str = "auto"
    output: Path | None = None
    seed: int = 0
    form: CsvFormat = field(default_factory=CsvFormat)


def distil_model(model_path: Path, table_path: Path, options: DistilOptions, as_json: bool = False) -> None:
    """Fit a student to the answers of a saved model on a table, print how it agrees, and save it."""
    check_model_destination(options.output)
    model, metadata = open_model(model_path, "task", "columns", "target")
    notes: list[str] = []
    table = read_table(table_path, categories(metadata["columns"]), options.form, notes)
    y = None
    if metadata["target"] in table.columns:
        table, missing = drop_missing_target(table, metadata["target"])
        _, y, _ = read_target(table[metadata["target"]], metadata["task"])
        notes += missing
    X = features(table, metadata["columns"])
    with warnings_as_notes("student", notes), progress("distil", 1) as advance:
        found = _distilled(model, X, y, options)
        advance()
    saved = _save(found, metadata, options.output)
    if as_json:
        described = {"model": str(model_path), "table": str(table_path)}
        print_json({**described, **_document(found), **saved, "notes": notes})
        return
    print_lines([*str(found).split("\n"), *(f"saved {path}" for path in saved.values())])
    print_lines(notes, style="dim")


def _distilled(model, X, y, options):
    try:
        extra: Any = options.extra_rows if options.extra_rows == "auto" else int(options.extra_rows)
    except ValueError as error:
        raise BadInput("--extra-rows must be a number of rows, or auto.") from error
    limits = {"max_bytes": options.max_bytes, "max_vectors": options.max_vectors}
    try:
        return distil(model, X, y, **limits, extra_rows=extra, random_state=options.seed)
    except ValueError as error:
        raise BadInput(str(error)) from error


def _save(found: Distillation, metadata: dict[str, Any], output: Path | None) -> dict[str, str]:
    """Save the student with all that `pauca predict` needs."""
    if output is None:
        return {}
    save(found.student, output, metadata=metadata)
    return {"output": str(output)}


def _document(found: Distillation) -> dict[str, Any]:
    """All but the student itself."""
    return {name: value for name, value in asdict(found).items() if name != "student"}
