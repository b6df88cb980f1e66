"""The pictures of a report, as SVG that stands inside an HTML page."""

import base64
from io import BytesIO
from typing import Any

import numpy as np

from pauca.evaluation import SHARES, pooled_calibration
from pauca.plotting import (
    plot_confidence_curves,
    plot_critical_difference,
    plot_rank_boxes,
    plot_reliability,
)

from .target import CLASSIFICATION

try:
    from matplotlib import rc_context
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError('Pictures need matplotlib: pip install "pauca[plot]"') from error

# Narrow enough for a phone; text stays text, and the same data give the same file.
_WIDTH = 4.8
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pauca",
    "font.size": 11,
    "font.family": "sans-serif",
}


def difference_diagram(analysis, control=None):
    """The critical-difference diagram."""
    ranks = analysis.mean_ranks.set_index("method")["mean_rank"]

    def draw(ax):
        plot_critical_difference(ranks, analysis.critical_difference, ax=ax, control=control)

    return _picture(draw, 1.5 + 0.32 * len(ranks), "Critical-difference diagram of mean ranks")


def rank_boxes(analysis):
    """Box plots of the ranks."""
    return _picture(
        lambda ax: plot_rank_boxes(analysis.ranks, ax=ax),
        1.2 + 0.4 * analysis.ranks.shape[1],
        "Box plots of the ranks of the machines",
    )


def calibration(results, task):
    """Reliability diagram over the splits of one table; empty if no machine states probabilities."""
    curves = {
        method: pooled_calibration(list(mine["calibration"]))
        for method, mine in results.groupby("method", sort=False)
        if mine["calibration"].notna().all()
    }
    if not curves:
        return ""

    def draw(ax):
        plot_reliability(curves, ax=ax)
        if task != CLASSIFICATION:
            ax.set(xlabel="stated coverage of the interval", ylabel="observed coverage")
        ax.legend(loc="upper left", fontsize=9)

    return _picture(draw, 5.0, "Reliability diagram")


def errors(results, task):
    """Error curves over the splits of one table."""
    curves = {
        method: np.mean(np.array(mine["error_curve"].tolist()), axis=0)
        for method, mine in results.groupby("method", sort=False)
    }
    if task == CLASSIFICATION:
        labels = {"xlabel": "share of the rows, surest first", "ylabel": "error among them"}
    else:
        labels = {"xlabel": "share of the rows", "ylabel": "largest absolute error among them"}

    def draw(ax):
        plot_confidence_curves(SHARES, curves, ax=ax, **labels)
        ax.legend(loc="upper left", fontsize=9)

    return _picture(draw, 4.0, "Error curves")


def _picture(draw, height, description):
    """An image element that holds the drawing itself."""
    content = BytesIO()
    with rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        axes: Any = figure.subplots()
        draw(axes)
        figure.savefig(content, format="svg", metadata={"Date": None})
    encoded = base64.b64encode(content.getvalue()).decode()
    return f'<img alt="{description}" src="data:image/svg+xml;base64,{encoded}">'
