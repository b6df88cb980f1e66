"""What a distillation gives back: the student beside its teacher."""

import pickle
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap, norm
from sklearn.utils import _safe_indexing

from ..evaluation import classification_scores, regression_scores
from .students import machine_of

# Level of intervals, and seconds of processor time for each latency; set by hand.
_LEVEL, _SECONDS = 0.95, 0.2


@dataclass(frozen=True)
class Distillation:
    """A student beside its teacher.

    Parameters
    ----------
    student : estimator
        Fitted sparse Gaussian process, or a pipeline that ends in one.
    agreement : float
        Share of held-out rows with the same class; for regression the R² of the student's means as
        predictions of the teacher's.
    agreement_interval : tuple of two floats
        Confidence interval of the agreement at 95 %: Wilson's for shares, by the bootstrap for R².
    n_held_out : int
        Number of held-out rows.
    scores : dict of dict
        Scores on the held-out rows of "teacher" and "student": error, log-loss, area under the ROC curve, or
        root mean square error and R²; empty without y.
    divergence : float
        Mean divergence in nats of the student's probabilities from the teacher's; for regression the root
        mean square difference.
    n_bytes : dict
        Bytes of "teacher" (pickled; None where it cannot be) and "student" (constants of the C file).
    microseconds : dict
        Processor time of one row in microseconds: "teacher", "student" and "compiled".
    settings : dict
        How the student was made: number of extra rows, out-of-fold labels, share of the true labels.
    """

    student: Any
    agreement: float
    agreement_interval: tuple[float, float]
    n_held_out: int
    scores: dict[str, dict[str, float]]
    divergence: float
    n_bytes: dict[str, int | None]
    microseconds: dict[str, float]
    settings: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        low, high = self.agreement_interval
        kinds = ("share of rows with the same class", "R² of the teacher's means")
        machine = machine_of(self.student)
        kind = kinds[0] if hasattr(machine, "classes_") else kinds[1]
        lines = [
            f"{type(machine).__name__} with {len(machine.relevance_)} vectors",
            f"agreement on {self.n_held_out} held-out rows: {self.agreement:.4f} "
            f"({low:.4f} to {high:.4f}, 95 %), {kind}",
        ]
        for who, scores in self.scores.items():
            listed = ", ".join(f"{name} {value:.4g}" for name, value in scores.items())
            lines.append(f"{who}: {listed}")
        sizes = ", ".join(
            f"{who} unknown" if size is None else f"{who} {size / 1000:.1f} kB"
            for who, size in self.n_bytes.items()
        )
        times = ", ".join(f"{who} {time:.1f} µs" for who, time in self.microseconds.items())
        return "\n".join([*lines, f"size: {sizes}", f"one row: {times}"])


def wilson_interval(share: float, n: int, level: float = _LEVEL) -> tuple[float, float]:
    """Wilson's confidence interval of a share of n rows."""
    z = norm.ppf(0.5 + 0.5 * level)
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return max(0.0, float(centre - reach)), min(1.0, float(centre + reach))


def agreement_of_classes(taught: NDArray, learned: NDArray) -> tuple[float, tuple[float, float], float]:
    """Share of rows with the same class, its interval, and the mean divergence in nats."""
    share = float(np.mean(taught.argmax(axis=1) == learned.argmax(axis=1)))
    floor = np.finfo(float).tiny
    logs = np.log(np.maximum(taught, floor)) - np.log(np.maximum(learned, floor))
    return share, wilson_interval(share, len(taught)), float((taught * logs).sum(axis=1).mean())


def agreement_of_numbers(
    taught: NDArray, learned: NDArray, seed: int = 0
) -> tuple[float, tuple[float, float], float]:
    """R² of the learned numbers as predictions of the taught ones, its interval, and their distance."""

    def r_squared(a, b, axis=-1):
        rest = np.square(a - b).mean(axis=axis)
        return 1 - rest / np.maximum(np.var(a, axis=axis), np.finfo(float).tiny)

    value = float(r_squared(taught, learned))
    found = bootstrap(
        (taught, learned), r_squared, paired=True, n_resamples=999, method="percentile", rng=seed
    )
    interval = found.confidence_interval
    distance = float(np.sqrt(np.square(taught - learned).mean()))
    return value, (float(interval.low), float(interval.high)), distance


def scores_of(y: NDArray, answer: NDArray, classes: NDArray | None) -> dict[str, float]:
    """Error, log-loss and area under the ROC curve, or root mean square error and R²."""
    if classes is None:
        scores = regression_scores(y, answer)
        return {"rmse": scores["rmse"], "r2": scores["r2"]}
    scores = classification_scores(y, np.clip(answer, 1e-15, 1), labels=classes)
    return {name: scores[name] for name in ("error", "log_loss", "auc")}


def pickled_bytes(model: Any) -> int | None:
    """Bytes of a pickled model, or None where it cannot be pickled."""
    try:
        return len(pickle.dumps(model))
    except Exception:  # whatever other libraries raise
        return None


def row_microseconds(answer: Any, X: Any) -> float:
    """Median processor time of one row in microseconds."""
    row = _safe_indexing(X, [0])
    answer(row)
    times: list[float] = []
    start = process_time()
    while process_time() - start < _SECONDS or len(times) < 3:
        begin, n_calls = process_time(), 0
        while process_time() - begin < _SECONDS / 20:
            answer(row)
            n_calls += 1
        times.append((process_time() - begin) / max(n_calls, 1))
    return 1e6 * float(np.median(times))
