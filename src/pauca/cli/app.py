"""Commands and their options; each command imports its work when it runs."""

from pathlib import Path
from typing import Annotated

import rich  # noqa: F401  (fails here, not during the work, where it is not installed)
import typer

from pauca import __version__

from . import shipping, studies
from .errors import USAGE
from .options import (
    Dask,
    Debug,
    Decimal,
    Drop,
    Encoding,
    EscapeFormulas,
    Groups,
    Json,
    Seed,
    Sep,
    Task,
    TaskOption,
)
from .outputs import Commands
from .tables.csv_format import CsvFormat

app = typer.Typer(
    cls=Commands,
    help="Sparse Bayesian machines: few terms, fast predictions, honest probabilities.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"pauca {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _without_command(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(USAGE)


@app.command()
def demo(
    plot: Annotated[Path | None, typer.Option(help="Draw the decision surface into this PNG file.")] = None,
    seed: Seed = 0,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Set a sparse Gaussian process beside what people use today, on real tables and where truth is known."""
    from .commands.demo import run_demo

    run_demo(seed, plot, as_json)


@app.command()
def fit(
    tables: Annotated[
        list[Path],
        typer.Argument(
            metavar="TABLE...", help="CSV or Parquet file; Parquet files of any size, folders of them."
        ),
    ],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    machine: Annotated[
        str | None,
        typer.Option(
            help="The machine to train: sparsegp, rvm, epcvm, pcvm, ard, bm (Bayes machine), "
            "sbm (sparse Bayes machine), spikeslab or forest. "
            "Unless given: sparsegp."
        ),
    ] = None,
    task: TaskOption = Task.auto,
    test_size: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Fraction of the rows held out for the scores (0.25 unless given)."),
    ] = None,
    cv: Annotated[int | None, typer.Option(help="Cross-validate with this many folds instead.")] = None,
    drop: Drop = None,
    groups: Groups = None,
    compare: Annotated[
        bool, typer.Option(help="Score an SVM, a linear model, boosting and a Gaussian process as well.")
    ] = True,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Save the model, trained on all rows.")
    ] = None,
    dask: Dask = None,
    seed: Seed = 0,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Learn a column of a table from the others, and score the machine on held-out rows."""
    from .commands.fit import FitOptions, fit_table
    from .commands.fit_blocks import fit_files, reads_in_blocks

    form = CsvFormat(sep, encoding, decimal)
    options = FitOptions(
        target, machine, task.value, test_size, cv, seed, tuple(drop or ()), compare, output, form, groups
    )
    if reads_in_blocks(tables, dask):
        fit_files(tables, options, dask, as_json)
    else:
        fit_table(tables[0], options, as_json)


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="A model saved by `pauca fit -o`.")],
    table: Annotated[
        Path, typer.Argument(help="CSV or Parquet file with the columns of the training table.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="CSV or Parquet file to write; otherwise CSV on stdout."),
    ] = None,
    escape_formulas: EscapeFormulas = False,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Add predictions and their uncertainty to a table."""
    from .commands.predict import predict_table

    predict_table(model, table, output, CsvFormat(sep, encoding, decimal), as_json, escape_formulas)


@app.command()
def prune(
    model: Annotated[
        Path, typer.Argument(help="A saved ensemble, for example by `pauca fit --machine forest`.")
    ],
    table: Annotated[
        Path, typer.Argument(help="CSV or Parquet file with the rows on which members are scored.")
    ],
    target: Annotated[
        str | None, typer.Option(help="The column to predict; the target of the model unless given.")
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="ordered, sdp, exhaustive, evidence, ambiguity or decorrelation; for votes also "
            "reduce-error, complementarity, margin-distance or boosting."
        ),
    ] = "ordered",
    size: Annotated[str, typer.Option(help="Fraction or number of members to keep, or auto.")] = "0.2",
    out_of_bag: Annotated[
        bool,
        typer.Option(
            "--out-of-bag",
            help="Score members on their out-of-bag rows or refuse; without it that happens if it can.",
        ),
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save the pruned model.")] = None,
    seed: Seed = 0,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Reduce a saved ensemble to the members that are best together."""
    from .commands.prune import PruneOptions, prune_model

    form = CsvFormat(sep, encoding, decimal)
    options = PruneOptions(target, method, size, out_of_bag, seed, output, form)
    prune_model(model, table, options, as_json)


@app.command()
def speedup(
    model: Annotated[
        Path, typer.Argument(help="A saved ensemble, for example by `pauca fit --machine forest`.")
    ],
    table: Annotated[Path, typer.Argument(help="CSV or Parquet file with rows to predict.")],
    confidence: Annotated[
        float | None,
        typer.Option(
            help="Probability of the same answer as by all members; unless given 0.99 for forests and "
            "bagging, 1 for other classifiers, 0.95 for regressors."
        ),
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="Regression: largest distance from the mean of all members.")
    ] = None,
    seed: Seed = 0,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Measure how much faster a saved ensemble answers if it asks only the members that a row needs."""
    from .commands.speedup import SpeedupOptions, measure_speedup

    options = SpeedupOptions(confidence, tolerance, seed, CsvFormat(sep, encoding, decimal))
    measure_speedup(model, table, options, as_json)


@app.command()
def rank(
    table: Annotated[Path, typer.Argument(help="CSV or Parquet file, one sample a row.")],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    top: Annotated[int, typer.Option(min=1, help="Number of columns to show, most probable first.")] = 20,
    expected_features: Annotated[
        str,
        typer.Option(
            help="Expected number of relevant columns a priori; evidence to estimate it, posterior to "
            "average over it and over none."
        ),
    ] = "32",
    task: TaskOption = Task.auto,
    drop: Drop = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="CSV or Parquet file for the ranking of all columns."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="PNG file: heat map of the shown columns (regression: all probabilities)."),
    ] = None,
    escape_formulas: EscapeFormulas = False,
    credible_sets: Annotated[
        bool,
        typer.Option(
            "--credible-sets", help="Show groups of correlated columns of which one matters, and plot them."
        ),
    ] = False,
    sep: Sep = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Rank the columns of a table by the probability that they are relevant for the target."""
    from .commands.rank import RankOptions, rank_table

    form = CsvFormat(sep, encoding, decimal)
    options = RankOptions(
        target,
        top,
        expected_features,
        task.value,
        tuple(drop or ()),
        output,
        plot,
        credible_sets,
        form,
        escape_formulas,
    )
    rank_table(table, options, as_json)


for _command in (
    *(studies.compare, studies.reproduce),
    *(shipping.export, shipping.show, shipping.distil),
):
    app.command()(_command)
