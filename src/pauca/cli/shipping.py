"""Commands for models that leave: export, show and distil."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .options import Debug, Decimal, Encoding, Json, Seed, Sep
from .tables.csv_format import CsvFormat

Model = Annotated[Path, typer.Argument(help="A model saved by `pauca fit -o`.")]


class Language(StrEnum):
    """What a model is exported to."""

    onnx = "onnx"
    c = "c"


class Precision(StrEnum):
    """Type of rows and predictions."""

    float = "float"
    double = "double"


def export(
    model: Model,
    to: Annotated[Language, typer.Option(help="An ONNX graph, or one C99 file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    precision: Annotated[Precision, typer.Option(help="Type of rows and predictions.")] = Precision.float,
    name: Annotated[str, typer.Option(help="Beginning of all names in a C file.")] = "model",
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a saved model as ONNX or as C."""
    from .commands.export import export_model

    export_model(model, to.value, output, precision.value, name, as_json)


def show(
    model: Model,
    html: Annotated[Path | None, typer.Option(help="Write the page as HTML into this file, too.")] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Say what a saved model is: data, vectors, kernel, evidence, behaviour far away, warnings."""
    from .commands.show import show_model

    show_model(model, html, as_json)


def distil(
    model: Annotated[Path, typer.Argument(help="A saved model of any kind, the teacher.")],
    table: Annotated[Path, typer.Argument(help="CSV or Parquet file, best the training table.")],
    max_bytes: Annotated[
        int | None, typer.Option(min=1, help="Largest number of bytes of the student's constants in C.")
    ] = 20_000,
    max_vectors: Annotated[int | None, typer.Option(min=1, help="Largest number of vectors.")] = None,
    extra_rows: Annotated[
        str, typer.Option(help="Number of extra rows that the teacher labels, or auto.")
    ] = "auto",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save the student.")] = None,
    seed: Seed = 0,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Make a small, fast model that agrees with a saved one."""
    from .commands.distil import DistilOptions, distil_model

    form = CsvFormat(sep, encoding, decimal)
    options = DistilOptions(max_bytes, max_vectors, extra_rows, output, seed, form)
    distil_model(model, table, options, as_json)
