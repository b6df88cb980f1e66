"""``pauca rank``: inclusion probabilities of the columns of a table."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from pauca import SpikeSlabClassifier, SpikeSlabRegressor
from pauca.tables import TableReader

from ..errors import BadInput
from ..held_out import warnings_as_notes
from ..reports.progress import progress
from ..reports.terminal import Row, print_json, print_lines, print_rows
from ..tables.csv_format import CsvFormat
from ..tables.encoding import preprocessing
from ..tables.files import check_destination, write_table
from ..tables.target import CLASSIFICATION
from ..tables.training import TrainingTable, read_training_table

_TITLE = "spike and slab"


@dataclass(frozen=True)
class RankOptions:
    """Options of ``pauca rank``; ``expected_features`` is a number, "evidence" or "posterior"."""

    target: str
    top: int = 20
    expected_features: str = "32"
    task: str = "auto"
    drop: tuple[str, ...] = ()
    output: Path | None = None
    plot: Path | None = None
    credible_sets: bool = False
    form: CsvFormat = field(default_factory=CsvFormat)
    escape_formulas: bool = False


def rank_table(path: Path, options: RankOptions, as_json: bool = False) -> None:
    """Rank the columns, print the best, save the ranking and draw the heat map."""
    for destination in (options.output, options.plot):
        check_destination(destination)
    training = read_training_table(path, options.target, options.task, options.drop, options.form)
    machine, X = _fitted(training, options)
    ranking = _ranking(machine)
    best = ranking.head(options.top)
    written = _write(ranking, machine, X, training, options)
    if as_json:
        document = _document(path, training, machine, options)
        print_json({**document, "ranking": _records(best), **_sets_document(machine, options), **written})
    else:
        n_features = f"{len(ranking)} feature{'s' if len(ranking) > 1 else ''}"
        title = f"{path}: {options.target}, {len(training.y)} rows, {n_features}"
        print_lines([title], style="bold")
        print_lines([_prior(machine)])
        print_rows(None, _records(best))
        if options.credible_sets:
            _print_sets(machine)
        print_lines(training.notes, style="dim")
        print_lines([f"saved {file}" for file in written.values()])


def _fitted(training: TrainingTable, options: RankOptions) -> tuple[Any, pd.DataFrame]:
    """The fitted machine, and the features that it was given, with their names."""
    kind = SpikeSlabClassifier if training.task == CLASSIFICATION else SpikeSlabRegressor
    encode = preprocessing(training.kinds).set_output(transform="pandas")
    encode.verbose_feature_names_out = False
    for name, pipeline, _ in encode.transformers:
        if name == "categories":
            pipeline[-1].set_params(feature_name_combiner=_level_name)
    inference = "single-effects" if options.credible_sets else "ep"
    ranked = kind(_expected(options.expected_features), inference=inference)
    machine = make_pipeline(TableReader(training.kinds), encode, ranked)
    with warnings_as_notes(_TITLE, training.notes), progress(_TITLE, 1) as advance:
        machine.fit(training.X, training.y)
        advance()
    return machine[-1], machine[:-1].transform(training.X)


def _level_name(column: str, level: object) -> str:
    """Name of the indicator of a level of a category."""
    return f"{column} = {'(rare)' if str(level).startswith('infrequent') else level}"


def _prior(machine: Any) -> str:
    """Prior of a feature in words."""
    chance, expected = machine.prior_inclusion_, machine.prior_inclusion_ * len(machine.ranking_)
    text = f"prior probability of each feature {chance:.3g}, so {expected:.3g} expected"
    none = machine.no_signal_probability_
    if np.isnan(none):
        return text
    return f"{text}; that none matters {machine.no_signal:.3g} a priori, {none:.3g} given the data"


def _expected(text: str) -> float | str:
    """A number of features, "evidence" or "posterior"."""
    if text in ("evidence", "posterior"):
        return text
    try:
        number = float(text)
    except ValueError as error:
        raise BadInput(
            f"--expected-features must be a number, evidence or posterior; got {text!r}."
        ) from error
    if not (np.isfinite(number) and number > 0):
        raise BadInput(f"--expected-features must be above 0; got {text!r}.")
    return number


def _ranking(machine: Any) -> pd.DataFrame:
    """One row for each feature, most probable first, with the weight of its standardised values."""
    order = machine.ranking_
    classes = getattr(machine, "classes_", None)
    coef, std = np.atleast_2d(machine.coef_), np.atleast_2d(machine.coef_std_)
    largest = np.abs(coef).argmax(axis=0)[order]
    table = pd.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "feature": machine.feature_names_in_[order],
            "probability": machine.inclusion_probabilities_[order],
            "weight": coef[largest, order],
            "std": std[largest, order],
        }
    )
    return table if classes is None else table.assign(towards=_towards(table["weight"], classes, largest))


def _towards(weights: Any, classes: np.ndarray, which: np.ndarray) -> list[str]:
    """Class that becomes more probable as each feature grows."""
    if len(classes) == 2:
        return [str(classes[int(weight > 0)]) for weight in weights]
    pairs = zip(weights, which, strict=True)
    return [str(classes[k]) if weight > 0 else f"not {classes[k]}" for weight, k in pairs]


def _sets(machine: Any) -> list[Row]:
    """Credible sets with the names of their features."""
    rows = []
    for number, each in enumerate(machine.credible_sets_, start=1):
        label = {} if each.label is None else {"class": str(each.label)}
        names = [str(name) for name in machine.feature_names_in_[each.features]]
        row = {"set": number, "features": names, "probability": each.probability, "purity": each.purity}
        rows.append({**row, **label})
    return rows


def _sets_document(machine: Any, options: RankOptions) -> dict[str, Any]:
    return {"credible_sets": _sets(machine)} if options.credible_sets else {}


def _print_sets(machine: Any) -> None:
    """Print every credible set: one of its features matters with the probability that is shown."""
    sets = _sets(machine)
    if not sets:
        print_lines(["no credible sets: no group of features matters with a probability of 0.95"])
        return
    print_lines([f"credible sets: with a probability of {machine.coverage:g} one of the features matters"])
    print_rows(None, [{**row, "features": ", ".join(row["features"])} for row in sets])


def _records(ranking: pd.DataFrame) -> list[Row]:
    return [{**row, "feature": str(row["feature"])} for row in ranking.to_dict("records")]


def _write(
    ranking: pd.DataFrame, machine: Any, X: pd.DataFrame, training: TrainingTable, options: RankOptions
) -> dict[str, str]:
    """Write the ranking and the plot, where options name files for them; the names of the files."""
    written = {}
    if options.output is not None:
        write_table(ranking, options.output, options.escape_formulas)
        written["output"] = str(options.output)
    if options.plot is not None:
        from ..reports.demo_plots import draw_expression, draw_inclusion

        if training.task == CLASSIFICATION and not options.credible_sets:
            draw_expression(machine, X, training.y, options.plot, options.top)
        else:
            draw_inclusion(machine, options.plot)
        written["plot"] = str(options.plot)
    return written


def _document(path: Path, training: TrainingTable, machine: Any, options: RankOptions) -> dict[str, Any]:
    """Everything that the table and the notes say, for ``--json``."""
    return {
        **training.description(path, options.target),
        "features": len(machine.ranking_),
        "expected_features": machine.expected_features_,
        "prior_probability": machine.prior_inclusion_,
        "no_signal_probability": None
        if np.isnan(machine.no_signal_probability_)
        else machine.no_signal_probability_,
        "log_evidence": machine.log_evidence_,
        "converged": machine.converged_,
        "notes": training.notes,
    }
