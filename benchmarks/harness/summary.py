"""Summaries of stored results over many datasets: means, rank tests."""

import pandas as pd

from pauca.evaluation import Comparison, PaperTable, RunStore, critical_difference, friedman


def stored_comparison(table: PaperTable, store: RunStore, n_splits: int) -> Comparison:
    """Comparison of what the store has of the first ``n_splits`` splits of a table."""
    records = [(unit, store.get(unit, {"failed": "not measured"})) for unit in table.units(n_splits)]
    rows = [{**unit._asdict(), **record} for unit, record in records if "failed" not in record]
    return Comparison(pd.DataFrame(rows))


def dataset_means(cells: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Mean of a measure over the splits: a row for each dataset, a column for each method.

    ``cells`` is what `pauca.evaluation.judge` gives.
    """
    part = cells[(cells["measure"] == measure) & (cells["splits"] > 0)]
    return part.pivot_table(index="dataset", columns="method", values="measured")


def rank_test_note(scores: pd.DataFrame) -> str:
    """Line with Nemenyi's critical difference of mean ranks and the p-value of Iman and Davenport's test."""
    critical = critical_difference(scores.shape[1], len(scores))
    p_value = friedman(scores)["p_value"][1]
    return f"critical difference {critical:.2f} (Nemenyi, 5 %); Iman-Davenport p = {p_value:.1g}"
