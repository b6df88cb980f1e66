"""The example scripts run and draw."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("plot_*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_draws_a_figure(path, data_directory):
    matplotlib = pytest.importorskip("matplotlib")
    with matplotlib.rc_context({"backend": "agg"}):
        from matplotlib import pyplot

        runpy.run_path(str(path))
        assert pyplot.get_fignums()
        assert all(axes.has_data() for axes in pyplot.gcf().axes)
        pyplot.close("all")
