"""``pauca demo``: two classical problems with a known truth, the machines beside one another."""

from dataclasses import dataclass

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF

from pauca.datasets import make_ripley, make_sinc, ripley_posterior, sinc_function
from pauca.evaluation import classification_scores, n_vectors

from .machines import make_machine, make_peers
from .report import print_json, print_lines, print_scores
from .tables import check_destination
from .target import CLASSIFICATION, REGRESSION
from .trials import Trial, run_trials, warnings_as_notes

_N_TRAIN, _N_TEST = 250, 1000
_N_SINC, _SINC_NOISE = 100, 0.1


@dataclass(frozen=True)
class SincResult:
    """How close the regression came to the function behind the data."""

    rms_error: float
    noise_std: float
    vectors: int | None

    @property
    def lines(self):
        """The result in two lines."""
        return [
            f"sinc regression on {_N_SINC} rows: {self.rms_error:.3f} root mean square error to the truth,",
            f"noise estimated at {self.noise_std:.3f} (true: {_SINC_NOISE}), {self.vectors} vectors kept.",
        ]


def run_demo(seed=0, plot=None, as_json=False):
    """Compare on Ripley's mixture, fit the sinc function, and state the result."""
    if plot is not None:
        _require_picture(plot)
    notes: list[str] = []
    trial = _ripley_trial(seed)
    rows = _compare(trial, seed, notes)
    sinc = _fit_sinc(seed, notes)
    statement = state(rows[0], rows[1])
    if plot is not None:
        _draw(trial, seed, plot, notes)
    if as_json:
        print_json({"ripley": rows, "sinc": vars(sinc), "statement": statement, "notes": notes})
        return
    title = f"Ripley's two-class mixture: trained on {_N_TRAIN} rows, scored on {_N_TEST} others"
    print_scores(title, rows, CLASSIFICATION)
    print_lines([*sinc.lines, *notes])
    print_lines([f"drew {plot}"] if plot is not None else [])
    print_lines([statement], style="bold")


def state(machine, peer):
    """One sentence that sets one row of scores against another."""
    return (
        f"{machine['machine']} keeps {machine['vectors']:.0f} vectors, "
        f"{peer['machine']} keeps {peer['vectors']:.0f}: "
        f"{_times(peer['vectors'], machine['vectors'], 'fewer', 'more')}, "
        f"{_times(peer['predict_seconds'], machine['predict_seconds'], 'faster', 'slower')} to predict, "
        f"with a test error of {machine['error']:.1%} against {peer['error']:.1%} "
        f"and a log-loss of {machine['log_loss']:.3f} against {peer['log_loss']:.3f}."
    )


def _times(theirs, ours, better, worse):
    """How many times better or worse ours is, the smaller being the better."""
    low, high = sorted([max(ours, 1e-9), max(theirs, 1e-9)])
    return f"{high / low:.2g} times {better if ours <= theirs else worse}"


def _ripley_trial(seed):
    rng = np.random.RandomState(seed)
    X_train, y_train = make_ripley(_N_TRAIN, random_state=rng)
    X_test, y_test = make_ripley(_N_TEST, random_state=rng)
    split = np.arange(_N_TRAIN), np.arange(_N_TRAIN, _N_TRAIN + _N_TEST)
    return Trial(CLASSIFICATION, np.vstack([X_train, X_test]), np.concatenate([y_train, y_test]), [split])


def _compare(trial, seed, notes):
    """One row of scores for every estimator, and one for the truth."""
    train, test = trial.splits[0]
    title, machine = make_machine("rvm", CLASSIFICATION, seed)
    signed_title, signed = make_machine("epcvm", CLASSIFICATION, seed)
    estimators = {title: machine, **make_peers(CLASSIFICATION, trial.y[train]), signed_title: signed}
    estimators["Gaussian process"] = GaussianProcessClassifier(1.0 * RBF(0.5), random_state=seed)
    truth = classification_scores(trial.y[test], ripley_posterior(trial.X[test]))
    return [*run_trials(estimators, trial, notes), {"machine": "true posterior", **truth}]


def _fit_sinc(seed, notes):
    title, machine = make_machine("rvm", REGRESSION, seed)
    X, y = make_sinc(_N_SINC, noise=_SINC_NOISE, random_state=seed)
    with warnings_as_notes(title, notes):
        machine.fit(X, y)
    grid = np.linspace(-10, 10, 1000)
    error = np.sqrt(np.mean(np.square(machine.predict(grid[:, None]) - sinc_function(grid))))
    return SincResult(float(error), float(machine.noise_std_), n_vectors(machine))


def _require_picture(path):
    """Fail before the work rather than after it."""
    from .picture import draw_surface  # noqa: F401

    check_destination(path)


def _draw(trial, seed, path, notes):
    from .picture import draw_surface

    train, _ = trial.splits[0]
    title, machine = make_machine("rvm", CLASSIFICATION, seed)
    with warnings_as_notes(title, notes):
        machine.fit(trial.X[train], trial.y[train])
    draw_surface(machine, trial.X[train], trial.y[train], path, truth=ripley_posterior)
