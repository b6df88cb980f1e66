"""What a section found: tables, notes and targets, printed or kept as JSON."""

from dataclasses import asdict, dataclass, field, replace

try:
    from rich.console import Console
    from rich.table import Table as RichTable
except ImportError:
    Console = None


@dataclass(frozen=True)
class Table:
    """A title and rows with the same keys."""

    title: str
    rows: list


@dataclass(frozen=True)
class Report:
    """All that one section has to say."""

    tables: list
    targets: list = field(default_factory=list)
    notes: list = field(default_factory=list)

    def unjudged(self):
        """The report of a trial run, whose sizes are not those that the targets are about."""
        return replace(self, targets=[])

    def as_json(self):
        """Plain lists and dictionaries."""
        return {
            "tables": [asdict(table) for table in self.tables],
            "targets": [target.row() for target in self.targets],
            "notes": self.notes,
        }

    def show(self):
        """Print tables, then notes, then targets."""
        for table in self.tables:
            print_table(table)
        for note in self.notes:
            print(note, flush=True)
        if self.targets:
            print_table(Table("Targets", [target.row() for target in self.targets]))


def ratio(numerator, denominator):
    """The quotient, or None where one of the two was not measured."""
    return numerator / denominator if numerator is not None and denominator else None


def print_table(table):
    """Print with rich where it is installed, else in plain columns."""
    if not table.rows:
        return
    header = list(table.rows[0])
    lines = [[_text(row[name]) for name in header] for row in table.rows]
    if Console is None:
        _print_plain(table.title, header, lines)
        return
    drawn = RichTable(*header, title=table.title, title_justify="left")
    for line in lines:
        drawn.add_row(*line)
    # A pipe has no width of its own: make it wide enough for every column.
    width = sum(max(map(len, column)) + 3 for column in zip(header, *lines, strict=True)) + 1
    console = Console()
    Console(width=None if console.is_terminal else max(width, len(table.title))).print(drawn)


def _print_plain(title, header, lines):
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    print(f"\n{title}")
    for line in [header, *lines]:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)), flush=True)


def _text(value):
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
