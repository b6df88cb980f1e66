"""The section ``ship``: latencies, agreement, distillation and the targets on them."""

import numpy as np

from pauca.evaluation import Target

from ..harness.report import Report
from . import agreement, distillation, latency

# Published share of the teacher's AUC that a small substitute keeps, for comparison.
_PUBLISHED = 96.5


def run(options, store) -> Report:
    """Report of all parts."""
    parts = [part.table(options, store) for part in (latency, agreement, distillation)]
    tables = [table for table, _ in parts]
    notes = [note for _, more in parts for note in more]
    rows = tables[2].rows
    for teacher in dict.fromkeys(row["teacher"] for row in rows):
        own = [row for row in rows if row["teacher"] == teacher]
        notes.append(_means(teacher, own))
    notes.append(f"The published share of the teacher's AUC is {_PUBLISHED} % at 1.9 ms a row.")
    return Report(tables, _targets(*(table.rows for table in tables)), notes)


def _means(teacher, rows):
    """Line with the means over all sets."""
    mean = {name: np.mean([row[name] for row in rows]) for name in rows[0] if _is_number(rows[0][name])}
    return (
        f"{teacher}, mean of {len(rows)} sets: {mean['AUC kept %']:.2f} % of its AUC (least "
        f"{min(row['AUC kept %'] for row in rows):.2f} %), log-loss {mean['student log-loss']:.4f} against "
        f"{mean['teacher log-loss']:.4f}, agreement {mean['agreement %']:.1f} %"
    )


def _is_number(value):
    return isinstance(value, int | float)


def _targets(times, differences, students):
    """Targets of the project on what was measured."""
    compiled = [row["one row µs"] for row in times if (row["model"], row["form"]) == ("SparseGP", "compiled")]
    targets = [Target("one row, 70 vectors, d=10, compiled, µs", min(compiled, default=None), 10, False)]
    for form in agreement.FORMS:
        worst = max((row[form] for row in differences), default=None)
        targets.append(Target(f"largest difference to Python, {form}", worst, 1e-5, False))
    for teacher in dict.fromkeys(row["teacher"] for row in students):
        kept = np.mean([row["AUC kept %"] for row in students if row["teacher"] == teacher])
        targets.append(
            Target(f"AUC kept by students of {teacher}, mean of all sets, %", float(kept), 98, True)
        )
    for name, most in (("student kB", 20), ("compiled µs", 20), ("C µs", 20)):
        worst = max((row[name] for row in students), default=None)
        targets.append(Target(f"largest {name} of a student", worst, most, False))
    return targets
