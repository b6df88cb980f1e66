"""``pauca compare``: several machines on the user's tables, with tests over tables and splits."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pauca.evaluation import (
    NEITHER_IS_BETTER,
    Benchmark,
    Comparison,
    RunStore,
    Workers,
    analyse,
    compare,
    repeated_splits,
)

from ...reporting import job_bar
from ..contenders import DEFAULT_MACHINE, default_peers, left_out_peers, make_contenders, title_of
from ..errors import BadInput
from ..reports.compare_report import MEASURES, ComparisonReport, print_comparison
from ..reports.importances import importance_rows
from ..reports.progress import progress, resumable
from ..reports.terminal import plain, print_json
from ..tables.csv_format import CsvFormat
from ..tables.encoding import model_of
from ..tables.files import check_destination
from ..tables.target import CLASSIFICATION, REGRESSION
from ..tables.training import TrainingTable, read_training_table

_DEFAULT_MEASURE = {CLASSIFICATION: "error", REGRESSION: "rmse"}


@dataclass(frozen=True)
class CompareOptions:
    """Options of ``pauca compare``; ``machines`` are names with commas between."""

    target: str
    machines: str | None = None
    task: str = "auto"
    measure: str | None = None
    control: str | None = None
    splits: int = 10
    test_size: float = 0.25
    drop: tuple[str, ...] = ()
    seed: int = 0
    jobs: int = 1
    dask: str | None = None
    store: Path | None = None
    output: Path = Path("pauca-report.html")
    form: CsvFormat = field(default_factory=CsvFormat)
    groups: str | None = None

    @property
    def protocol(self) -> str:
        """The protocol in words."""
        return f"{self.splits} random splits, {self.test_size:.0%} of the rows held out, seed {self.seed}"


def compare_tables(paths: Sequence[Path], options: CompareOptions, as_json: bool = False) -> None:
    """Evaluate every machine on every table, print ranks and tests, write the HTML report."""
    from ..reports.html_report import write_html

    check_destination(options.output)
    tables = {
        name: read_training_table(
            path, options.target, options.task, options.drop, options.form, options.groups
        )
        for name, path in _names(paths).items()
    }
    report = _report(tables, options)
    write_html(report)
    if as_json:
        print_json(_document(report))
    else:
        print_comparison(report)


def _report(tables: dict[str, TrainingTable], options: CompareOptions) -> ComparisonReport:
    """Results, tests and notes of the comparison."""
    task = _common_task(tables)
    measure = _measure(options.measure, task)
    machines, notes = _machines(tables, options)
    benchmarks = {name: _benchmark(name, table, machines, options) for name, table in tables.items()}
    control = _control(options.control, task, benchmarks)
    comparison = _run(benchmarks, options)
    test_over_train = options.test_size / (1 - options.test_size)
    analysis = analyse(comparison, measure, control=control, test_over_train=test_over_train)
    notes += [f"{name}: {note}" for name, table in tables.items() for note in table.notes]
    notes += [f"left out: {failure}" for failure in comparison.failures]
    with progress("columns that matter", len(benchmarks)) as advance:
        importances = {}
        for name, benchmark in benchmarks.items():
            importances[name] = importance_rows(benchmark)
            advance()
    described = task, options.target, options.protocol, comparison, analysis, control, notes, options.output
    return ComparisonReport(*described, importances)


def _names(paths: Sequence[Path]) -> dict[str, Path]:
    """Tables by the names of their files, or by their paths if two files have the same name."""
    stems = [Path(path).stem for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    if len(set(names)) < len(names):
        raise BadInput("a table is named twice.")
    return dict(zip(names, paths, strict=True))


def _common_task(tables: dict[str, TrainingTable]) -> str:
    tasks = {table.task for table in tables.values()}
    if len(tasks) > 1:
        raise BadInput("some tables are classification, others regression; choose one by --task.")
    return tasks.pop()


def _measure(measure: str | None, task: str) -> str:
    names = [score.name for score in MEASURES[task] if score.name not in NEITHER_IS_BETTER]
    if measure is not None and measure not in names:
        raise BadInput(f"no measure is called {measure!r}; there are {', '.join(names)}.")
    return measure or _DEFAULT_MEASURE[task]


def _machines(tables: dict[str, TrainingTable], options: CompareOptions) -> tuple[list[str], list[str]]:
    """Names of the machines, the same on every table, and notes on those that are left out."""
    names = [part.strip() for part in (options.machines or "").split(",") if part.strip()]
    if names:
        return names, []
    n_rows = int(max(len(table.y) for table in tables.values()) * (1 - options.test_size))
    return [DEFAULT_MACHINE, *default_peers(n_rows)], left_out_peers(n_rows)


def _control(name: str | None, task: str, benchmarks: dict[str, Benchmark]) -> str | None:
    """The title of the control, which must take part; None if there is no control."""
    title = None if name is None else title_of(name, task)
    if title is not None and any(title not in benchmark.estimators for benchmark in benchmarks.values()):
        raise BadInput(f"the control {name!r} is not one of the machines; add it to --machines.")
    return title


def _benchmark(
    name: str, table: TrainingTable, machines: Sequence[str], options: CompareOptions
) -> Benchmark:
    """The splits of a table and the machines, each behind the table's preprocessing."""
    stratify = table.task == CLASSIFICATION
    try:
        train_size = 1 - options.test_size
        splits = repeated_splits(
            table.y,
            options.splits,
            train_size=train_size,
            stratify=stratify,
            seed=options.seed,
            groups=table.groups,
        )
    except ValueError as error:
        raise BadInput(f"{name}: cannot hold out {options.test_size:.0%} of the rows: {error}") from error
    contenders = make_contenders(machines, table.task, table.y[splits[0][0]], options.seed)
    pipelines = {title: model_of(machine, table.kinds) for title, machine in contenders.items()}
    return Benchmark(table.X, table.y, splits, pipelines, table.task)


def _run(benchmarks: dict[str, Benchmark], options: CompareOptions) -> Comparison:
    store = options.store or options.output.with_suffix(".sqlite")
    with resumable(store), RunStore(store) as results, job_bar("compare") as watch:
        comparison = compare(benchmarks, results, workers=Workers(options.jobs, options.dask), watch=watch)
    if len(comparison.results) == 0:
        raise BadInput(f"no machine could be fitted: {comparison.failures[0]}")
    return comparison


def _document(report: ComparisonReport) -> dict[str, Any]:
    """Everything that the HTML report says, for ``--json``."""
    names = ("mean_ranks", "friedman", "nemenyi", "wilcoxon", "control", "splits")
    analysis = report.analysis
    frames = {name: getattr(analysis, name) for name in names}
    results = report.comparison.results.drop(columns=["calibration", "risk_coverage"])
    return {
        "protocol": report.protocol,
        "measure": analysis.measure,
        "scores": plain(report.comparison.scores(analysis.measure).T.to_dict()),
        "critical_difference": analysis.critical_difference,
        "tests": {name: table.to_dict("records") for name, table in frames.items() if table is not None},
        "results": results.to_dict("records"),
        "notes": report.notes,
        "report": str(report.output),
    }
