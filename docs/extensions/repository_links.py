"""Links that leave the documents for other files of the repository lead to their copies on the site."""

# From links as they work in the repository to pages of the site.
PAGES = {
    "../benchmarks/README.md": "measuring.md",
    "../CONTRIBUTING.md": "contributing.md",
    "../CHANGELOG.md": "changes.md",
    "../README.md": "index.md",
    "docs/development.md": "development.md",
    "../docs/": "",
}


def _rewrite(app, name, source):
    for link, page in PAGES.items():
        source[0] = source[0].replace(f"]({link}", f"]({page}")


def _rewrite_included(app, relative_path, parent, content):
    _rewrite(app, parent, content)


def setup(app):
    """Rewrite pages as they are read, and what they include."""
    app.connect("source-read", _rewrite)
    app.connect("include-read", _rewrite_included)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
