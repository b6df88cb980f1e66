"""Cost model of a pass, its simulation, and the targets of the section ``scaling``."""

import numpy as np
import pytest
from benchmarks.scale.costs import Cluster, pass_seconds, row_cost, simulated
from benchmarks.scale.machines import (
    LIGHTGBM,
    LINEAR,
    SPARSE_GP,
    SVGP_NAME,
    make,
    missing,
    svgp_with,
    with_vectors,
)
from benchmarks.scale.page import MARKS, draw, kept, write_tables
from benchmarks.scale.tables import FRIEDMAN, LARGE, friedman, generated
from benchmarks.scale.targets import targets


def test_the_cost_of_a_row_is_found_again():
    rows = [{"vectors": m, "CPU us a row": 1 + 0.01 * m + 4e-5 * m**2} for m in (64, 128, 256, 512)]
    np.testing.assert_allclose(row_cost(rows), [1, 0.01, 4e-5], rtol=1e-6)


@pytest.mark.parametrize("n_workers", [1, 4, 100])
def test_the_model_agrees_with_the_simulation(n_workers):
    cost, cluster = np.array([1, 0.01, 4e-5]), Cluster(n_workers, 1e8, 10 * n_workers)
    model = sum(pass_seconds(cost, 128, cluster).values())
    assert model == pytest.approx(simulated(cost, 128, cluster), rel=0.2)


def test_the_simulation_waits_for_links():
    """With no work for the rows, only messages and the scheduler take time."""
    cluster = Cluster(64, 0.0, 64)
    short, long = (simulated(np.zeros(3), n_vectors, cluster) for n_vectors in (10, 1000))
    assert 0.01 < short < 0.1
    assert long > 5 * 8e6 / 1e9


def test_friedman_labels_have_the_stated_limit():
    X, y, p = friedman(20_000, 3)
    assert X.std() == pytest.approx(1, abs=0.01)
    assert y.mean() == pytest.approx(p.mean(), abs=0.02)
    rows = generated(10)
    assert 0.3 < rows.limit < 0.35
    assert len(rows.X) == 10


def test_targets_compare_with_lightgbm():
    def row(machine, n_rows, seconds, loss, table=FRIEDMAN):
        known = {"fit_cpu_s": seconds, "loss": loss, "peak_GB": 1.0, "limit": 0.33}
        return {"machine": machine, "table": table, "rows": n_rows, **known}

    grown = [row(SPARSE_GP, 64_000, 3.0, 0.331), row(LIGHTGBM, 64_000, 1.0, 0.338)]
    grown += [row(svgp_with(100), 64_000, 100.0, 0.331)]
    grown += [row(SPARSE_GP, 1_000_000, 48.0, 0.3301), row(LIGHTGBM, 1_000_000, 40.0, 0.333)]
    real = [
        row(name, None, 1.0, loss, table)
        for name, loss in ((SPARSE_GP, 0.1), (LINEAR, 0.2), (LIGHTGBM, 0.05))
        for table in LARGE
    ]
    wide = [{**row(with_vectors(512), 1_000_000, 200.0, 0.3301), "vectors": 512}]
    found = {target.name: target for target in targets(grown, real, wide)}
    assert found["N=64000: CPU time / LightGBM's"].verdict == "PASS"
    assert found["N=1000000: CPU time / LightGBM's"].verdict == "MISS"
    assert found["N=1000000, 512 vectors: log-loss above the Bayes limit"].verdict == "PASS"
    assert found["N=1000000, 512 vectors: CPU time / LightGBM's"].verdict == "MISS"
    assert found["N=1000000: peak GB"].verdict == "PASS"
    assert found["growth exponent from 64,000 to 1,000,000 rows"].value == pytest.approx(
        np.log(16) / np.log(15.625)
    )
    assert found["share of the real sets with less loss than the linear model"].verdict == "PASS"
    assert found["share of the real sets within 5 % of LightGBM's loss"].verdict == "MISS"
    few = {target.name: target for target in targets(grown, real[:1] + real[5:6] + real[10:11], wide)}
    assert few["share of the real sets with less loss than the linear model"].value == 0.2
    assert found["largest share of SVGP's CPU time, M equal"].value == pytest.approx(0.03)
    assert found["share of tables with no worse loss than SVGP's"].verdict == "PASS"


def test_tables_are_written_between_marks_and_kept(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before {MARKS[0]} old {MARKS[1]} after")
    rows = [
        {
            "table": "skin",
            "machine": name,
            "rows": 10,
            "vectors": 16,
            "loss": loss,
            "limit": 0.1,
            "fit_cpu_s": 1.0,
            "peak_GB": 0.5,
        }
        for name, loss in ((SPARSE_GP, 0.123456), (LIGHTGBM, 0.25), (with_vectors(16), 0.2))
    ]
    write_tables(page, rows[:2], rows[:2], rows[2:])
    text = page.read_text()
    assert (text[:7], text[-6:]) == ("before ", " after")
    assert "old" not in text
    assert all(part in text for part in ("| 0.1235 | 0.25 | 0.02346 |", "| skin | 0.8 |"))
    assert kept(page) in text
    assert kept(tmp_path / "none.md") == f"{MARKS[0]}\n{MARKS[1]}"
    draw(tmp_path / "figure.svg", rows, rows, rows)
    assert (tmp_path / "figure.svg").read_text().startswith("<?xml")


def test_peers_that_are_not_installed_are_named(monkeypatch):
    monkeypatch.setattr("benchmarks.scale.machines.find_spec", lambda name: None)
    assert missing(svgp_with(7)) == "SVGP, 7 vectors left out: torch and gpytorch not installed"
    assert missing(SPARSE_GP) is None


def test_the_variational_process_learns():
    pytest.importorskip("gpytorch")
    X, y, _ = friedman(600, 3)
    machine = make(svgp_with(20), regression=False)
    assert machine.n_vectors == 20
    assert SVGP_NAME == "SVGP"
    assert np.mean((machine.fit(X.astype(float), y).predict_proba(X)[:, 1] > 0.5) == y) > 0.7
