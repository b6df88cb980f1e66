"""Published tables and how to repeat them: dataset, protocol, methods, expected values, tolerance."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from .runs import UNIT_SECONDS, Job, run
from .store import Unit

#: The split under which what `PaperTable.choose` found is stored.
CHOICE = -1


class Measure(NamedTuple):
    """How a column of a table is judged.

    A measured mean agrees with a published value if they differ by at most
    ``absolute + relative * |published|``. Beyond that by up to two standard errors of the mean, it is unclear
    whether it does. Further away it is better or worse if the measure has a direction (``better`` is "lower"
    or "higher"), else different (None).
    """

    absolute: float = 0.0
    relative: float = 0.0
    better: str | None = "lower"


class Bound(NamedTuple):
    """What the project promises about the mean of one cell: a number, or the mean of the method so called."""

    dataset: str
    method: str
    measure: str
    bound: float | str
    at_least: bool = False


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """A published table and how to repeat it; `pauca reproduce` runs what it says.

    Attributes
    ----------
    name : str
        What `pauca reproduce` is given, for example ``"vrvm-1"``.
    title : str
        Paper, table and contents in one line.
    datasets, methods : tuple of str
        Rows and columns.
    n_splits : int
        Repetitions in the paper, numbered from 0.
    measure : callable
        ``measure(dataset, split, method)`` does one repetition and gives a dictionary of measured values
        (None: the method has no such value). It must depend on its arguments alone, and be a function of a
        module (or a `functools.partial` of one) for other processes to find it.
    together : bool
        Methods share expensive work: ``measure(dataset, split)`` gives one dictionary for each method.
    choose : callable, optional
        ``choose(dataset, method)`` gives a dictionary of parameters chosen once for all splits; ``measure``
        then gets it as a last argument. Not with ``together``.
    measures : mapping of str to Measure
        The measures that are reported, the first of which ranks the methods.
    published : mapping
        ``published[dataset, method][measure]``: printed values. What was not printed is left out.
    bounds : tuple of Bound
        The project's own targets.
    version : int
        To be raised when the protocol changes, so that stored results of the old one are not taken for new.
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    n_splits: int
    measure: Callable
    measures: Mapping[str, Measure]
    published: Mapping[tuple[str, str], Mapping[str, float]]
    together: bool = False
    choose: Callable | None = None
    bounds: tuple[Bound, ...] = field(default=())
    version: int = 1

    def __post_init__(self):
        if self.together and self.choose:
            raise ValueError(f"table {self.name}: choose and together exclude each other.")
        for (dataset, method), values in self.published.items():
            self._require(dataset, method, *values)
        for bound in self.bounds:
            self._require(*bound[:3])
            if isinstance(bound.bound, str):
                self._require(bound.dataset, bound.bound)

    def _require(self, dataset, method, *measures):
        """Refuse names that the table does not have: they are misspelt."""
        places = (self.datasets, self.methods, *[tuple(self.measures)] * len(measures))
        for name, names in zip((dataset, method, *measures), places, strict=True):
            if name not in names:
                raise ValueError(f"table {self.name} has no {name!r}; there are {', '.join(names)}.")

    @property
    def study(self):
        """The name of its results in a store."""
        return f"{self.name} v{self.version}"

    def jobs(self, n_splits=None):
        """The work, first splits first, so that a run cut short has something for every cell."""
        groups = [self.methods] if self.together else [(method,) for method in self.methods]
        splits = range(self.n_splits if n_splits is None else min(n_splits, self.n_splits))
        return [Job(dataset, k, group) for k in splits for dataset in self.datasets for group in groups]

    def units(self, n_splits=None):
        """The results that the table is made of."""
        return [
            Unit(self.study, job.dataset, job.split, method)
            for job in self.jobs(n_splits)
            for method in job.methods
        ]


def reproduce(table, store, *, n_splits=None, workers=None, watch=None):
    """Compute what the store lacks of a published table.

    Parameters
    ----------
    table : PaperTable
    store : RunStore
    n_splits : int, optional
        The first so many repetitions; those of the paper by default.
    workers : Workers, optional
        Who computes; this process by default.
    watch : callable, optional
        As for `run`.
    """
    chosen = _choose(table, store, workers, watch) if table.choose else {}
    work = partial(_together if table.together else _one_by_one, table.measure, chosen)
    run(table.study, table.jobs(n_splits), work, store, workers, watch)


def _choose(table, store, workers, watch):
    """Parameters by dataset and method, chosen once and stored like results."""
    pairs = [(dataset, method) for dataset in table.datasets for method in table.methods]
    jobs = [Job(dataset, CHOICE, (method,)) for dataset, method in pairs]
    run(table.study, jobs, partial(_one_choice, table.choose), store, workers, watch)
    return {pair: _untimed(store[Unit(table.study, pair[0], CHOICE, pair[1])]) for pair in pairs}


def _untimed(record):
    return {name: value for name, value in record.items() if name != UNIT_SECONDS}


def _one_choice(choose, job):
    (method,) = job.methods
    return {method: choose(job.dataset, method)}


def _one_by_one(measure, chosen, job):
    """One dictionary for each method, measured apart."""
    return {
        method: measure(job.dataset, job.split, method, *_parameters(chosen, job.dataset, method))
        for method in job.methods
    }


def _parameters(chosen, dataset, method):
    """What was chosen, as arguments: one or none."""
    if not chosen:
        return []
    parameters = chosen[dataset, method]
    if "failed" in parameters:
        raise RuntimeError(f"no parameters: {parameters['failed']}")
    return [parameters]


def _together(measure, _, job):
    return measure(job.dataset, job.split)
