"""Figures of the HTML report, as SVG inside image elements."""

import base64
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from pauca.evaluation import COVERAGES, Analysis, pooled_calibration
from pauca.plotting import (
    plot_critical_difference,
    plot_rank_boxes,
    plot_reliability,
    plot_risk_coverage,
)
from pauca.plotting.canvas import MATPLOTLIB_MISSING

from ..tables.target import CLASSIFICATION

try:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError(MATPLOTLIB_MISSING) from error

# Width in inches, narrow enough for a phone. Text stays text, and the same data give the same file.
_WIDTH = 4.8
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pauca",
    "font.size": 11,
    "font.family": "sans-serif",
}


def critical_difference(analysis: Analysis, control: str | None = None) -> str:
    """Critical-difference diagram of the mean ranks."""
    ranks = analysis.mean_ranks.set_index("method")["mean_rank"]
    difference: Any = analysis.critical_difference

    def draw(ax: Any) -> None:
        plot_critical_difference(ranks, difference, ax=ax, control=control)

    return _svg(draw, 1.5 + 0.32 * len(ranks), "Critical-difference diagram of mean ranks")


def rank_boxes(analysis: Analysis) -> str:
    """Box plots of the ranks of the machines."""
    return _svg(
        lambda ax: plot_rank_boxes(analysis.ranks, ax=ax),
        1.2 + 0.4 * analysis.ranks.shape[1],
        "Box plots of the ranks of the machines",
    )


def reliability(results: pd.DataFrame, task: str) -> str:
    """Reliability diagram over the splits of one table; empty if no machine predicts probabilities."""
    curves = {
        str(method): pooled_calibration(list(mine["calibration"]))
        for method, mine in results.groupby("method", sort=False)
        if mine["calibration"].notna().all()
    }
    if not curves:
        return ""

    def draw(ax: Any) -> None:
        plot_reliability(curves, ax=ax)
        if task != CLASSIFICATION:
            ax.set(xlabel="nominal coverage of the interval", ylabel="observed coverage")
        ax.legend(loc="upper left", fontsize=9)

    return _svg(draw, 5.0, "Reliability diagram")


def risk_coverage(results: pd.DataFrame, task: str) -> str:
    """Risk-coverage curves over the splits of one table; for regression, quantiles of the absolute error."""
    curves = {
        str(method): np.mean(np.array(mine["risk_coverage"].tolist()), axis=0)
        for method, mine in results.groupby("method", sort=False)
    }
    if task == CLASSIFICATION:
        labels, description = {}, "Risk-coverage curves"
    else:
        labels = {"xlabel": "fraction of the rows", "ylabel": "quantile of the absolute error"}
        description = "Quantiles of the absolute error"

    def draw(ax: Any) -> None:
        plot_risk_coverage(COVERAGES, curves, ax=ax, **labels)
        ax.legend(loc="upper left", fontsize=9)

    return _svg(draw, 4.0, description)


def _svg(draw: Callable[[Any], object], height: float, description: str) -> str:
    """An image element that holds the figure itself."""
    content = BytesIO()
    with rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        axes: Any = figure.subplots()
        draw(axes)
        figure.savefig(content, format="svg", metadata={"Date": None})
    encoded = base64.b64encode(content.getvalue()).decode()
    return f'<img alt="{description}" src="data:image/svg+xml;base64,{encoded}">'
