"""Attributes of documents that become what display needs, and no others are kept.

These are `dir`, `lang` and `xml:lang` of any element, and the others of the elements that have them
in HTML, MathML, DocBook, JATS, TEI, Mallard, or a collection of INEX. Tags count without the prefix
of a namespace. What has no value that can be shown is left out.

    cells        rowspan, colspan; morerows, namest, nameend and spanname with the colspec and
                 spanspec around them (CALS); rows, cols and role (TEI)
    lists        start, type, reversed, value (HTML); startingnumber, continuation, numeration
                 (DocBook); list-type (JATS); type (Mallard, TEI); rend (TEI)
    pictures     src (HTML, Mallard, Wikipedia), alt (HTML), fileref (DocBook), url (TEI), file
                 (IEEE), xlink:href (JATS, Wikipedia)
    phrases      role (DocBook's emphasis), rend (TEI)
    mathematics  display

The text of elements such as alt-text, textobject and figDesc is text of the document already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter

import numpy as np

from doxeval.documents.display import (
    MOST_COLUMNS_SPANNED,
    MOST_ROWS_SPANNED,
    DisplayFact,
    alternative_text,
    is_display_value,
    picture_name,
)
from doxeval.documents.nodes import NO_PARENT, NodeColumns, NodeTable
from doxeval.documents.readers.tag_events import Attributes

ANYWHERE = frozenset({"dir", "lang", "xml:lang"})
_HTML_CELL = ("rowspan", "colspan")
_CALS_CELL = (*_HTML_CELL, "morerows", "namest", "nameend", "spanname")
_CELLS: dict[str, tuple[str, ...]] = {
    "td": _HTML_CELL,
    "th": _HTML_CELL,
    "entry": _CALS_CELL,
    "entrytbl": _CALS_CELL,
    "cell": ("rows", "cols", "role"),
    "row": ("role",),
}
_COLUMNS: dict[str, tuple[str, ...]] = {
    "colspec": ("colname", "colnum"),
    "spanspec": ("spanname", "namest", "nameend"),
}
_LISTS: dict[str, tuple[str, ...]] = {
    "ol": ("start", "type", "reversed"),
    "li": ("value",),
    "orderedlist": ("startingnumber", "continuation", "numeration"),
    "list": ("list-type", "type", "rend"),
}
_PICTURES: dict[str, tuple[str, ...]] = {
    "img": ("src", "alt"),
    "image": ("src", "xlink:href", "alt"),
    "media": ("src",),
    "graphic": ("fileref", "url", "xlink:href"),
    "inline-graphic": ("xlink:href",),
    "inlinegraphic": ("fileref",),
    "imagedata": ("fileref",),
    "art": ("file",),
}
_PHRASES: dict[str, tuple[str, ...]] = {
    "emphasis": ("role",),
    "hi": ("rend",),
    "emph": ("rend",),
}
_MATHEMATICS: dict[str, tuple[str, ...]] = {"math": ("display",)}
# What some of these are depends on other elements.
_BY_TREE = frozenset({"entry", "entrytbl", "orderedlist"})
_OF_TAG = {**_CELLS, **_COLUMNS, **_LISTS, **_PICTURES, **_PHRASES, **_MATHEMATICS}
# How Markdown, which has no attributes, gives the pictures of a block: each before its text.
MARKDOWN_PICTURE, MARKDOWN_ALT = "![", "]"
_NUMBERING = {
    "arabic": "1", "loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I",
    "order": "1", "alpha-lower": "a", "alpha-upper": "A", "roman-lower": "i", "roman-upper": "I",
    "numbered": "1", "ordered": "1", "decimal": "1", "lower-alpha": "a", "upper-alpha": "A",
    "lower-roman": "i", "upper-roman": "I", "lower-latin": "a", "upper-latin": "A",
}  # fmt: skip
_STYLES = {
    "bold": "strong", "strong": "strong", "b": "strong", "bf": "strong",
    "italic": "emphasis", "italics": "emphasis", "it": "emphasis", "i": "emphasis",
    "sup": "superscript", "super": "superscript", "superscript": "superscript",
    "sub": "subscript", "subscript": "subscript", "small": "small",
    "code": "code", "tt": "code", "monospace": "code", "typewriter": "code",
}  # fmt: skip
_MANY_TAGS = 10_000
# As HTML reads numbers: after white space, up to the first character that is no digit.
_NUMBER = re.compile(r"[ \t\n\f\r]*([+-]?[0-9]{1,12})(?![0-9])", re.ASCII)


def local_name(tag: str) -> str:
    """Return a tag without the prefix of its namespace.

    >>> local_name("mml:math"), local_name("p")
    ('math', 'p')
    """
    return tag.rpartition(":")[2]


class KeptAttributes(dict[str, frozenset[str]]):
    """The names of the attributes that are kept of an element, by its tag.

    `identifying` is an attribute that is kept of every element, since ids are made of it.

    >>> sorted(KeptAttributes()["ol"]), sorted(KeptAttributes("id")["p"])
    (['dir', 'lang', 'reversed', 'start', 'type', 'xml:lang'], ['dir', 'id', 'lang', 'xml:lang'])
    """

    def __init__(self, identifying: str | None = None) -> None:
        super().__init__()
        self._anywhere = ANYWHERE if identifying is None else ANYWHERE | {identifying}

    def __missing__(self, tag: str) -> frozenset[str]:
        if len(self) > _MANY_TAGS:
            self.clear()
        names = self[tag] = self._anywhere.union(_OF_TAG.get(local_name(tag), ()))
        return names


def has_own_attributes(tag: str) -> bool:
    """Return whether attributes of such elements are kept that are not kept of others.

    >>> has_own_attributes("db:imagedata"), has_own_attributes("p")
    (True, False)
    """
    return local_name(tag) in _OF_TAG


# Every name that is kept of any element ends in one of these.
ENDINGS = frozenset(name[-3:].encode() for name in ANYWHERE)
# The shortest tag with an attribute that is kept of such elements only: <ol type="">.
SHORTEST_WITH_OWN = len('<td src=""')


# From attributes to facts


def facts_of_documents(
    attributes: Sequence[Attributes], names: Sequence[str], table: NodeTable
) -> list[list[DisplayFact]]:
    """Return the facts of each document, given its attributes and its path in the source.

    >>> from doxeval.documents.nodes import tabulate
    >>> from doxeval.documents.readers.xml import XmlReader
    >>> reader = XmlReader()
    >>> reader.read(b"<table><tr dir='RTL'><td colspan='2'>x</td></tr></table>", "a.xml")
    >>> events = reader.take()
    >>> facts_of_documents(events.attributes, ["a"], tabulate(events))
    [[DisplayFact(element=1, name='dir', value='rtl'), \
DisplayFact(element=2, name='colspan', value='2')]]
    """
    facts: list[list[DisplayFact]] = []
    first = 0
    for of_document, name, rows in zip(attributes, names, table.rows.tolist(), strict=True):
        if of_document:
            facts.append(list(_facts(of_document, name, _Tree(table, first, first + rows))))
        else:
            facts.append([])
        first += rows
    return facts


def _facts(attributes: Attributes, document: str, tree: _Tree) -> Iterator[DisplayFact]:
    tag_of = tree.tags({element for element, _, _ in attributes})
    for element, group in groupby(attributes, itemgetter(0)):
        pairs = tuple((name, value) for _, name, value in group)
        tag = local_name(tag_of[element])
        if tag in _BY_TREE:
            pairs = tree.without_references(element, dict(pairs), attributes)
        is_short = all(len(value) <= _SHORT for _, value in pairs)
        of_element = _short_facts if is_short else _facts_of_element
        depends_on_name = tag in _PICTURES or pairs[0][0] == MARKDOWN_PICTURE
        for name, value in of_element(tag, pairs, document if depends_on_name else ""):
            yield DisplayFact(element, name, value)


def _facts_of_element(
    tag: str, pairs: Sequence[tuple[str, str]], document: str
) -> list[tuple[str, str]]:
    possible = _possible(tag, pairs, document)
    return [(name, value) for name, value in possible if is_display_value(name, value)]


# Documents have many elements whose attributes are the same.
_SHORT = 40
_short_facts = lru_cache(4096)(_facts_of_element)


def _possible(
    tag: str, pairs: Sequence[tuple[str, str]], document: str
) -> Iterator[tuple[str, str]]:
    """Yield names and values of facts, in the order of DISPLAY_NAMES; some are none after all."""
    if pairs[0][0] == MARKDOWN_PICTURE:
        yield from _of_markdown(pairs, document)
        return
    attributes = dict(pairs)
    if "dir" in attributes:
        yield "dir", attributes["dir"].strip().lower()
    if "xml:lang" in attributes or "lang" in attributes:
        language = attributes.get("xml:lang") or attributes.get("lang", "")
        yield "lang", language.strip().replace("_", "-")
    if tag in _CELLS:
        yield from _of_cell(attributes)
    elif tag in _LISTS:
        yield from _of_list(tag, attributes)
    elif tag in _PICTURES:
        reference = next((attributes[n] for n in _PICTURES[tag] if n in attributes), "")
        yield "picture", picture_name(reference, document) or ""
        yield "alt", alternative_text(attributes.get("alt", ""))
    elif tag in _PHRASES:
        words = " ".join(attributes.get(name, "") for name in _PHRASES[tag])
        yield "style", _first_known(_STYLES, words)
    elif tag in _MATHEMATICS:
        yield "display", attributes.get("display", "").strip().lower()


def _of_markdown(pairs: Sequence[tuple[str, str]], document: str) -> Iterator[tuple[str, str]]:
    picture: str | None = None
    for name, value in pairs:
        if name == MARKDOWN_PICTURE:
            picture = picture_name(value, document)
            yield "picture", picture or ""
        elif picture is not None:
            yield "alt", alternative_text(value)


def _of_cell(attributes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    rows = _number(attributes.get("rowspan", attributes.get("rows")))
    if "morerows" in attributes:
        rows = _number(attributes["morerows"], plus=1)
    columns = _number(attributes.get("colspan", attributes.get("cols")))
    yield "rowspan", str(min(int(rows), MOST_ROWS_SPANNED)) if rows else ""
    yield "colspan", str(min(int(columns), MOST_COLUMNS_SPANNED)) if columns else ""
    yield "header", "yes" if attributes.get("role", "").strip() == "label" else ""


def _of_list(tag: str, attributes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "start", _number(attributes.get("start", attributes.get("startingnumber")))
    yield "value", _number(attributes.get("value"))
    yield "reversed", "yes" if "reversed" in attributes else ""
    if tag == "ol":
        yield "numbering", attributes.get("type", "").strip()
    else:
        names = ("numeration", "list-type", "type", "rend")
        words = " ".join(attributes.get(name, "") for name in names)
        yield "numbering", _first_known(_NUMBERING, words)


def _number(text: str | None, plus: int = 0) -> str:
    """Return a number as a fact has it; an empty text if there is none."""
    match = _NUMBER.match(text or "")
    return str(int(match[1]) + plus) if match else ""


def _first_known(meanings: Mapping[str, str], words: str) -> str:
    return next((meanings[word] for word in words.lower().split() if word in meanings), "")


class _Tree:
    """The elements of a document, as far as facts depend on other elements.

    Most facts need a tag. Tables of CALS name the columns that a cell spans, and a list of DocBook
    may continue another one.
    """

    _attributes: Attributes

    def __init__(self, table: NodeTable, first: int, end: int) -> None:
        self._columns = NodeColumns(*(column[first:end] for column in table.columns))
        self._summary = table.summary

    def tags(self, elements: Iterable[int]) -> dict[int, str]:
        """Return the tags of elements."""
        rows = list(elements)
        numbers = self._summary.tag_of[self._columns.path[rows]].tolist()
        return {row: self._summary.tags[number] for row, number in zip(rows, numbers, strict=True)}

    def without_references(
        self, element: int, own: dict[str, str], attributes: Attributes
    ) -> tuple[tuple[str, str], ...]:
        """Return attributes of an element that name no others, given all of the document."""
        self._attributes = attributes
        if not {"namest", "spanname"}.isdisjoint(own):
            own["colspan"] = str(self._columns_spanned(element, own))
        if own.get("continuation", "").strip() == "continues":
            own["startingnumber"] = str(self._continued_starts[element])
        return tuple(own.items())

    def _columns_spanned(self, cell: int, own: Mapping[str, str]) -> int:
        """Return how many columns a cell of a CALS table spans; 0 if its columns are unknown."""
        numbers, spans = self._named_columns.get(self._group_of(cell), ({}, {}))
        names = own.get("namest", ""), own.get("nameend", "")
        first, last = spans.get(own.get("spanname", ""), names)
        if first not in numbers or last not in numbers:
            return 0
        return max(numbers[last] - numbers[first] + 1, 0)

    def _group_of(self, cell: int) -> int:
        """Return the closest element around a cell that has columns of its own, or NO_PARENT."""
        climbed: list[int] = []
        at = int(self._columns.parent[cell])
        while at != NO_PARENT and at not in self._named_columns and at not in self._groups:
            climbed.append(at)
            at = int(self._columns.parent[at])
        group = self._groups.get(at, at)
        self._groups.update(dict.fromkeys(climbed, group))
        return group

    @cached_property
    def _groups(self) -> dict[int, int]:
        """For each element that was climbed over, the element with columns above it."""
        return {}

    @cached_property
    def _named_columns(self) -> dict[int, tuple[dict[str, int], dict[str, tuple[str, str]]]]:
        """For each element with columns, their numbers by their names, and its named spans."""
        given: dict[int, dict[str, str]] = {}
        for row, name, value in self._attributes:
            given.setdefault(row, {})[name] = value
        columns: dict[int, tuple[dict[str, int], dict[str, tuple[str, str]]]] = {}
        last: dict[int, int] = {}  # the number of the last column of each
        for row in self._with_tags("colspec"):
            group, attributes = int(self._columns.parent[row]), given.get(row, {})
            number = _number(attributes.get("colnum"))
            last[group] = int(number) if number else last.get(group, 0) + 1
            numbers, _ = columns.setdefault(group, ({}, {}))
            numbers.setdefault(attributes.get("colname", ""), last[group])
        for row in self._with_tags("spanspec"):
            group, attributes = int(self._columns.parent[row]), given.get(row, {})
            _, spans = columns.setdefault(group, ({}, {}))
            ends = attributes.get("namest", ""), attributes.get("nameend", "")
            spans.setdefault(attributes.get("spanname", ""), ends)
        return columns

    @cached_property
    def _continued_starts(self) -> dict[int, int]:
        """The first number of each list of DocBook that continues the last one of its level."""
        starts: dict[int, str] = {}
        continuing: set[int] = set()
        for row, name, value in self._attributes:
            if name == "startingnumber":
                starts[row] = _number(value)
            elif name == "continuation" and value.strip() == "continues":
                continuing.add(row)
        columns = self._columns
        items = np.bincount(
            columns.parent[self._with_tags("listitem")] + 1, minlength=len(columns.parent) + 1
        )
        result: dict[int, int] = {}
        ends: list[int] = []  # of the lists around the next one
        following: list[int] = []  # the number after the last list of each level
        for row in self._with_tags("orderedlist"):
            while ends and ends[-1] <= row:
                ends.pop()
            level = len(ends)
            ends.append(row + int(columns.size[row]))
            del following[level + 1 :]
            following += [1] * (level + 1 - len(following))
            start = int(starts.get(row) or 1)
            if row in continuing:
                start = result[row] = following[level]
            following[level] = start + int(items[row + 1])
        return result

    def _with_tags(self, name: str) -> list[int]:
        """Return the elements whose tag has a local name."""
        has_name = np.array([local_name(tag) == name for tag in self._summary.tags])
        return np.flatnonzero(has_name[self._summary.tag_of[self._columns.path]]).tolist()
