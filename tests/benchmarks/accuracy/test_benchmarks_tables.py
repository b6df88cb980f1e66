"""Section tables: frames as they were, peers with native categories, means and targets."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from benchmarks.accuracy import tables
from benchmarks.harness.tables import table_of
from benchmarks.harness.trees import CATBOOST


def rows(losses):
    return [
        {
            "set": name,
            "machine": machine,
            "problem": f"{name}/5",
            "runs": 1,
            "log_loss": loss,
            "error_%": 10.0,
            "auc": 0.9,
            "fit_cpu_s": seconds,
            "bytes": size,
            "row_ms": 1.0,
        }
        for name, pair in losses.items()
        for machine, loss, seconds, size in zip(
            (tables.SPARSE_GP, CATBOOST), pair, (2, 1), (1e4, 1e6), strict=True
        )
    ]


def test_means_ranks_and_targets():
    by_set = tables.set_means(rows({"adult": (0.27, 0.28), "spam": (0.15, 0.13)}))
    ours, other = tables.summary_rows(by_set)
    assert ours["rank by log-loss"] == other["rank by log-loss"] == 1.5
    assert ours["fit / CatBoost"] == pytest.approx(2)
    assert ours["bytes / CatBoost"] == pytest.approx(0.01)
    verdicts = {target.name: target.verdict for target in tables.targets(by_set)}
    assert verdicts["log-loss of adult"] == "PASS"
    assert verdicts["log-loss of spam"] == "MISS"
    assert verdicts["rank by log-loss: SparseGP − CatBoost"] == "PASS"
    assert tables.summary_rows(by_set.iloc[:0]) == []
    assert tables.targets(by_set.iloc[:0]) == []


def test_targets_for_time_are_of_small_tables_and_ranks_of_the_tables_of_the_peer():
    found = rows({"adult": (0.27, 0.28), "spam": (0.15, 0.13), "votes": (0.1, 0.2)})
    for row in found:
        if row["set"] == "adult" and row["machine"] == tables.SPARSE_GP:
            row["fit_cpu_s"] = 50.0
    found.append({**found[-1], "machine": tables.EBM, "log_loss": 0.05})
    by_set = tables.set_means(found, (tables.EBM,))
    values = {target.name: target.value for target in tables.targets(by_set)}
    assert values["fit / CatBoost, up to 5000 rows"] == pytest.approx(2)
    assert values["rank by log-loss: SparseGP − EBM, on 1 of 3 tables"] == 1


def test_indicators_become_a_category():
    X = np.array([[30.0, 1, 0], [40.0, 0, 1]])
    names = np.array(["age", "work=private", "work=state"])
    data = SimpleNamespace(X=X, feature_names=names, extras={"missing": X == 40})
    frame = table_of("adult", data)
    pd.testing.assert_frame_equal(
        frame, pd.DataFrame({"age": [30.0, np.nan], "work": np.array(["private", "state"], dtype=object)})
    )


@pytest.mark.parametrize("fit", [tables._histograms, tables._lightgbm, tables._xgboost, tables._catboost])
def test_peers_take_text_and_gaps(fit):
    pytest.importorskip(
        {"_lightgbm": "lightgbm", "_xgboost": "xgboost", "_catboost": "catboost"}.get(fit.__name__, "sklearn")
    )
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=60), "text": rng.choice(["a", "b", None], 60)})
    X.loc[::9, "size"] = np.nan
    y = np.where(X["text"] == "a", "yes", "no")
    model = tables._labelled(fit)(X, y)
    found = tables.scores(model, X.assign(text=X["text"].where(X.index != 3, "new")), y)
    assert found["error_%"] <= 50
    assert found["bytes"] > 100
