"""The example scripts run and draw."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples"


# Writes its figures to a folder when it is run as a program.
PROGRAM = FOLDER / "plot_ensemble_pruning.py"
SCRIPTS = sorted(set(FOLDER.glob("plot_*.py")) - {PROGRAM})


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    with matplotlib.rc_context({"backend": "agg"}):
        from matplotlib import pyplot

        yield pyplot
        pyplot.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_example_draws_a_figure(path, pyplot, data_directory):
    runpy.run_path(str(path))
    assert pyplot.get_fignums()
    assert all(axes.has_data() for axes in pyplot.gcf().axes)


@pytest.mark.slow
def test_program_writes_its_figures(pyplot, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", [str(PROGRAM), str(tmp_path)])
    runpy.run_path(str(PROGRAM), run_name="__main__")
    pictures = sorted(tmp_path.glob("*.png"))
    assert [picture.stem for picture in pictures] == ["pruning_decomposition", "pruning_errors"]
    assert all(picture.stat().st_size > 10_000 for picture in pictures)
