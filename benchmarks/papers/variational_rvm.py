"""Tables 1-4 of Bishop & Tipping, "Variational relevance vector machines" (UAI 2000), beside ours.

    python -m benchmarks.papers.variational_rvm [--quick]

Kernel parameters are chosen by 5-fold cross-validation on the training rows: of the squared error, of the
error for support vector classifiers, of the log probability for relevance vector classifiers. Widths r of the
paper are gamma = 1 / r². The scale of the cubic kernel of Table 2 is not published: here (1 + x·z / √d)³, the
products of standardised inputs brought to variance one. The 25 test rows of a partition vary so much that 40
partitions are drawn instead of 10; for the same reason 40 draws instead of one in Table 3.
"""

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.base import is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.svm import SVC, SVR
from threadpoolctl import threadpool_limits

from laconic import RVMClassifier, RVMRegressor
from laconic.datasets import load, make_sinc, sinc_function

from ..problems import Problem, standardised, use_local_data
from ..report import Report, Table, Target

_CUBIC = {"kernel": "poly", "degree": 3, "coef0": 1.0}
_BOSTON_GAMMA = (13**-0.5,)


def _of_widths(*widths):
    """The paper's widths r as gamma = 1 / r²."""
    return tuple(r**-2 for r in widths)


@dataclass(frozen=True)
class Study:
    """A published table and how to repeat it.

    ``paper`` has error, kernels and noise of each machine; ``targets`` bounds of ours, (measure, bound,
    at least?); ``draw(k)`` gives the k-th problem; ``error(model, problem)`` its error.
    """

    title: str
    paper: dict
    machines: dict
    draw: Callable
    error: Callable
    repetitions: int
    targets: tuple


def sinc(k):
    """50 noisy rows; the test rows are noiseless."""
    X, y = make_sinc(50, noise=0.1, random_state=k)
    grid = np.linspace(-10, 10, 1000)
    return Problem(f"sinc/{k}", X, y, grid[:, None], sinc_function(grid))


def boston(k):
    """A random partition into 481 and 25 rows."""
    data = load("boston")
    rows = np.random.default_rng(k).permutation(len(data.y))
    return _problem(data, rows[:481], rows[481:])


def ripley(k):
    """100 of Ripley's 250 training rows."""
    data = load("ripley_synth")
    train, test = data.splits[0]
    part = np.random.default_rng(k).choice(train, 100, replace=False)
    return Problem("ripley", data.X[part], data.y[part], data.X[test], data.y[test])


def pima(k):
    """Ripley's split."""
    data = load("pima_ripley")
    return _problem(data, *data.splits[0])


def _problem(data, train, test):
    return standardised(data.name, data.X[train], data.y[train], data.X[test], data.y[test])


def _root_mean_square(model, problem):
    return _mean_square(model, problem) ** 0.5


def _mean_square(model, problem):
    return float(np.mean(np.square(model.predict(problem.X_test) - problem.y_test)))


def _percent(model, problem):
    return 100 * float(np.mean(model.predict(problem.X_test) != problem.y_test))


def _count(model, problem):
    return float(np.sum(model.predict(problem.X_test) != problem.y_test))


def _machines(relevance, svm, svm_grid, gammas, **arguments):
    """The three machines with gamma searched, the first with the rest of its grid."""
    gamma = {"gamma": list(gammas)}
    return {
        "SVM": _search(svm(**arguments), {**gamma, **svm_grid}),
        "RVM": _search(relevance(**arguments), gamma),
        "VRVM": _search(relevance(**arguments, inference="variational"), gamma),
    }


def _search(machine, grid):
    if is_regressor(machine):
        return GridSearchCV(
            machine, grid, cv=KFold(5, shuffle=True, random_state=0), scoring="neg_mean_squared_error"
        )
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return GridSearchCV(machine, grid, cv=folds, scoring=None if isinstance(machine, SVC) else "neg_log_loss")


