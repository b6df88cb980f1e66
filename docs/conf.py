"""Configuration of the site; ``make docs`` builds it, and warnings are errors."""

# ruff: noqa: E402

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER / "extensions"), str(FOLDER.parent / "src")]

from sphinx_gallery.sorting import ExplicitOrder

import pauca

project = "pauca"
author = "The pauca developers"
copyright = "the pauca developers"
release = version = pauca.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "benchmark_sections",
    "mathml",
    "plain_text",
    "repository_links",
]
root_doc = "index"
exclude_patterns = [
    "_build",
    "**/GALLERY_HEADER.rst",
    "api/backreferences/*",
    "gallery/**/*.ipynb",
    "**sg_execution_times.rst",
]
default_role = "py:obj"
nitpicky = False
language = "en"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
# A document without a title, or a cross-reference that does not exist, is a mistake.
suppress_warnings: list[str] = []

autodoc_typehints = "none"
# One parameter a line, and methods without the name of their class, so that both fit on a phone.
maximum_signature_line_length = 50
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "subsection_order": ExplicitOrder(
        [f"../examples/{name}" for name in ("classes", "numbers", "labels", "features", "forests", "compare")]
    ),
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "api/backreferences",
    "doc_module": ("pauca",),
    "show_memory": False,
    "min_reported_time": 0,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "default_thumb_file": str(FOLDER / "_static" / "pauca.svg"),
    "capture_repr": ("_repr_html_", "__repr__"),
    "matplotlib_animations": False,
    "nested_sections": False,
    "parallel": False,
}

WIDE_PAGES = [f"results/{page.stem}" for page in (FOLDER / "results").glob("*.md")]

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "pauca"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/pauca.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "pauca", "image_light": "_static/pauca.svg", "image_dark": "_static/pauca.svg"},
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "search_bar_text": "Search the site",
    # Pages of wide tables have the whole width.
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        **{name: [] for name in ("benchmarks", "limits", *WIDE_PAGES)},
    },
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "which": [], "install": []}
