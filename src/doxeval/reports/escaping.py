"""Escaping: text from documents, runs and assessments as safe text of a page."""

from __future__ import annotations

import html
from collections.abc import Iterable

# Control characters mean nothing in a page or a figure, and some of them make it unreadable.
_UNREADABLE = (*range(32), *range(127, 160), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
_REPLACED = dict.fromkeys(_UNREADABLE, "\N{REPLACEMENT CHARACTER}") | {9: "\t", 10: "\n", 13: "\n"}


def readable(value: object) -> str:
    """Anything as text without control characters.

    >>> readable("a\\0b")
    'a\N{REPLACEMENT CHARACTER}b'
    """
    return str(value).translate(_REPLACED)


def text(value: object) -> str:
    """Anything as text that is safe inside an element and inside a quoted attribute.

    >>> text("<b>'1' & \\"2\\"</b>")
    '&lt;b&gt;&#x27;1&#x27; &amp; &quot;2&quot;&lt;/b&gt;'
    """
    return html.escape(readable(value), quote=True)


def name(value: object) -> str:
    """A name of a run, topic or document, isolated from the writing direction around it.

    >>> name("run<1>")
    '<bdi>run&lt;1&gt;</bdi>'
    """
    return f"<bdi>{text(value)}</bdi>"


def items(lines: Iterable[str]) -> str:
    """A list of lines that are HTML already.

    >>> items(["one", "two"])
    '<ul><li>one</li><li>two</li></ul>'
    """
    return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names separated by commas; if there are many, the first of them and how many more.

    >>> listed(["a", "b", "c"], most=2)
    '<bdi>a</bdi>, <bdi>b</bdi> and 1 more'
    """
    all_names = list(names)
    shown = ", ".join(map(name, all_names[:most]))
    return shown + (f" and {len(all_names) - most:,} more" if len(all_names) > most else "")
