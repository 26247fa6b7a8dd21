"""Pages from templates: all text in them is escaped, and made readable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

# Control characters mean nothing in a page or a figure, and some of them make it unreadable.
_UNREADABLE = (*range(32), *range(127, 160), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
_REPLACED = dict.fromkeys(_UNREADABLE, "\N{REPLACEMENT CHARACTER}") | {9: "\t", 10: "\n", 13: "\n"}


def readable(value: object) -> str:
    """Return anything as text without control characters.

    >>> readable("a\\0b")
    'a\N{REPLACEMENT CHARACTER}b'
    """
    return str(value).translate(_REPLACED)


def page_templates(package: str) -> Environment:
    """Return the templates of a package; a name that a template lacks is an error.

    >>> template = page_templates("doxeval.reports").from_string("<b>{{ name }}</b>")
    >>> template.render(name="a<b>\\0")
    '<b>a&lt;b&gt;\N{REPLACEMENT CHARACTER}</b>'
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return value if isinstance(value, Markup | int | float) else readable(value)

    return Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
