"""Description of a published table: datasets, methods, protocol and printed values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..runs.jobs import Job
from ..runs.provenance import fingerprint
from ..runs.store import Unit


class Measure(NamedTuple):
    """Direction of a measure, by which a mean is better or worse where it does not agree.

    A measured mean agrees with a published one if they differ by at most two standard errors of the
    difference, beside the rounding of the printed number. Else it is better or worse if the measure has a
    direction, and different if not.

    Attributes
    ----------
    better : {"lower", "higher"} or None, default="lower"
        Which values are better, for measures of accuracy; None for sizes, seconds and the like, where a
        difference from the paper is no merit.
    compared : bool, default=True
        Whether there are verdicts at all: seconds on another computer are shown without one.
    median : bool, default=False
        Whether medians over splits are printed and measured instead of means.
    """

    better: str | None = "lower"
    compared: bool = True
    median: bool = False


class Bound(NamedTuple):
    """Bound that the project sets itself for the measured mean of one cell of a table.

    Attributes
    ----------
    dataset : str
        Row of the cell.
    method : str
        Column of the cell.
    measure : str
        Name of the measure.
    bound : float or str
        Number, or name of the method whose mean is the bound.
    at_least : bool, default=False
        Whether the bound is a lower bound instead of an upper bound.
    """

    dataset: str
    method: str
    measure: str
    bound: float | str
    at_least: bool = False


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """Published table and the protocol that repeats it, as `pauca reproduce` runs it.

    Attributes
    ----------
    name : str
        Argument of `pauca reproduce`, for example ``"vrvm-1"``.
    title : str
        Paper, table and contents in one line.
    datasets : tuple of str
        Names of the datasets, the rows of the table.
    methods : tuple of str
        Names of the methods, the columns of the table.
    n_splits : int
        Repetitions in the paper, numbered from 0.
    measure : callable
        ``measure(dataset, split, method)`` does one repetition and returns a dictionary of measured values
        (None: the method has no such value). It must depend on its arguments alone, and be a function of a
        module (or a `functools.partial` of one) for other processes to find it.
    measures : mapping of str to Measure
        Measures that are reported; the first one ranks the methods.
    published : mapping
        ``published[dataset, method][measure]``: printed means. Values that were not printed are left out.
    spread : mapping, default={}
        ``spread[dataset, method][measure]``: printed standard deviations over repetitions. Where the paper
        has none, the one that is measured stands for it.
    together : bool, default=False
        Whether methods share expensive work: ``measure(dataset, split)`` then returns one dictionary for each
        method.
    choose : callable, optional
        ``choose(dataset, method)`` returns a dictionary of parameters chosen once for all splits; ``measure``
        then gets it as a last argument. Not with ``together``.
    bounds : tuple of Bound, default=()
        Bounds that the project sets itself.
    n_published : int, optional
        Repetitions behind the printed means, where they are not ``n_splits``: one draw, for example.
    unmeasured : callable, optional
        ``unmeasured(dataset, method)`` says why a cell has no measured value, and how long that would take.
    companion : str, optional
        Name of a table of the same datasets whose means are shown below, without printed values.
    control : str, optional
        Method against which wins, losses and ties of the others are counted.
    version : int, default=1
        Version of the protocol; raise it when the protocol changes, so that stored results of the old one are
        not taken for new.
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    n_splits: int
    measure: Callable
    measures: Mapping[str, Measure]
    published: Mapping[tuple[str, str], Mapping[str, float]]
    spread: Mapping[tuple[str, str], Mapping[str, float]] = field(default_factory=dict)
    together: bool = False
    choose: Callable | None = None
    bounds: tuple[Bound, ...] = field(default=())
    n_published: int | None = None
    unmeasured: Callable[[str, str], str] | None = None
    companion: str | None = None
    control: str | None = None
    version: int = 1

    def __post_init__(self) -> None:
        if self.together and self.choose:
            raise ValueError(f"table {self.name}: choose and together exclude each other.")
        for (dataset, method), values in [*self.published.items(), *self.spread.items()]:
            self._require(dataset, method, *values)
        for bound in self.bounds:
            self._require(*bound[:3])
            if isinstance(bound.bound, str):
                self._require(bound.dataset, bound.bound)

    def _require(self, dataset: str, method: str, *measures: str) -> None:
        """Raise a ValueError for names that the table does not have."""
        places = (self.datasets, self.methods, *[tuple(self.measures)] * len(measures))
        for name, names in zip((dataset, method, *measures), places, strict=True):
            if name not in names:
                raise ValueError(f"table {self.name} has no {name!r}; there are {', '.join(names)}.")

    @property
    def study(self) -> str:
        """Name under which results of the table are stored.

        It has the fingerprint of the code of the protocol and of the defaults of all machines: results of
        other code or other defaults have another name, and are not taken for those of today.
        """
        return f"{self.name} v{self.version} {fingerprint(self.measure, self.choose)}"

    def part(self, datasets: Collection[str] = (), methods: Collection[str] = ()) -> PaperTable:
        """Some rows and columns of the table, whose results are those of the whole table.

        Parameters
        ----------
        datasets : collection of str, default=()
            Rows to keep; all of them if none is named.
        methods : collection of str, default=()
            Columns to keep; all of them if none is named. Methods that are measured together stay together.

        Returns
        -------
        PaperTable
            Table without the other cells, and without bounds.
        """
        for name in datasets:
            self._require(name, self.methods[0])
        for name in methods:
            self._require(self.datasets[0], name)
        rows = tuple(name for name in self.datasets if not datasets or name in datasets)
        chosen = () if self.together else methods
        columns = tuple(name for name in self.methods if not chosen or name in chosen)
        published, spread = (
            {key: values for key, values in cells.items() if key[0] in rows and key[1] in columns}
            for cells in (self.published, self.spread)
        )
        return replace(self, datasets=rows, methods=columns, published=published, spread=spread, bounds=())

    def jobs(
        self, n_splits: int | None = None, known: Collection[tuple[str, str]] = frozenset()
    ) -> list[Job]:
        """List the jobs, first splits first, so that an interrupted run has a result for every cell.

        Parameters
        ----------
        n_splits : int, optional
            Number of repetitions; all repetitions of the paper by default.
        known : collection of tuple, default=frozenset()
            Datasets and methods that need no job; methods that are measured together need one as long as any
            of them is missing.

        Returns
        -------
        list of Job
        """
        groups = [self.methods] if self.together else [(method,) for method in self.methods]
        splits = range(self.n_splits if n_splits is None else min(n_splits, self.n_splits))
        return [
            Job(dataset, k, group)
            for k in splits
            for dataset in self.datasets
            for group in groups
            if not all((dataset, method) in known for method in group)
        ]

    def units(self, n_splits: int | None = None) -> list[Unit]:
        """List the keys of the results that the table is made of.

        Parameters
        ----------
        n_splits : int, optional
            Number of repetitions; all repetitions of the paper by default.

        Returns
        -------
        list of Unit
        """
        return [
            Unit(self.study, job.dataset, job.split, method)
            for job in self.jobs(n_splits)
            for method in job.methods
        ]
