"""The example scripts run and draw."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples"
SCRIPTS = sorted(FOLDER.rglob("plot_*.py"))
# Scripts that draw more than one figure.
N_FIGURES = {"plot_ensemble_pruning": 2}


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    with matplotlib.rc_context({"backend": "agg"}):
        from matplotlib import pyplot

        yield pyplot
        pyplot.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_example_draws_its_figures(path, pyplot, data_directory, tmp_path):
    runpy.run_path(str(path))
    numbers = pyplot.get_fignums()
    assert len(numbers) == N_FIGURES.get(path.stem, 1)
    for number in numbers:
        figure, picture = pyplot.figure(number), tmp_path / f"{number}.png"
        assert all(axes.has_data() for axes in figure.axes)
        figure.savefig(picture)
        assert picture.stat().st_size > 10_000


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_example_has_a_title_for_the_gallery(path):
    _, title, line, *_ = path.read_text(encoding="utf-8").splitlines()
    assert line == "=" * len(title)


def test_every_folder_of_the_gallery_has_a_heading():
    folders = {path.parent for path in SCRIPTS}
    assert [
        folder.name for folder in [FOLDER, *folders] if not (folder / "GALLERY_HEADER.rst").exists()
    ] == []
    assert len(SCRIPTS) >= 15
