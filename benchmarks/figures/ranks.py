"""Diagrams of mean ranks with their critical differences, from the measured means in docs/results."""

from functools import partial

import pandas as pd

from pauca.cli.papers import checkout, published_tables
from pauca.evaluation import critical_difference, mean_ranks, read_records
from pauca.plotting import plot_critical_difference

from . import PaperFigure


def draw(figure, table, methods):
    """Mean ranks by the first measure over the sets that have all methods: printed and measured ones."""
    published = published_tables()[0][table]
    first = next(iter(published.measures))
    records = read_records(checkout() / "docs" / "results" / f"{table}.csv")
    measured = pd.DataFrame([each for each in records if each["measure"] == first])
    printed = pd.DataFrame(
        [
            {"dataset": dataset, "method": method, "mean": values[first]}
            for (dataset, method), values in published.published.items()
            if first in values
        ]
    )
    for ax, (name, cells) in zip(
        figure.subplots(2, 1), (("printed", printed), ("measured", measured)), strict=True
    ):
        grid = cells[cells["method"].isin(methods)].pivot(index="dataset", columns="method", values="mean")
        grid = grid.dropna()
        if len(grid) > 1 and len(grid.columns) > 1:
            ranks = mean_ranks(grid)
            plot_critical_difference(ranks, critical_difference(len(grid.columns), len(grid)), ax=ax)
        else:
            ax.axis("off")
        ax.set_title(f"{name}, {len(grid)} sets", loc="left", fontsize="medium")


def _ranks(title, table, *methods):
    return PaperFigure(title, (7, 4.5), partial(draw, table=table, methods=methods))


_PAPER = "Hernández-Lobato 2009"
_ASKED = "complete", "instance-based", "fixed rate"
FIGURES = {
    "thesis-figure-3.4": _ranks(
        f"{_PAPER}, figure 3.4: ranks of regression ensembles",
        "pruning-regression",
        *("network", "bagging", "AdaBoost.R2", "ordered", "SDP"),
    ),
    "thesis-figure-3.9": _ranks(f"{_PAPER}, figure 3.9: ranks, bagging", "votes-bagging", *_ASKED),
    "thesis-figure-3.10": _ranks(f"{_PAPER}, figure 3.10: ranks, forest", "votes-forest", *_ASKED),
    "thesis-figure-6.2": _ranks(
        f"{_PAPER}, figure 6.2: ranks of Bayes machines", "bayes-machines", "BM", "SVM", "GPC"
    ),
    "thesis-figure-6.5": _ranks(
        f"{_PAPER}, figure 6.5: ranks on digits", "bayes-digits", "BM", "SBM", "SBM, first pass", "SVM"
    ),
    "epcvm-ranks": _ranks(
        "Chen, Tino & Yao 2014, tables VI and VII: mean ranks",
        "epcvm-median",
        *("SVM", "RVM", "SMLR", "PCVM", "EPCVM-EP", "EPCVM"),
    ),
}
