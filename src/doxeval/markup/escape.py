"""Text and attribute values as XML."""

from __future__ import annotations

_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_VALUE = _TEXT | str.maketrans({'"': "&quot;", "\n": "&#10;", "\t": "&#9;"})


def escaped(text: str) -> str:
    """Text between tags.

    >>> escaped("a < b & c")
    'a &lt; b &amp; c'
    """
    return text.translate(_TEXT)


def attribute_value(value: object) -> str:
    """The value of an attribute, in quotes; line ends and tabs survive.

    >>> attribute_value('say "a\\tb"')
    '"say &quot;a&#9;b&quot;"'
    """
    return f'"{str(value).translate(_VALUE)}"'
