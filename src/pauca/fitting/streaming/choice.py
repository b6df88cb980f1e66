"""Hyperparameters from a random part of the rows, which is doubled until its evidence settles."""

from dataclasses import replace
from typing import Any

import numpy as np

from ...basis.blocks import HeldBlocks, RowBlock
from ..processes import Hyperparameters, Process, ProcessProblem, ProcessTrial
from .evidence import BoundEvidence
from .vectors import choose_vectors, n_candidates

# Rows and vectors on which trend and starts are compared, and on which scales are first learned: with 500
# rows one of five relevant features of 20 was lost (Friedman labels). Set by hand for the time of a fit.
_COMPARED, _SCALED = (1000, 64), (2000, 100)
#: Largest part of the rows that hyperparameters are learned from. Set by hand for the time of a fit.
LARGEST_PART = 8000
# Steps of an ascent on the first part, with scales on the second, and of every other; set by hand likewise.
_FIRST_STEPS, _SCALED_STEPS, _STEPS = 12, 30, 8
# Multiples of the reference gamma from which the first kernel starts; set by hand.
_STARTS = (1.0, 0.1)
# Rise of the evidence in nats a row, by new hyperparameters on twice the rows, below which they are settled;
# set by hand: from 4000 to 16,000 rows the log-loss of new rows fell by less (Friedman labels).
_SETTLED = 1e-3
# Relative rise of the penalised evidence at which an ascent ends; set by hand for the time of a fit.
_TOLERANCE = 1e-5
# Rise of the evidence in nats for each scale, and at least in all, that feature scales must bring: those of
# fits in memory.
_SCALE_PENALTY, _MIN_RISE = 0.75, 3.0
# Amplitudes to start from, with and without a saturation of the likelihood; those of fits in memory.
_AMPLITUDES = (4.0, 1.0)


def settled(likelihood: Any, score: float, rise: float) -> float:
    """Rise in nats a row that counts: less where labels are nearly certain."""
    return rise * min(1.0, 3 * abs(score)) if np.isfinite(likelihood.saturation) else rise


