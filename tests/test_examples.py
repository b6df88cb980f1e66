"""The example scripts run and draw."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["relevance_vectors", "decision_boundaries", "gamma_stability", "gene_ranking", "mislabelled_digits"],
)
def test_example_draws_a_figure(name, data_directory):
    matplotlib = pytest.importorskip("matplotlib")
    with matplotlib.rc_context({"backend": "agg"}):
        from matplotlib import pyplot

        runpy.run_path(str(FOLDER / f"plot_{name}.py"))
        assert pyplot.get_fignums()
        assert all(axes.has_data() for axes in pyplot.gcf().axes)
        pyplot.close("all")
