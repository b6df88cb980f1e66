"""Commands that set machines side by side: compare and reproduce."""

from pathlib import Path
from typing import Annotated

import typer

from .options import Dask, Debug, Decimal, Drop, Encoding, Groups, Jobs, Json, Seed, Sep, Task, TaskOption
from .tables.csv_format import CsvFormat


def compare(
    tables: Annotated[list[Path], typer.Argument(metavar="TABLE...", help="CSV or Parquet files.")],
    target: Annotated[str, typer.Option(help="The column to predict, the same in every table.")],
    machines: Annotated[
        str | None,
        typer.Option(
            help="Names with commas between: those of `pauca fit`, svm, logreg, rf, hgb, lightgbm and gp. "
            "Unless given: sparsegp and these, as far as they are installed and the rows not too many."
        ),
    ] = None,
    task: TaskOption = Task.auto,
    measure: Annotated[
        str | None, typer.Option(help="Score that ranks the machines: error, log_loss, auc, rmse, ...")
    ] = None,
    control: Annotated[
        str | None, typer.Option(help="Compare this machine with the others, not all pairs.")
    ] = None,
    splits: Annotated[int, typer.Option(min=1, help="Random splits of every table.")] = 10,
    test_size: Annotated[
        float, typer.Option(min=0.01, max=0.99, help="Fraction of the rows held out.")
    ] = 0.25,
    drop: Drop = None,
    groups: Groups = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML report.")] = Path(
        "pauca-report.html"
    ),
    store: Annotated[
        Path | None,
        typer.Option(help="File that keeps the results for the next run; beside the report by default."),
    ] = None,
    jobs: Jobs = 1,
    dask: Dask = None,
    seed: Seed = 0,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare machines on one or more tables: scores, ranks, tests, and an HTML report."""
    from .commands.compare import CompareOptions, compare_tables

    options = CompareOptions(
        target,
        machines,
        task.value,
        measure,
        control,
        splits,
        test_size,
        tuple(drop or ()),
        seed,
        jobs,
        dask,
        store,
        output,
        CsvFormat(sep, encoding, decimal),
        groups,
    )
    compare_tables(tables, options, as_json)


def reproduce(
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="[TABLE]...", help="Tables, or papers; all unless given.")
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option(help="Measure this row of the table alone; may be repeated.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="Measure this column of the table alone; may be repeated.")
    ] = None,
    only_missing: Annotated[
        bool, typer.Option("--missing", help="Leave out what docs/results has by today's code.")
    ] = False,
    show_list: Annotated[bool, typer.Option("--list", help="List the tables and stop.")] = False,
    splits: Annotated[
        int | None,
        typer.Option(min=1, help="Number of repetitions; as many as in the paper unless given."),
    ] = None,
    jobs: Jobs = 1,
    dask: Dask = None,
    store: Annotated[
        Path | None, typer.Option(help="File that keeps the results; those it has are not computed again.")
    ] = None,
    figure: Annotated[
        str | None, typer.Option(help="Draw this figure of the papers, or 'all', and stop.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File of the figure (folder of all); NAME.png unless given."),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            help="Add the results in the store to this folder and write its pages; compute nothing."
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Compute the tables of the papers again: measured beside published, with a verdict for each cell."""
    from .commands.reproduce import ReproduceOptions, list_tables, reproduce_tables, write_results

    options = ReproduceOptions(
        tuple(tables or ()),
        tuple(dataset or ()),
        tuple(method or ()),
        only_missing,
        splits,
        jobs,
        dask,
        store,
    )
    if show_list:
        list_tables(as_json)
    elif figure is not None:
        from .reports.paper_figures import draw_figures

        draw_figures(figure, output)
    elif page is not None:
        write_results(page, options)
    else:
        reproduce_tables(options, as_json)
