"""Arguments that regression and ordered classes by Gaussian processes have in common."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...basis import KERNELS, Kernel, as_kernel, is_precomputed
from ...export import Link
from ...export.summary import leave_one_out_scores
from ...fitting import Limits
from ...fitting.processes import TRIAL_RECORD, ProcessFit, ProcessProblem, ProcessTrial
from ...numerics import steady_average
from ...reporting import tell
from ...validation import check_number, check_option, check_share
from .observations import KINDS
from .uncertainty import weighted_variances

# Kernels that "auto" compares.
_AUTO = ("rbf", "matern52", "matern32")
# Least number of vectors where their share of the rows is given: three follow a small table badly. Chosen by
# the predictive density of splits 0-7 of bolts, orange and pollution (26-45 rows).
_MIN_VECTORS = 10


class ProcessSettings:
    """Checked arguments, the problem that they pose, and what is kept of its fit."""

    kernel: str | Kernel | Callable
    trend: str | bool
    feature_scales: str | None
    max_vectors: int | float
    min_gain: float
    max_candidates: int | None
    likelihood: str
    warm_start: bool = False
    _columns: Any = None
    degree: float
    coef0: float
    verbose: int
    # What predictions do with the latent value: the scheme of a `Link`.
    _scheme: str = "number"

    def _check_arguments(self) -> None:
        if isinstance(self.kernel, str):
            names = [name for name in KERNELS if name != "precomputed"]
            check_option("kernel", self.kernel, ("auto", *names))
        elif is_precomputed(self.kernel):
            name = type(self).__name__
            raise ValueError(f"kernel must be a kernel of features; {name} takes no precomputed one.")
        if not isinstance(self.trend, bool | np.bool_):
            check_option("trend", self.trend, ("evidence",))
        if self.feature_scales is not None:
            check_option("feature_scales", self.feature_scales, ("evidence",))
        if isinstance(self.max_vectors, Real) and not isinstance(self.max_vectors, Integral):
            check_share("max_vectors", self.max_vectors)
        else:
            check_number("max_vectors", self.max_vectors, 1, kind=Integral)
        check_number("min_gain", self.min_gain, 0)
        check_number("max_candidates", self.max_candidates, 1, kind=Integral, optional=True)
        check_number("degree", self.degree, 0, strict=True)
        check_number("coef0", self.coef0, -np.inf)

    def _process_problem(self, data: Any, likelihood: Any, seed: int, **options: Any) -> ProcessProblem:
        """Problem of standardised rows and observations."""
        return ProcessProblem(
            data,
            likelihood,
            self._kernels(),
            self._limits(len(data.centres)),
            trends=[True, False] if isinstance(self.trend, str) else [bool(self.trend)],
            learns_scales=self.feature_scales is not None,
            seed=seed,
            report=self._report,
            **options,
        )

    def _last_trial(self) -> ProcessTrial | None:
        """Trial that another fit starts from: for ``warm_start``, if the arguments allow what it found."""
        if not self.warm_start or "_posteriors" not in self.__dict__ or self._columns is not None:
            return None
        process, kind = self._posteriors[0].process, KINDS[self.likelihood]
        known = process.kernel.name in {kernel.name for kernel in self._kernels()}
        trend = isinstance(self.trend, str) or bool(self.trend) == (process.trend > 0)
        scales = process.scales is None or self.feature_scales is not None
        if not (known and trend and scales and type(self._likelihood) is type(kind.start)):
            return None
        return ProcessTrial(process, self._likelihood, -np.inf, -np.inf)

    def _kernels(self) -> list:
        names = _AUTO if isinstance(self.kernel, str) and self.kernel == "auto" else (self.kernel,)
        return [as_kernel(name, degree=self.degree, coef0=self.coef0) for name in names]

    def _limits(self, n_rows: int) -> Limits:
        """Least gain of a vector, and the largest number of vectors as ``max_iter``."""
        share = not isinstance(self.max_vectors, Integral)
        most = max(_MIN_VECTORS, int(self.max_vectors * n_rows)) if share else int(self.max_vectors)
        return Limits(self.min_gain, max_iter=most, max_candidates=self.max_candidates)

    def _report(self, trial: Any) -> None:
        scaled = "" if trial.process.scales is None else " and scales"
        kernel = trial.process.kernel.name
        tell(f"{kernel}, gamma {trial.gamma:.4g}{scaled}: log evidence {trial.log_evidence:.2f}")

    def _store(self, data: Any, fit: ProcessFit, standards: tuple, units: tuple) -> None:
        """Keep the vectors, the posterior and the units, nothing else."""
        process = fit.process
        self._standards, self._units = standards, units
        self._posteriors, self._likelihood = fit.posteriors, fit.likelihood
        self._feature_variances = weighted_variances(data.X, data.weights)
        self._describe(process, fit.likelihood)
        self.relevance_ = data.rows[fit.rows]
        self.relevance_vectors_ = standards[0] + standards[1] * fit.posteriors[0].vectors
        self.log_evidence_ = float(fit.log_evidence - data.weights.sum() * np.log(units[1]))
        self.converged_ = fit.converged
        self.trials_ = np.array([trial.record for trial in fit.trials], dtype=TRIAL_RECORD)
        link = Link(self._scheme, fit.likelihood)
        self._left_out = leave_one_out_scores(link, fit.left_out, data.y, data.weights)

    def _describe(self, process: Any, likelihood: Any) -> None:
        """Keep what the hyperparameters say in the units of the user."""
        kernel, n_features = process.kernel, len(self._standards[0])
        self.kernel_, self.gamma_ = kernel, float(kernel.gamma) if kernel.has_gamma else 1.0
        self.feature_scales_ = np.ones(n_features) if process.scales is None else process.factors
        self.amplitude_ = float(self._units[1] * np.sqrt(process.amplitude))
        self.has_trend_ = bool(process.trend > 0)


def moments(values: NDArray, weights: NDArray) -> tuple[NDArray, NDArray]:
    """Weighted mean and standard deviation; constants have deviation one."""
    centre = steady_average(values, weights)
    spread = np.sqrt(steady_average(np.square(values - centre), weights))
    tiny = 10 * np.finfo(float).eps * np.abs(centre)
    return centre, np.where(spread > tiny, spread, 1.0)
