"""Options that several commands share."""

from enum import StrEnum
from typing import Annotated

import typer


class Task(StrEnum):
    """Learning task of a table."""

    auto = "auto"
    classification = "classification"
    regression = "regression"


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Jobs = Annotated[int, typer.Option(help="Number of processes; -1 for every core.")]
Dask = Annotated[str | None, typer.Option(help="Address of a Dask scheduler, or local for a new cluster.")]
Seed = Annotated[int, typer.Option(help="Random seed.")]
TaskOption = Annotated[Task, typer.Option("--task", help="What to learn; auto looks at the target.")]
Drop = Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")]
Groups = Annotated[
    str | None,
    typer.Option(
        help="A column that says which rows belong together, such as the patient: no group is both learned "
        "from and scored on."
    ),
]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="Put an apostrophe before text that a spreadsheet would take for a formula.",
    ),
]
Sep = Annotated[
    str | None,
    typer.Option(help="Delimiter of CSV files, such as ';' or tab; found out unless given."),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="Encoding of CSV files, such as cp1252; UTF-8, else cp1252, unless given."),
]
Decimal = Annotated[
    str | None,
    typer.Option(help="Decimal mark of CSV files: . or ,; found out unless given."),
]
