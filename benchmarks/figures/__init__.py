"""Figures of the papers, measured again: one function each, which draws on an empty figure of matplotlib.

`pauca reproduce --figure NAME -o FILE` draws one of them.
"""

from typing import NamedTuple


class PaperFigure(NamedTuple):
    """Title, size in inches, and the function that draws on an empty figure."""

    title: str
    size: tuple
    draw: object


def figures():
    """All figures by name."""
    from . import bayes, ensembles, epcvm, pard, ranks, vrvm

    parts = (epcvm, pard, vrvm, ensembles, bayes, ranks)
    return {name: figure for part in parts for name, figure in part.FIGURES.items()}
