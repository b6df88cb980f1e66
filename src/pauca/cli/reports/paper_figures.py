"""Figures of the papers as files."""

from pathlib import Path
from typing import Any

from pauca.atomic_file import replacing
from pauca.plotting.canvas import MATPLOTLIB_MISSING

from ..errors import BadInput
from ..papers import figures
from .terminal import print_lines

try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError(MATPLOTLIB_MISSING) from error

_EVERY = "all"


def draw_figures(name: str, output: Path | None) -> None:
    """Draw one figure into a file, or all of them into a folder."""
    known = figures()
    if name != _EVERY and name not in known:
        raise BadInput(f"no figure is called {name!r}; there are {_EVERY}, {', '.join(known)}.")
    if name != _EVERY:
        _draw(known[name], output or Path(f"{name}.png"))
        return
    folder = output or Path("figures")
    folder.mkdir(parents=True, exist_ok=True)
    for each, figure in known.items():
        _draw(figure, folder / f"{each}.png")


def _draw(figure: Any, path: Path) -> None:
    canvas = Figure(figsize=figure.size, layout="constrained")
    figure.draw(canvas)
    canvas.suptitle(figure.title, fontsize="medium")
    with replacing(path) as temporary:
        canvas.savefig(temporary, format=path.suffix.removeprefix(".") or "png", dpi=120)
    print_lines([f"wrote {path}"])
