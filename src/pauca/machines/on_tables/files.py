"""Machines of tables in files: vectors are held once, as cells of the table."""

from typing import Any

import numpy as np

from ...fitting.processes import ProcessPosterior
from ...numerics import all_entries, few_entries


class TableFile:
    """Machine whose files hold the cells of the vectors, from which their placed numbers are made again."""

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        columns, posteriors = state.get("_columns"), state.get("_posteriors")
        if columns is None or not posteriors:
            return state
        cells = state["relevance_vectors_"]
        state = {**state, "relevance_vectors_": few_entries(cells)}
        placed = columns.place(cells)
        if all(np.array_equal(posterior.vectors, placed) for posterior in posteriors):
            state["_posteriors"] = [posterior.without_vectors() for posterior in posteriors]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        posteriors = state.get("_posteriors")
        if state.get("_columns") is not None and posteriors:
            cells = all_entries(state["relevance_vectors_"])
            state = {**state, "relevance_vectors_": cells}
            if isinstance(posteriors[0], dict):
                placed = state["_columns"].place(cells)
                state["_posteriors"] = [ProcessPosterior.with_vectors(each, placed) for each in posteriors]
        super().__setstate__(state)  # type: ignore[misc]
