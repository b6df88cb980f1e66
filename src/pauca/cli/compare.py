"""``pauca compare``: several machines on the user's tables, with the statistics of the papers."""

from dataclasses import dataclass
from pathlib import Path

from sklearn.pipeline import make_pipeline

from pauca.evaluation import (
    NEITHER_IS_BETTER,
    Contest,
    RunStore,
    Workers,
    analyse,
    compare,
    repeated_splits,
)

from .columns import preprocessing
from .compared import MEASURES, print_comparison
from .entrants import DEFAULT, make_entrants, title_of
from .errors import BadInput
from .fit import read_problem
from .report import plain, print_json, resumable, watched
from .tables import check_destination
from .target import CLASSIFICATION, REGRESSION

_DEFAULT_MEASURE = {CLASSIFICATION: "error", REGRESSION: "rmse"}


@dataclass(frozen=True)
class CompareOptions:
    """What the command line asks for."""

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

    @property
    def protocol(self):
        """The protocol in words."""
        return f"{self.splits} random splits, {self.test_size:.0%} of the rows held out, seed {self.seed}"


def compare_tables(paths, options, as_json=False):
    """Evaluate every machine on every table, print ranks and tests, write the page."""
    from .page import write_page

    check_destination(options.output)
    problems = {name: read_problem(path, options) for name, path in _names(paths).items()}
    task = _common_task(problems)
    measure = _measure(options.measure, task)
    contests = {name: _contest(name, problem, options) for name, problem in problems.items()}
    control = _control(options.control, contests)
    comparison = _run(contests, options)
    test_over_train = options.test_size / (1 - options.test_size)
    analysis = analyse(comparison, measure, control=control, test_over_train=test_over_train)
    notes = [f"{name}: {note}" for name, problem in problems.items() for note in problem.notes]
    notes += [f"left out: {failure}" for failure in comparison.failures]
    write_page(options, task, comparison, analysis, control, notes)
    if as_json:
        print_json(_document(options, comparison, analysis, notes))
    else:
        print_comparison(options, task, comparison, analysis, notes)


def _names(paths):
    """Tables by the names of their files, or by their paths if two have the same."""
    stems = [Path(path).stem for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    if len(set(names)) < len(names):
        raise BadInput("a table is named twice.")
    return dict(zip(names, paths, strict=True))


def _common_task(problems):
    tasks = {problem.task for problem in problems.values()}
    if len(tasks) > 1:
        raise BadInput("some tables are classification, others regression; choose one by --task.")
    return tasks.pop()


def _measure(measure, task):
    names = [name for name, _, _ in MEASURES[task] if name not in NEITHER_IS_BETTER]
    if measure is not None and measure not in names:
        raise BadInput(f"no measure is called {measure!r}; there are {', '.join(names)}.")
    return measure or _DEFAULT_MEASURE[task]


def _control(name, contests):
    """The title of the control, which must take part; None if there is no control."""
    title = None if name is None else title_of(name)
    if title is not None and any(title not in contest.estimators for contest in contests.values()):
        raise BadInput(f"the control {name!r} is not one of the machines; add it to --machines.")
    return title


def _contest(name, problem, options):
    """The splits of a table and the machines, each behind the table's preprocessing."""
    stratify = problem.task == CLASSIFICATION
    try:
        train_size = 1 - options.test_size
        splits = repeated_splits(
            problem.y, options.splits, train_size=train_size, stratify=stratify, seed=options.seed
        )
    except ValueError as error:
        raise BadInput(f"{name}: cannot hold out {options.test_size:.0%} of the rows: {error}") from error
    names = [part.strip() for part in (options.machines or DEFAULT).split(",") if part.strip()]
    entrants = make_entrants(names, problem.task, problem.y[splits[0][0]], options.seed)
    pipelines = {
        title: make_pipeline(preprocessing(problem.kinds), machine) for title, machine in entrants.items()
    }
    return Contest(problem.X, problem.y, splits, pipelines, problem.task)


def _run(contests, options):
    store = options.store or options.output.with_suffix(".sqlite")
    with resumable(store), RunStore(store) as results, watched("compare") as watch:
        comparison = compare(contests, results, workers=Workers(options.jobs, options.dask), watch=watch)
    if len(comparison.results) == 0:
        raise BadInput(f"no machine could be fitted: {comparison.failures[0]}")
    return comparison


def _document(options, comparison, analysis, notes):
    """Everything the page says, for programs."""
    names = ("mean_ranks", "friedman", "nemenyi", "wilcoxon", "control", "splits")
    frames = {name: getattr(analysis, name) for name in names}
    results = comparison.results.drop(columns=["calibration", "error_curve"])
    return {
        "protocol": options.protocol,
        "measure": analysis.measure,
        "scores": plain(comparison.scores(analysis.measure).T.to_dict()),
        "critical_difference": analysis.critical_difference,
        "tests": {name: table.to_dict("records") for name, table in frames.items() if table is not None},
        "results": results.to_dict("records"),
        "notes": notes,
        "report": str(options.output),
    }
