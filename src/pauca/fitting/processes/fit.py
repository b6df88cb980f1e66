"""A process fitted to all rows: hyperparameters by evidence, vectors, posterior."""

import numpy as np

from .choice import Choice
from .posterior import infer
from .problem import ProcessFit, ProcessProblem
from .vectors import select_vectors, sites_of_f, sites_of_rows


def fit_process(problem: ProcessProblem) -> ProcessFit:
    """Process of one latent function.

    Hyperparameters maximise the evidence of some rows; vectors are selected on Gaussian sites of all rows.
    Where the likelihood allows it, hyperparameters are then refined on more rows with these vectors, and the
    vectors are selected again.
    """
    choice, data, limits = Choice(problem), problem.rows, problem.limits
    trial = choice.chosen()
    seen = choice.dense_places()
    fit, _ = choice.evidence(trial, seen, problem.searches_by_ep).fit(trial.process, trial.likelihood)
    sites = sites_of_rows(trial.process, trial.likelihood, data, seen, fit, problem.searches_by_ep)
    places = candidate_places(problem)
    if choice.may_refine:
        rows, _ = select_vectors(trial.process, data.X, sites, places, limits.max_iter, limits.min_gain)
        if len(rows):
            trial = choice.refined(trial, data.X[rows])
            parts = (trial.process, data.X[rows], data.X, data.y, data.weights, trial.likelihood)
            _, fit, left = infer(*parts)
            sites = sites_of_f(fit, left)
    rows, converged = select_vectors(trial.process, data.X, sites, places, limits.max_iter, limits.min_gain)
    parts = (trial.process, data.X[rows], data.X, data.y, data.weights, trial.likelihood)
    posterior, fit, _ = infer(*parts, by_ep=problem.by_ep)
    mean, var = fit.left_out(data.weights)
    var = var + posterior.left(data.X, posterior.design(data.X))
    return ProcessFit(
        [posterior],
        trial.likelihood,
        rows,
        trial,
        choice.trials,
        trial.log_evidence,
        converged,
        fit.converged,
        (trial.process.constant[0] + mean[:, None], var[:, None]),
    )


def candidate_places(problem: ProcessProblem) -> np.ndarray:
    """Places of the rows, drawn at random, that may become vectors: distinct ones, in order."""
    centres = problem.data.centres
    size = min(problem.limits.max_candidates or len(centres), len(centres))
    return centres[np.sort(np.random.default_rng(problem.seed).choice(len(centres), size, replace=False))]
