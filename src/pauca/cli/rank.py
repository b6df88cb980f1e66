"""``pauca rank``: which columns of a table tell the classes apart, and how surely."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from pauca import SpikeSlabClassifier, SpikeSlabRegressor

from .columns import CATEGORY, preprocessing
from .errors import BadInput
from .fit import read_problem
from .report import print_json, print_lines, print_rows, progress
from .tables import check_destination, write_table
from .target import CLASSIFICATION
from .trials import warnings_as_notes

_TITLE = "spike and slab"


@dataclass(frozen=True)
class RankOptions:
    """What the command line asks for."""

    target: str
    top: int = 20
    expected_features: str = "32"
    task: str = "auto"
    drop: tuple[str, ...] = ()
    output: Path | None = None
    plot: Path | None = None


def rank_table(path, options, as_json=False):
    """Rank the columns, print the best, save the ranking and draw the heat map."""
    for destination in (options.output, options.plot):
        check_destination(destination)
    problem = read_problem(path, options)
    machine, X = _fitted(problem, options)
    ranking = _ranking(machine)
    best = ranking.head(options.top)
    written = _written(ranking, machine, X, problem, options)
    if as_json:
        print_json({**_document(path, problem, machine, options), "ranking": _records(best), **written})
    else:
        title = f"{path}: {options.target}, {len(problem.y)} rows, {len(ranking)} features"
        print_lines([title], style="bold")
        print_rows(None, _records(best))
        print_lines(problem.notes, style="dim")
        print_lines([f"saved {file}" for file in written.values()])


def _fitted(problem, options):
    """The machine and the features that it saw, with their names."""
    kind = SpikeSlabClassifier if problem.task == CLASSIFICATION else SpikeSlabRegressor
    encode = preprocessing(problem.kinds).set_output(transform="pandas")
    encode.verbose_feature_names_out = CATEGORY in problem.kinds.values()
    machine = make_pipeline(encode, kind(_expected(options.expected_features)))
    with warnings_as_notes(_TITLE, problem.notes), progress(_TITLE, 1) as advance:
        machine.fit(problem.X, problem.y)
        advance()
    return machine[-1], machine[:-1].transform(problem.X)


def _expected(text):
    """A number of features, or "evidence"."""
    if text == "evidence":
        return text
    try:
        number = float(text)
    except ValueError as error:
        raise BadInput(f"--expected-features must be a number or evidence; got {text!r}.") from error
    if not (np.isfinite(number) and number > 0):
        raise BadInput(f"--expected-features must be above 0; got {text!r}.")
    return number


def _ranking(machine):
    """One row for each feature, best first: its probability, and the weight of its standardised values."""
    order = machine.ranking_
    coef, std = np.atleast_2d(machine.coef_), np.atleast_2d(machine.coef_std_)
    largest = np.abs(coef).argmax(axis=0)[order]
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "feature": machine.feature_names_in_[order],
            "probability": machine.inclusion_probabilities_[order],
            "weight": coef[largest, order],
            "std": std[largest, order],
        }
    )


def _records(ranking):
    return [{**row, "feature": str(row["feature"])} for row in ranking.to_dict("records")]


def _written(ranking, machine, X, problem, options):
    """Write what was asked for; the files by what they hold."""
    written = {}
    if options.output is not None:
        write_table(ranking, options.output)
        written["output"] = str(options.output)
    if options.plot is not None:
        from .picture import draw_expression, draw_inclusion

        if problem.task == CLASSIFICATION:
            draw_expression(machine, X, problem.y, options.plot, options.top)
        else:
            draw_inclusion(machine, options.plot)
        written["plot"] = str(options.plot)
    return written


def _document(path, problem, machine, options):
    """What the table and the notes say, for machines."""
    return {
        "table": str(path),
        "target": options.target,
        "task": problem.task,
        "rows": len(problem.y),
        "features": len(machine.ranking_),
        "expected_features": machine.expected_features_,
        "prior_probability": machine.prior_inclusion_,
        "log_evidence": machine.log_evidence_,
        "converged": machine.converged_,
        "notes": problem.notes,
    }
