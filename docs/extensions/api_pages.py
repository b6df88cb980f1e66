"""Pages of the reference, written before every build from ``__all__`` of the package and its subpackages."""

import inspect
import shutil
import sys
from importlib import import_module
from pathlib import Path

from sphinx.pycode import ModuleAnalyzer

import pauca

FOLDER = Path(__file__).resolve().parents[1] / "api"
# Subpackages in the order of the reference, most used first, with titles.
TITLES = {
    "machines": "Machines",
    "ensembles": "Ensembles",
    "evaluation": "Evaluation and comparison",
    "plotting": "Plots",
    "datasets": "Data",
    "persistence": "Saving",
    "basis": "Kernels and basis functions",
    "likelihoods": "Likelihoods",
    "priors": "Priors",
    "inference": "Inference",
    "selection": "Selection",
    "fitting": "Fitting",
    "numerics": "Numerics",
}


_INTRODUCTION = """Every public name, with its parameters and an example. Estimators have the interface of
scikit-learn: ``fit``, ``predict``, ``predict_proba``, ``score``, ``get_params``. Hyperparameters are
learned in ``fit``.
"""


def public_names():
    """From subpackage ("" for the package) to the names that are documented there, each object once."""
    top = [name for name in pauca.__all__ if not _is_module(getattr(pauca, name)) and name != "__version__"]
    names, seen = {"": sorted(top)}, {id(getattr(pauca, name)) for name in top}
    rest = [name for name in pauca._SUBPACKAGES if name not in TITLES]
    for subpackage in [*TITLES, *rest]:
        module = import_module(f"pauca.{subpackage}")
        mine = [name for name in getattr(module, "__all__", []) if id(getattr(module, name)) not in seen]
        mine = [name for name in mine if not _is_module(getattr(module, name))]
        seen |= {id(getattr(module, name)) for name in mine if _is_documented(getattr(module, name))}
        names[subpackage] = sorted(mine)
    return names


def write_pages(folder=FOLDER):
    """Write a page for every subpackage and for every public name; the number of names."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    names = {place: found for place, found in public_names().items() if found}
    sections = [_index_page(folder, place, found) for place, found in names.items()]
    lines = [*_headed("Reference"), _INTRODUCTION, ".. toctree::", "   :maxdepth: 1", ""]
    (folder / "index.rst").write_text("\n".join([*lines, *(f"   {name}" for name in sections), ""]), "utf-8")
    return sum(map(len, names.values()))


def _index_page(folder, place, names):
    """A page with one line for each name, and their pages."""
    module = import_module(f"pauca.{place}" if place else "pauca")
    title = TITLES.get(place, place.capitalize()) if place else "The names of pauca itself"
    lines = [*_headed(title), f".. currentmodule:: {module.__name__}", ""]
    if place:
        lines += [f"``{module.__name__}``: {(module.__doc__ or '').strip().splitlines()[0]}", ""]
    things = [name for name in names if _is_documented(getattr(module, name))]
    values = [name for name in names if name not in things]
    if things:
        lines += [".. autosummary::", "", *(f"   {name}" for name in things), ""]
    for name in values:
        lines += [f".. py:data:: {name}", "", f"   {_comment(module, name)}", ""]
    lines += [".. toctree::", "   :hidden:", ""]
    for name in things:
        page = f"{module.__name__}.{name}"
        (folder / f"{page}.rst").write_text(_page(module, name), "utf-8")
        lines.append(f"   {page}")
    file = f"{place or 'pauca'}_index"
    (folder / f"{file}.rst").write_text("\n".join([*lines, ""]), "utf-8")
    return file


def _page(module, name):
    """The page of one class or function."""
    thing = getattr(module, name)
    kind = "function"
    if inspect.isclass(thing):
        kind = "exception" if issubclass(thing, BaseException) else "class"
    lines = [*_headed(f"{module.__name__}.{name}"), f".. currentmodule:: {module.__name__}", ""]
    lines += [f".. auto{kind}:: {name}"]
    members = _methods(thing) if kind == "class" else []
    if members:
        lines += [f"   :members: {', '.join(members)}"]
    lines += ["", f".. minigallery:: {module.__name__}.{name}", "   :add-heading: Gallery", ""]
    return "\n".join(lines)


def _methods(kind):
    """Public methods that pauca itself defines, in the order of the source."""
    found = {}
    for base in reversed([base for base in kind.__mro__ if base.__module__.startswith("pauca.")]):
        for name, member in vars(base).items():
            is_method = inspect.isfunction(member) or isinstance(member, classmethod | staticmethod)
            if is_method and not name.startswith("_") and inspect.getdoc(getattr(kind, name)):
                found[name] = None
    return list(found)


def _comment(module, name):
    """The comment above a constant or a compiled function where it is defined, or its type."""
    for place, found in list(sys.modules.items()):
        if place.startswith(f"{module.__name__}.") and hasattr(found, name):
            comments = ModuleAnalyzer.for_module(place).find_attr_docs()
            if ("", name) in comments:
                return " ".join(comments["", name]).strip()
    value = getattr(module, name)
    return f"A value of type ``{type(value).__name__}``."


def _is_module(thing):
    return inspect.ismodule(thing)


def _is_documented(thing):
    """Whether a name has a docstring of its own: a class or a function."""
    of_ours = getattr(thing, "__module__", "").startswith("pauca")
    return of_ours and (inspect.isclass(thing) or inspect.isroutine(thing))


def _headed(title):
    return [title, "=" * len(title), ""]


def setup(app):
    """Write the pages before Sphinx looks for documents."""
    write_pages()
    return {"parallel_read_safe": True, "parallel_write_safe": True}
