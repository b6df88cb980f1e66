"""Kernel, trend and feature scales by penalised evidence of some rows, refined on all of them."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ..fitter import ignore
from .columns import additive_start, combined_start, n_parameters
from .evidence import MAX_STEPS, Evidence, ProcessEvidence
from .hyperparameters import Hyperparameters
from .many_features import Narrow, relevant_groups
from .problem import ProcessProblem, ProcessTrial
from .process import Process
from .sparse_evidence import SparseEvidence

# Rows, drawn at random, on which kernels are compared; set by hand for the time of a fit.
_N_COMPARED = 150
# Rows on which the chosen kernel is optimised: of numbers, whose evidence is exact and cheap, and of others,
# which are refined on more rows afterwards. Chosen by time and test log-loss on half splits 0-1 of 12 sets.
_N_NUMBERS, _N_OTHERS = 400, 300
# Most rows of the refinement, and its steps; chosen likewise.
_N_REFINED, _REFINING_STEPS = 2000, 20
# Multiples of the reference gamma from which the evidence is maximised; set by hand.
_STARTS = (1.0, 0.1)
# Steps of an ascent for labels: of each kernel, and of the chosen one without and with scales; set by hand.
_COMPARING_STEPS, _PLAIN_STEPS, _SCALED_STEPS = 20, 15, 30
# Number of features up to which all of them may have scales, without a search for those that matter; set by
# hand.
_N_FEW = 60
# Amplitude to start from; set by hand.
_AMPLITUDE = {True: 4.0, False: 1.0}
# Rise of the penalised evidence, in nats for each scale and in all, for which scales are taken. The first was
# chosen by test log-loss on half splits 0-11 of about 15 sets, the second by hand.
SCALE_PENALTY, _MIN_RISE = 0.75, 3.0


class Choice:
    """Search for the hyperparameters of a problem; ``trials`` are those made so far."""

    # Evidence of the rows with a dense covariance.
    dense_evidence = ProcessEvidence

    def __init__(self, problem: ProcessProblem, exact: bool | None = None) -> None:
        self.problem = problem
        # Ascents of few steps serve labels, whose hyperparameters are refined on more rows.
        self._is_exact = not problem.searches_by_ep if exact is None else exact
        self.trials: list[ProcessTrial] = []
        # Search among the few features that matter, if that is where the choice was made.
        self.narrow: Narrow | None = None

    def chosen(self) -> ProcessTrial:
        """Trial of the largest penalised evidence on some rows."""
        if self.problem.start is not None:
            return self._continued(self.problem.start)
        best = self._with_one_kernel()
        if len(self.problem.measures) > 1:
            best = self._structured(best)
        return self._screened(best) if self._may_screen(best) else best

    def _continued(self, start: ProcessTrial) -> ProcessTrial:
        """Trial that climbs from another one, with the constant of these rows."""
        problem = self.problem
        constant = problem.base, start.process.constant[1]
        process = replace(start.process, constant=constant, reach=problem.reach)
        trial = replace(start, process=process)
        return self._climbed(trial, len(self.dense_places()), problem.searches_by_ep, MAX_STEPS)

    def _may_screen(self, trial: ProcessTrial) -> bool:
        problem = self.problem
        learns = problem.learns_scales and problem.learns_kernel and False in problem.trends
        return learns and problem.n_scales > _N_FEW and trial.process.kernel.has_scale_gradient

    def _screened(self, best: ProcessTrial) -> ProcessTrial:
        """The best trial, or one that sees only the features that matter, which pays for their choice.

        k of n groups may be chosen in n! / k! (n - k)! ways, whose logarithm adds to the penalty of scales.
        """
        problem = self.problem
        groups = np.arange(problem.n_scales) if problem.groups is None else problem.groups
        kept, scales = relevant_groups(problem.data.X, groups, problem.targets, problem.seed)
        if not 0 < len(kept) < problem.n_scales:
            return best
        narrow = Narrow.of(problem, kept, scales)
        inner = type(self)(narrow.problem, self._is_exact)
        inner.trials = self.trials
        found, n = inner.chosen(), problem.n_scales
        n_rows = len(self.dense_places())
        penalty = gammaln(n + 1) - gammaln(len(kept) + 1) - gammaln(n - len(kept) + 1)
        penalty += SCALE_PENALTY * (_n_scales(found) - _n_scales(best))
        if (found.score - best.score) * self._refined_ratio(n_rows) < max(penalty, _MIN_RISE):
            return best
        self.narrow = narrow
        return narrow.widened(found)

    def first(self) -> ProcessTrial:
        """Best trial with a kernel of all features, with or without scales."""
        return self._with_one_kernel()

    def _structured(self, best: ProcessTrial) -> ProcessTrial:
        """The best trial, or one of main effects and pairs, alone or beside the kernel of all columns."""
        problem, chosen = self.problem, best
        n_rows = _N_OTHERS if problem.searches_by_ep else _N_NUMBERS
        steps = _SCALED_STEPS if problem.searches_by_ep else MAX_STEPS
        additive = self._climbed(
            additive_start(best, problem.measures), n_rows, problem.searches_by_ep, steps
        )
        combined = self._climbed(
            combined_start(best, additive, problem.measures), n_rows, problem.searches_by_ep, steps
        )
        ratio = self._refined_ratio(n_rows)
        for found in (additive, combined):
            penalty = SCALE_PENALTY * (n_parameters(found.process) - n_parameters(chosen.process))
            if (found.score - chosen.score) * ratio > max(penalty, _MIN_RISE):
                chosen = found
        return chosen

    def _with_one_kernel(self) -> ProcessTrial:
        """Best trial with a kernel of all features, with or without scales."""
        problem = self.problem
        best = self._compared()
        n_rows = _N_OTHERS if problem.searches_by_ep else _N_NUMBERS
        if len(problem.data.y) > _N_COMPARED or problem.searches_by_ep:
            steps = MAX_STEPS if self._is_exact else _PLAIN_STEPS
            best = self._climbed(best, n_rows, problem.searches_by_ep, steps)
        if not self._may_scale(best):
            return best
        scales = np.ones(problem.n_scales) if problem.start_scales is None else problem.start_scales
        start = replace(best, process=replace(best.process, scales=scales))
        steps = MAX_STEPS if self._is_exact else _SCALED_STEPS
        scaled = self._climbed(start, n_rows, problem.searches_by_ep, steps)
        penalty = max(SCALE_PENALTY * problem.n_scales, _MIN_RISE)
        rise = (scaled.score - best.score) * self._refined_ratio(n_rows)
        return scaled if rise > penalty else best

    def refined(self, trial: ProcessTrial, vectors: Any) -> ProcessTrial:
        """Trial whose hyperparameters climb the evidence of the rows that some vectors carry."""
        if self.narrow is not None:
            narrow = self.narrow
            inner = type(self)(narrow.problem, self._is_exact)
            inner.trials = self.trials
            return narrow.widened(inner.refined(narrow.narrowed(trial), narrow.rows(vectors)))
        problem, places = self.problem, self.problem.places(_N_REFINED)
        X, y = problem.data.X[places], problem.data.y[places]
        parts = (X, y, problem.counts[places], self.hyperparameters(trial, X))
        return self.noted(SparseEvidence(*parts, vectors), _REFINING_STEPS)

    def _refined_ratio(self, n_rows: int) -> float:
        """Rows of the refinement as a multiple of those seen so far: evidence rises in this proportion."""
        n = min(len(self.problem.data.y), _N_REFINED)
        return n / n_rows if self.may_refine else 1.0

    @property
    def may_refine(self) -> bool:
        """Whether there are more rows than the dense evidence has seen, of a kind that can be refined."""
        problem = self.problem
        return problem.searches_by_ep and problem.learns_kernel and len(problem.data.y) > _N_OTHERS

    def evidence(self, trial: ProcessTrial, places: NDArray, by_ep: bool) -> ProcessEvidence:
        """Evidence of the rows at some places, from the hyperparameters of a trial."""
        problem, X = self.problem, self.problem.data.X[places]
        hyperparameters = self.hyperparameters(trial, X)
        return self.dense_evidence(X, problem.data.y[places], problem.counts[places], hyperparameters, by_ep)

    def dense_places(self) -> NDArray:
        """Places of the rows of the dense evidence."""
        return self.problem.places(_N_OTHERS if self.problem.searches_by_ep else _N_NUMBERS)

    def _compared(self) -> ProcessTrial:
        """Best kernel, with or without a trend, on few rows; the first kernel decides on the trend."""
        problem, trends = self.problem, self.problem.trends
        steps = MAX_STEPS if self._is_exact else _COMPARING_STEPS
        found: list[ProcessTrial] = []
        for kernel in problem.kernels:
            for has_trend in trends:
                for start in self._starts(kernel, has_trend, found):
                    found.append(self._climbed(start, _N_COMPARED, False, steps))
            trends = [max(found, key=lambda trial: trial.score).process.trend > 0]
        return max(found, key=lambda trial: trial.score)

    def _starts(self, kernel: Any, has_trend: bool, found: list[ProcessTrial]) -> list[ProcessTrial]:
        """Trials to climb from; where ascents are long, from the best one as soon as a kernel is known."""
        problem, X = self.problem, self.problem.data.X
        if found and self._is_exact and problem.learns_kernel and kernel.name != found[0].process.kernel.name:
            best = max(found, key=lambda trial: trial.score)
            other = kernel_like(best.process.kernel, kernel, X)
            return [replace(best, process=replace(best.process, kernel=other))]
        process = Process(
            kernel,
            _AMPLITUDE[np.isfinite(problem.likelihood.saturation)] / problem.level(kernel),
            1 / max(X.shape[1], 1) if has_trend else 0.0,
            groups=problem.groups,
            constant=(problem.base, problem.constant_variance),
            reach=problem.reach,
        )
        kernels = [kernel]
        if problem.learns_kernel and kernel.has_gamma:
            reference = kernel.reference_gamma(X)
            kernels = [kernel.with_gamma(multiple * reference) for multiple in _STARTS]
        return [
            ProcessTrial(replace(process, kernel=each), problem.likelihood, -np.inf, -np.inf)
            for each in kernels
        ]

    def _may_scale(self, trial: ProcessTrial) -> bool:
        problem = self.problem
        learns = problem.learns_scales and trial.process.kernel.has_scale_gradient
        return learns and 1 < problem.n_scales <= len(problem.data.y)

    def _climbed(self, trial: ProcessTrial, n_rows: int, by_ep: bool, max_steps: int) -> ProcessTrial:
        evidence = self.evidence(trial, self.problem.places(n_rows), by_ep)
        return self.noted(evidence, max_steps)

    def noted(self, evidence: Evidence, max_steps: int) -> ProcessTrial:
        """Trial at the end of an ascent of an evidence."""
        process, likelihood, score = evidence.maximise(max_steps)
        trial = ProcessTrial(process, likelihood, score, evidence.log_evidence)
        self.trials.append(trial)
        self.problem.report(trial)
        return trial

    def hyperparameters(self, trial: ProcessTrial, X: Any) -> Hyperparameters:
        """Hyperparameters of a trial for rows X, with their priors."""
        problem, kernel = self.problem, trial.process.kernel
        reference = kernel.with_gamma(kernel.reference_gamma(X)) if kernel.has_gamma else kernel
        level = problem.level(kernel)
        options = {"learns_constant": problem.learns_constant, "learns_kernel": problem.learns_kernel}
        return Hyperparameters(
            trial.process,
            trial.likelihood,
            reference,
            problem.base,
            n_features=X.shape[1],
            level=level,
            **options,
        )


def _n_scales(trial: ProcessTrial) -> int:
    return 0 if trial.process.scales is None else len(trial.process.scales)


def kernel_like(known: Any, kernel: Any, placed: Any) -> Any:
    """Another kernel with a gamma as many times its reference for placed rows as that of a known one."""
    if not (kernel.has_gamma and known.has_gamma):
        return kernel
    with np.errstate(over="ignore"):
        ratio = np.float64(known.gamma) / known.reference_gamma(placed)
        gamma = ratio * kernel.reference_gamma(placed)
    return kernel.with_gamma(min(float(gamma), np.finfo(float).max))


def first_evidence(problem: ProcessProblem) -> float:
    """Largest log evidence with the first kernel of a problem, penalised, to compare problems."""
    choice = Choice(replace(problem, kernels=problem.kernels[:1], report=ignore))
    return max(choice.first().score, choice.trials[-1].score)
