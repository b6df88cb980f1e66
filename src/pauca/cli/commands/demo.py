"""``pauca demo``: real tables, and two problems whose truth is known, beside what people use today."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from pauca.datasets import make_ripley, make_sinc, ripley_posterior, sinc_function
from pauca.evaluation import classification_scores, n_vectors

from ..contenders import make_machine, make_peers
from ..held_out import HeldOutTask, score_estimators, warnings_as_notes
from ..real_tables import score_tables, verdicts
from ..reports.terminal import Row, print_json, print_lines, print_scores
from ..tables.files import check_destination
from ..tables.target import CLASSIFICATION, REGRESSION

# The picture that is drawn where no other is asked for.
PICTURE = Path("pauca-demo.png")
# Rows of Ripley's mixture: training and test, as in B. D. Ripley, 1996.
_N_TRAIN, _N_TEST = 250, 1000
# Rows of the sinc problem and the standard deviation of its noise, as in M. E. Tipping, 2001.
_N_SINC, _SINC_NOISE = 100, 0.1


@dataclass(frozen=True)
class SincResult:
    """Root mean square error of a regression to the true function, estimated noise, and number of vectors."""

    rms_error: float
    noise_std: float
    vectors: int | None

    @property
    def lines(self) -> list[str]:
        """The result in two lines."""
        return [
            f"sinc function, sparse GP of {_N_SINC} rows: RMSE to the true function {self.rms_error:.3f},",
            f"noise estimated at {self.noise_std:.3f} (true: {_SINC_NOISE}), {self.vectors} vectors kept.",
        ]


def run_demo(seed: int = 0, plot: Path | None = None, as_json: bool = False) -> None:
    """Compare on real tables and on Ripley's mixture, fit the sinc function, and state what is won.

    The decision surface is drawn into ``plot``; without a name into `PICTURE`, where matplotlib is installed.
    """
    if plot is not None:
        _check_plot(plot)
    elif not as_json and find_spec("matplotlib") is not None:
        plot = PICTURE
    notes: list[str] = []
    tables = score_tables(seed, notes)
    ripley = _ripley_task(seed)
    rows = _compare(ripley, seed, notes)
    sinc = _fit_sinc(seed, notes)
    cancer = tables["breast cancer"][1]
    statement = f"On the breast cancer data {state(cancer[0], cancer[1])}"
    if plot is not None:
        _draw(ripley, seed, plot, notes)
    if as_json:
        real = {name: found for name, (_, found) in tables.items()}
        document = {"tables": real, "ripley": rows, "sinc": vars(sinc), "verdicts": verdicts(tables)}
        print_json({**document, "statement": statement, "notes": notes})
        return
    for name, (task, found) in tables.items():
        print_scores(f"{name}: trained on one half, scored on the other", found, task)
    title = f"Ripley's two-class mixture: trained on {_N_TRAIN} rows, scored on {_N_TEST} held-out rows"
    print_scores(title, rows, CLASSIFICATION)
    print_lines([*sinc.lines, *notes, "", *verdicts(tables)])
    print_lines([f"drew {plot}"] if plot is not None else [])
    print_lines([statement], style="bold")


def state(machine: Row, peer: Row) -> str:
    """One sentence that sets one row of scores against another."""
    return (
        f"{machine['machine']} keeps {machine['vectors']:.0f} vectors, "
        f"{peer['machine']} keeps {peer['vectors']:.0f}: "
        f"{_times(peer['vectors'], machine['vectors'], 'fewer', 'more')}, "
        f"{_times(peer['predict_seconds'], machine['predict_seconds'], 'faster', 'slower')} to predict, "
        f"with a test error of {machine['error']:.1%} against {peer['error']:.1%} "
        f"and a log-loss of {machine['log_loss']:.3f} against {peer['log_loss']:.3f}."
    )


def _times(theirs: float, ours: float, better: str, worse: str) -> str:
    """Ratio of two quantities in words; the smaller quantity is the better."""
    # 1e-9 is a numerical guard against division by zero.
    low, high = sorted([max(ours, 1e-9), max(theirs, 1e-9)])
    return f"{high / low:.2g} times {better if ours <= theirs else worse}"


def _ripley_task(seed: int) -> HeldOutTask:
    rng = np.random.RandomState(seed)
    X_train, y_train = make_ripley(_N_TRAIN, random_state=rng)
    X_test, y_test = make_ripley(_N_TEST, random_state=rng)
    split = np.arange(_N_TRAIN), np.arange(_N_TRAIN, _N_TRAIN + _N_TEST)
    X, y = np.vstack([X_train, X_test]), np.concatenate([y_train, y_test])
    return HeldOutTask(CLASSIFICATION, X, y, [split])


def _compare(ripley: HeldOutTask, seed: int, notes: list[str]) -> list[Row]:
    """One row of scores for every estimator, and one for the true posterior."""
    train, test = ripley.splits[0]
    _, title, machine = make_machine(None, CLASSIFICATION, seed)
    _, rvm_title, rvm = make_machine("rvm", CLASSIFICATION, seed)
    estimators = {title: machine, **make_peers(CLASSIFICATION, ripley.y[train], seed), rvm_title: rvm}
    truth = classification_scores(ripley.y[test], ripley_posterior(ripley.X[test]))
    return [*score_estimators(estimators, ripley, notes), {"machine": "true posterior", **truth}]


def _fit_sinc(seed: int, notes: list[str]) -> SincResult:
    _, title, machine = make_machine(None, REGRESSION, seed)
    X, y = make_sinc(_N_SINC, noise=_SINC_NOISE, random_state=seed)
    with warnings_as_notes(title, notes):
        machine.fit(X, y)
    grid = np.linspace(-10, 10, 1000)
    error = np.sqrt(np.mean(np.square(machine.predict(grid[:, None]) - sinc_function(grid))))
    return SincResult(float(error), float(machine.noise_std_), n_vectors(machine))


def _check_plot(path: Path) -> None:
    """Refuse a plot that cannot be written, before any work is done."""
    from ..reports.demo_plots import draw_surface  # noqa: F401

    check_destination(path)


def _draw(ripley: HeldOutTask, seed: int, path: Path, notes: list[str]) -> None:
    from ..reports.demo_plots import draw_surface

    train, _ = ripley.splits[0]
    _, title, machine = make_machine(None, CLASSIFICATION, seed)
    with warnings_as_notes(title, notes):
        machine.fit(ripley.X[train], ripley.y[train])
    X, y = ripley.X[train], ripley.y[train]
    draw_surface(machine, X, y, path, title=f"{title} on Ripley's mixture", truth=ripley_posterior)