class BlockChoice:
    """Search for the hyperparameters of the largest evidence; ``trials`` are those made so far.

    Parameters
    ----------
    problem : ProcessProblem
        Likelihood, kernels and trends to choose from, and the callable that is told of every trial.
    rows : RowBlock
        Placed rows in random order.
    """

    def __init__(self, problem: ProcessProblem, rows: RowBlock) -> None:
        self.problem, self.rows = problem, rows
        self.trials: list[ProcessTrial] = []

    def chosen(self) -> ProcessTrial:
        """Trial of the best hyperparameters.

        The first kernel decides on the trend with one scale for all features, and on a scale for each group
        of them, which it must pay for; other kernels start from there. Rows are doubled until new
        hyperparameters hardly raise the evidence of a row.
        """
        first, size = self.problem.kernels[0], _SCALED
        best = self._scaled(self._with_trend(first))
        others = [
            self._climbed(self._with(best, kernel), size, _STEPS)[0] for kernel in self.problem.kernels[1:]
        ]
        best = max([best, *others], key=lambda trial: trial.score)
        while size[0] < min(len(self.rows), LARGEST_PART):
            size = (2 * size[0], size[1])
            best, rise = self._climbed(best, size, _STEPS)
            if rise < settled(self.problem.likelihood, best.log_evidence / size[0], _SETTLED):
                break
        return best

    def improved(self, trial: ProcessTrial) -> ProcessTrial:
        """Trial that climbs the evidence of all rows, and gets scales if they are paid for."""
        size = (len(self.rows), _SCALED[1])
        if trial.process.scales is None:
            return self._scaled(trial, size)
        return self._climbed(trial, size, _SCALED_STEPS)[0]

    def _with_trend(self, kernel: Any) -> ProcessTrial:
        """Best of a kernel with and without a trend, from the better of two widths."""
        trends, is_free = self.problem.trends, self.problem.learns_kernel and kernel.has_gamma
        starts = [self._start(kernel, trends[0], multiple) for multiple in (_STARTS if is_free else (None,))]
        found = [(self._climbed(start, _COMPARED, _FIRST_STEPS)[0], start) for start in starts]
        kernel = max(found, key=lambda pair: pair[0].score)[1].process.kernel
        starts = [self._start(kernel, has_trend, None) for has_trend in trends[1:]]
        found += [(self._climbed(start, _COMPARED, _FIRST_STEPS)[0], start) for start in starts]
        return max(found, key=lambda pair: pair[0].score)[0]

    def _scaled(self, flat: ProcessTrial, size: tuple[int, int] = _SCALED) -> ProcessTrial:
        """Trial on more rows, with a scale for every group of features if the evidence pays for them."""
        problem, kernel = self.problem, flat.process.kernel
        flat, _ = self._climbed(flat, size, _STEPS)
        if not (problem.learns_scales and kernel.has_scale_gradient and problem.n_scales > 1):
            return flat
        start = replace(flat, process=replace(flat.process, scales=np.ones(problem.n_scales)))
        scaled, _ = self._climbed(start, size, _SCALED_STEPS)
        penalty = max(_SCALE_PENALTY * problem.n_scales, _MIN_RISE)
        return scaled if scaled.score - penalty > flat.score else flat

    def _start(self, kernel: Any, has_trend: bool, multiple: float | None) -> ProcessTrial:
        """Hyperparameters with one scale for all features, before any ascent."""
        problem, X = self.problem, self.rows.X[: _COMPARED[0]]
        if multiple is not None:
            kernel = kernel.with_gamma(multiple * kernel.reference_gamma(X))
        process = Process(
            kernel,
            _AMPLITUDES[int(np.isinf(problem.likelihood.saturation))],
            1 / max(X.shape[1], 1) if has_trend else 0.0,
            groups=problem.groups,
            constant=(problem.base, problem.constant_variance),
            reach=problem.reach,
        )
        return ProcessTrial(process, problem.likelihood, -np.inf, -np.inf)

    def _with(self, trial: ProcessTrial, kernel: Any) -> ProcessTrial:
        """Trial with another kernel of about the width that its own has."""
        X, own = self.rows.X[: _COMPARED[0]], trial.process.kernel
        if self.problem.learns_kernel and kernel.has_gamma:
            ratio = own.gamma / own.reference_gamma(X) if own.has_gamma else 1.0
            kernel = kernel.with_gamma(ratio * kernel.reference_gamma(X))
        return replace(trial, process=replace(trial.process, kernel=kernel))

    def _climbed(self, start: ProcessTrial, size: tuple[int, int], steps: int) -> tuple[ProcessTrial, float]:
        """Best hyperparameters from a start on the first rows, and the rise from the start in nats a row."""
        part = self.rows.part(slice(0, size[0]))
        pool = part.part(slice(0, n_candidates(size[1])))
        n_vectors = min(size[1], len(part) // 4 + 1)
        vectors = pool.X[choose_vectors(start.process, pool.X, pool.weights, n_vectors)]
        evidence = BoundEvidence(HeldBlocks(part), vectors, self._hyperparameters(start), np.float32)
        before = -evidence(evidence.hyperparameters.logs)[0]
        process, likelihood, score = evidence.maximise(steps, _TOLERANCE)
        trial = ProcessTrial(process, likelihood, score, evidence.log_evidence)
        self.trials.append(trial)
        self.problem.report(trial)
        return trial, (score - before) / max(part.weights.sum(), 1.0)

    def _hyperparameters(self, trial: ProcessTrial) -> Hyperparameters:
        problem, kernel, X = self.problem, trial.process.kernel, self.rows.X[: _COMPARED[0]]
        reference = kernel.with_gamma(kernel.reference_gamma(X)) if kernel.has_gamma else kernel
        options: dict[str, Any] = {
            "learns_constant": problem.learns_constant,
            "learns_kernel": problem.learns_kernel,
        }
        known = (trial.process, trial.likelihood, reference, problem.base)
        return Hyperparameters(*known, n_features=X.shape[1], **options)
