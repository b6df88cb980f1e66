"""A page of facts in sections, as text, HTML and Markdown."""

import re
from dataclasses import dataclass, field
from html import escape
from textwrap import wrap

# Columns of text, and of the names of facts.
_WIDTH, _LABEL = 88, 26
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_STYLE = (
    "<style>.pauca-summary{font-family:sans-serif;max-width:52em}"
    ".pauca-summary table{border-collapse:collapse}"
    ".pauca-summary td{padding:.15em .8em .15em 0;vertical-align:top;text-align:left}"
    ".pauca-summary td:first-child{opacity:.7;white-space:nowrap}"
    ".pauca-summary .warning{border-left:.25em solid #d55e00;padding-left:.6em}</style>"
)


@dataclass(frozen=True)
class Summary:
    """Readable page about a fitted machine.

    Printed, it is text; notebooks show it as HTML.

    Parameters
    ----------
    title : str
        Name of the machine.
    sections : dict of dict
        Facts by section and name; values are texts.
    warnings : list of str
        What a user should know before relying on the machine.

    Examples
    --------
    >>> from pauca import SparseGPClassifier
    >>> from pauca.datasets import make_ripley
    >>> X, y = make_ripley(250, random_state=0)
    >>> summary = SparseGPClassifier().fit(X, y).summary()
    >>> summary.title, "Kernel" in str(summary)
    ('SparseGPClassifier', True)
    """

    title: str
    sections: dict[str, dict[str, str]]
    warnings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [self.title, "=" * len(self.title)]
        for heading, facts in self.sections.items():
            lines += ["", heading, "-" * len(heading)]
            for name, value in facts.items():
                lines += _entry(name, value)
        for warning in self.warnings:
            lines += ["", *wrap(f"Warning: {_plain(warning)}", _WIDTH)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """Page as HTML; all names are escaped."""
        parts = [_STYLE, f'<div class="pauca-summary"><h3>{_html(self.title)}</h3>']
        for heading, facts in self.sections.items():
            rows = "".join(
                f"<tr><td>{_html(name)}</td><td>{_html(value)}</td></tr>" for name, value in facts.items()
            )
            parts.append(f"<h4>{_html(heading)}</h4><table>{rows}</table>")
        parts += [f'<p class="warning">{_html(warning)}</p>' for warning in self.warnings]
        return "".join([*parts, "</div>"])

    def to_markdown(self) -> str:
        """Page as Markdown, a table for each section; names cannot add markup.

        Returns
        -------
        markdown : str
            Text of the page without its title.
        """
        parts = []
        for heading, facts in self.sections.items():
            rows = [f"| {_markdown(name)} | {_markdown(value)} |" for name, value in facts.items()]
            parts.append("\n".join([f"**{_markdown(heading)}**\n", "| | |", "| --- | --- |", *rows]))
        parts += [f"**Warning:** {_markdown(warning)}" for warning in self.warnings]
        return "\n\n".join(parts) + "\n"


def _entry(name, value):
    """Lines of one fact."""
    name, lines = _plain(name), wrap(_plain(value), _WIDTH - _LABEL) or [""]
    if len(name) < _LABEL:
        return [f"{name:<{_LABEL}}{lines[0]}", *(" " * _LABEL + line for line in lines[1:])]
    return [name, *(" " * _LABEL + line for line in lines)]


def _plain(text):
    """Text without control characters, which terminals would obey."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(text))


def _html(text):
    return escape(_plain(text), quote=True)


def _markdown(text):
    """Text whose marks are not markup."""
    return re.sub(r"([\\`*_{}\[\]()#+!|~<>$&])", r"\\\1", _plain(text))