_SINC_SVR = {"C": [0.3, 1.0, 3.0, 10.0], "epsilon": [0.03, 0.06, 0.1, 0.15]}
_BOSTON_SVR = {"C": [0.1, 1.0, 10.0], "epsilon": [0.5, 1.0, 2.0]}
_SVC = {"C": [0.1, 0.3, 1.0, 3.0, 10.0, 100.0]}

STUDIES = [
    Study(
        "Table 1: sinc, 50 rows, root mean square error",
        {"SVM": (0.0519, 28.0, None), "RVM": (0.0494, 6.9, 0.0943), "VRVM": (0.0494, 7.4, 0.0950)},
        _machines(RVMRegressor, SVR, _SINC_SVR, _of_widths(1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)),
        sinc,
        _root_mean_square,
        25,
        (("error", 0.055, False), ("kernels", 9, False), ("noise", 0.10, False), ("noise", 0.09, True)),
    ),
    Study(
        "Table 2: Boston housing, 481 rows, cubic kernel, mean square error",
        {"SVM": (10.29, 235.2, None), "RVM": (10.17, 41.1, 2.49), "VRVM": (10.36, 40.9, 2.49)},
        _machines(RVMRegressor, SVR, _BOSTON_SVR, _BOSTON_GAMMA, **_CUBIC),
        boston,
        _mean_square,
        40,
        (("error", 11, False),),
    ),
    Study(
        "Table 3: Ripley's mixture, 100 rows, error in percent (paper: one draw)",
        {"SVM": (10.6, 38, None), "RVM": (9.3, 4, None), "VRVM": (9.2, 4, None)},
        _machines(RVMClassifier, SVC, _SVC, _of_widths(0.2, 0.3, 0.5, 0.7, 1.0, 1.5)),
        ripley,
        _percent,
        40,
        (("error", 9.8, False), ("kernels", 6, False)),
    ),
    Study(
        "Table 4: Pima Indians, 200 rows, errors of 332",
        {"SVM": (69, 110, None), "RVM": (65, 4, None), "VRVM": (65, 4, None)},
        _machines(RVMClassifier, SVC, _SVC, _of_widths(2.0, 3.0, 4.0, 6.0, 8.0, 12.0)),
        pima,
        _count,
        1,
        (("error", 68, False),),
    ),
]


def main(arguments=None):
    """Run the studies, print the tables and the verdicts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers.variational_rvm", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one repetition of each study, no verdicts")
    quick = parser.parse_args(arguments).quick
    use_local_data()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        for study in STUDIES:
            report = repeat(study, 1 if quick else study.repetitions)
            (report.unjudged() if quick else report).show()


def repeat(study, repetitions):
    """One table, paper and ours side by side, with the verdicts on the variational machine."""
    measured = {name: [] for name in study.machines}
    for k in range(repetitions):
        problem = study.draw(k)
        for name, machine in study.machines.items():
            measured[name].append(_measure(machine, problem, study.error))
    ours = {name: _means(records) for name, records in measured.items()}
    rows = [_row(name, study.paper[name], ours[name], repetitions) for name in study.machines]
    targets = [
        Target(f"VRVM {measure}", ours["VRVM"][measure], bound, at_least)
        for measure, bound, at_least in study.targets
    ]
    return Report([Table(study.title, rows)], targets)


def _measure(machine, problem, error):
    model = machine.fit(problem.X, problem.y)
    value = error(model, problem)
    model = getattr(model, "best_estimator_", model)
    kept = model.relevance_ if hasattr(model, "relevance_") else model.support_
    return {"error": value, "kernels": float(len(kept)), "noise": getattr(model, "noise_std_", None)}


def _means(records):
    return {
        name: None if records[0][name] is None else float(np.mean([record[name] for record in records]))
        for name in records[0]
    }


def _row(name, paper, ours, repetitions):
    row = {"machine": name, "runs": repetitions}
    for measure, published in zip(("error", "kernels", "noise"), paper, strict=True):
        row |= {f"{measure}, paper": published, f"{measure}, ours": ours[measure]}
    return row


if __name__ == "__main__":
    main()
