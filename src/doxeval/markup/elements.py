"""XML files of data (topics, runs, assessments), read one element at a time and written as text.

Such a file is a long list of similar elements, perhaps inside others. Each is yielded as a small
tree as soon as it is complete, so the size of the file does not matter. The parser is hardened
(see expat.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import IO

from doxeval.errors import FormatError
from doxeval.markup.expat import (
    HardenedExpat,
    Refused,
    all_entity_declarations,
    file_pieces,
)

_DEEPEST = 200
_LONGEST_TEXT = 16 << 20
_MOST_ELEMENTS = 2_000_000


@dataclass
class XmlElement:
    """An element: its tag, attributes, line and children; pieces are its children and its text.

    Tags are converted to lower case, because files of the same kind do not agree on case.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[XmlElement] = field(default_factory=list)
    pieces: list[str | XmlElement] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text inside it, including that of its children."""
        return "".join(piece if isinstance(piece, str) else piece.text for piece in self.pieces)

    def child(self, tag: str) -> XmlElement | None:
        """Return the first child with this tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def child_text(self, tag: str) -> str | None:
        """Return the text of the first child with this tag, stripped; None if it is empty."""
        child = self.child(tag)
        return (child.text.strip() or None) if child is not None else None

    def attribute(self, *names: str) -> str | None:
        """Return the value of the first of these attributes that the element has, stripped."""
        return next(
            (self.attributes[name].strip() for name in names if name in self.attributes), None
        )


def read_elements(
    file: IO[bytes], tags: Collection[str], origin: str
) -> Iterator[tuple[XmlElement, tuple[XmlElement, ...]]]:
    """Yield each outermost element with one of the tags, and its ancestors, outermost first.

    The ancestors are as far as they were read: with their attributes and their earlier children,
    except those that were yielded already.

    >>> import io
    >>> file = io.BytesIO(b'<run id="a"><topic n="1"/><topic n="2"/></run>')
    >>> [(e.attributes["n"], above[0].attributes["id"])
    ...  for e, above in read_elements(file, {"topic"}, "run.xml")]
    [('1', 'a'), ('2', 'a')]
    """
    reader = _Reader(tags, origin)
    for piece, is_last in file_pieces(file):
        reader.feed(piece, is_last)
        yield from reader.take()


class _Reader:
    """Builds elements from what expat reports, and keeps those to be yielded until `take`."""

    def __init__(self, tags: Collection[str], origin: str) -> None:
        self._tags = tags
        self._open: list[XmlElement] = []
        self._yielded_depth = 0  # the depth of the open element that will be yielded; 0 if none is
        self._text_length = self._attributes_length = 0
        self._elements = 0
        self._done: list[tuple[XmlElement, tuple[XmlElement, ...]]] = []
        parsing = HardenedExpat(self._text).parser(origin, all_entity_declarations(), FormatError)
        self.feed = parsing.feed
        self._parser = parsing.parser
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end

    def take(self) -> list[tuple[XmlElement, tuple[XmlElement, ...]]]:
        done, self._done = self._done, []
        return done

    def _start(self, name: str, pairs: list[str]) -> None:
        if len(self._open) >= _DEEPEST:
            raise Refused(f"elements nested more than {_DEEPEST} deep", self._parser)
        self._elements += 1
        if self._elements > _MOST_ELEMENTS:
            raise Refused(f"more than {_MOST_ELEMENTS:,} elements inside one", self._parser)
        self._attributes_length += sum(map(len, pairs))
        if self._attributes_length > _LONGEST_TEXT:
            raise Refused(f"more than {_LONGEST_TEXT:,} characters in attributes", self._parser)
        attributes = dict(zip(pairs[0::2], pairs[1::2], strict=True))
        element = XmlElement(name.lower(), attributes, self._parser.CurrentLineNumber)
        self._open.append(element)
        if not self._yielded_depth and element.tag in self._tags:
            self._yielded_depth = len(self._open)
            self._text_length = self._attributes_length = self._elements = 0

    def _text(self, text: str) -> None:
        if not self._open:
            return
        self._text_length += len(text)
        if self._text_length > _LONGEST_TEXT:
            raise Refused(f"more than {_LONGEST_TEXT:,} characters of text", self._parser)
        self._open[-1].pieces.append(text)

    def _end(self, _: str) -> None:
        element = self._open.pop()
        if len(self._open) + 1 == self._yielded_depth:
            self._yielded_depth = 0
            self._text_length = self._attributes_length = 0
            self._done.append((element, tuple(self._open)))
        elif self._open:
            self._open[-1].children.append(element)
            self._open[-1].pieces.append(element)


_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_VALUE = _TEXT | str.maketrans({'"': "&quot;", "\n": "&#10;", "\t": "&#9;"})


def escape_text(text: str) -> str:
    """Return text between tags.

    >>> escape_text("a < b & c")
    'a &lt; b &amp; c'
    """
    return text.translate(_TEXT)


def quote_attribute(value: object) -> str:
    """Return the value of an attribute, in quotes; line ends and tabs survive.

    >>> quote_attribute('say "a\\tb"')
    '"say &quot;a&#9;b&quot;"'
    """
    return f'"{str(value).translate(_VALUE)}"'
