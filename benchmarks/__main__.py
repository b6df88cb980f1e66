"""Command line: ``python -m benchmarks [SECTION ...] [--quick] [--store FILE] [--json FILE] ...``."""

import argparse
import json
from pathlib import Path

from pauca.evaluation import RunStore, environment

from .accuracy import classes, classification, limits, overview, ranks, regression, regret, tables
from .ensembles import boosting, forest, pruning, regression_votes
from .genes import networks, no_signal, sets, stability
from .genes import speed as genes
from .harness.report import write_page
from .labels import flips
from .scale import section as scaling
from .ship import section as ship
from .timing import bayes, bounds, engines, machines, memory, predict, speed

SECTIONS = {
    "speed": speed.run,
    "overview": overview.run,
    "predict": predict.run,
    "memory": memory.run,
    "regret": regret.run,
    "machines": machines.run,
    "classification": classification.run,
    "tables": tables.run,
    "classes": classes.run,
    "regression": regression.run,
    "engines": engines.run,
    "bounds": bounds.run,
    "scaling": scaling.run,
    "ranks": ranks.run,
    "limits": limits.run,
    "pruning": pruning.run,
    "forest": forest.run,
    "boosting": boosting.run,
    "regression-votes": regression_votes.run,
    "genes": genes.run,
    "sets": sets.run,
    "no-signal": no_signal.run,
    "networks": networks.run,
    "stability": stability.run,
    "bayes": bayes.run,
    "ship": ship.run,
    "flips": flips.run,
}
_DESCRIPTION = "Speed, memory and accuracy of pauca's machines beside their peers."
_PACKAGES = ("pauca", "scikit-learn", "numpy", "scipy", "fastrvm", "sklearn-rvm", "catboost", "lightgbm")


def main(arguments=None):
    """Run the sections, print their reports and write them as JSON on request."""
    options = parse(arguments)
    store, reports = RunStore(options.store), {}
    for name in options.sections or SECTIONS:
        report = SECTIONS[name](options, store)
        reports[name] = report.without_targets() if options.quick else report
        reports[name].show()
    if options.json:
        sections = {name: report.as_json() for name, report in reports.items()}
        document = {"environment": environment(_PACKAGES), "sections": sections}
        Path(options.json).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if options.page:
        write_page(Path(options.page), reports, environment(_PACKAGES))


def parse(arguments):
    """Options of the command line; exits with a message if they are wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=_DESCRIPTION)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"{', '.join(SECTIONS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="tiny problems, one repetition")
    parser.add_argument("--json", metavar="FILE", help="write the results as JSON")
    parser.add_argument("--page", metavar="FILE", help="write the results as a Markdown page")
    parser.add_argument("--store", metavar="FILE", help="store of measurements: those it has are reused")
    parser.add_argument(
        "--stored",
        action="store_true",
        help="report what the store has and measure nothing (tables, scaling, forest, ship)",
    )
    parser.add_argument("--repeats", type=_positive, default=5, help="repetitions of each fit (default 5)")
    parser.add_argument(
        "--splits",
        type=_positive,
        default=2,
        help="splits of each set (regret, classes, regression, ranks, limits; default 2)",
    )
    parser.add_argument(
        "--jobs", type=_positive, default=2, help="processes (regret, ranks, limits; default 2)"
    )
    parser.add_argument(
        "--machine", choices=regret.MACHINES, default="rvm", help="machine of the section regret"
    )
    parser.add_argument(
        "--table", metavar="FILE", help="write the table of overview into a page, between its marks"
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="draw the growth with the rows (scaling, bayes), or figure 7.3 (stability)",
    )
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.sections) - set(SECTIONS))
    if unknown:
        parser.error(f"no section {unknown[0]!r}; choose from {', '.join(SECTIONS)}")
    if options.quick:
        options.repeats = options.splits = options.jobs = 1
    return options


def _positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    main()
