"""What display needs of a document and its text does not hold: direction, spans, list numbers.

Such a *display fact* is a name and a value of one element. Names are from a closed list, and values
are checked when a document is read, and again when they are read from a collection, so a page may
use them as they are:

    dir        ltr, rtl or auto
    lang       a tag as in BCP 47, such as he or pt-BR
    rowspan    rows that a cell spans: 2 to 65,534; 0 for all that follow in its group of rows
    colspan    columns that a cell spans: 2 to 1,000
    start      the number of the first item of an ordered list
    value      the number of an item
    reversed   yes: the items of a list count down
    numbering  an ordered list counts by 1, a, A, i or I; most lists that are ordered by their tag
               have none, and other lists are ordered if they have one
    header     yes: a cell is a head, although its tag does not say so
    style      how a phrase is set, where its tag does not say so: emphasis, strong, code, small,
               superscript or subscript
    display    block: mathematics on lines of its own
    picture    the file of a picture, as a path within the source of the collection
    alt        what stands for a picture that is not shown

If `help/tides.html` refers to `../images/a%20b.png`, the picture is `images/a b.png`. What is on
another host, has an absolute path, or is outside the source, is not kept.

Facts are kept in columns of their own: facts of elements in ascending order, with the number of the
name and a value: a number as it is, a choice by its place in the list, and other values by the line
of a file. A document uses a line of its own for each distinct value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np

from doxeval.arrays import Bytes, Ints


class DisplayFact(NamedTuple):
    """A name and a value of one element, which is counted from the root of its document."""

    element: int
    name: str
    value: str


_YES = ("yes",)
_CHOICES: dict[str, tuple[str, ...]] = {
    "dir": ("ltr", "rtl", "auto"),
    "reversed": _YES,
    "numbering": ("1", "a", "A", "i", "I"),
    "header": _YES,
    "style": ("emphasis", "strong", "code", "small", "superscript", "subscript"),
    "display": ("block",),
}
# The least and the greatest value of each number, and what is not worth keeping.
LARGEST_NUMBER = (1 << 31) - 1
MOST_ROWS_SPANNED = 65_534
MOST_COLUMNS_SPANNED = 1_000
_NUMBERS: dict[str, tuple[int, int]] = {
    "rowspan": (0, MOST_ROWS_SPANNED),
    "colspan": (2, MOST_COLUMNS_SPANNED),
    "start": (-LARGEST_NUMBER, LARGEST_NUMBER),
    "value": (-LARGEST_NUMBER, LARGEST_NUMBER),
}
# Names by their numbers in the columns: new ones come last.
DISPLAY_NAMES = (
    "dir", "lang", "rowspan", "colspan", "start", "value", "reversed", "numbering", "header",
    "style", "display", "picture", "alt",
)  # fmt: skip
_NUMBER_OF_NAME = {name: number for number, name in enumerate(DISPLAY_NAMES)}
LONGEST_ALT = 1_000
LONGEST_PICTURE_NAME = 500
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,8}", re.ASCII)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:", re.ASCII)
_UNUSABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\\\\:]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _is_language(value: str) -> bool:
    return _LANGUAGE.fullmatch(value) is not None


def _is_picture(value: str) -> bool:
    return (
        0 < len(value) <= LONGEST_PICTURE_NAME
        and _UNUSABLE.search(value) is None
        and not value.startswith(("/", "../"))
        and normpath(value) == value not in (".", "..")
    )


def _is_alt(value: str) -> bool:
    return 0 < len(value) <= LONGEST_ALT and _CONTROL.search(value) is None


_TEXTS: dict[str, Callable[[str], bool]] = {
    "lang": _is_language,
    "picture": _is_picture,
    "alt": _is_alt,
}
_TEXT_NUMBERS = np.array([name in _TEXTS for name in DISPLAY_NAMES])


def is_display_value(name: str, value: str) -> bool:
    """Return whether a value is one that a display fact may have.

    >>> is_display_value("dir", "rtl"), is_display_value("dir", "RTL")
    (True, False)
    >>> is_display_value("picture", "figures/a.png"), is_display_value("picture", "../a.png")
    (True, False)
    """
    if name in _CHOICES:
        return value in _CHOICES[name]
    if name in _NUMBERS:
        least, greatest = _NUMBERS[name]
        is_number = re.fullmatch(r"-?[1-9][0-9]{0,9}|0", value, re.ASCII) is not None
        return is_number and least <= int(value) <= greatest and (name, value) != ("rowspan", "1")
    return name in _TEXTS and _TEXTS[name](value)


def picture_name(reference: str, document: str) -> str | None:
    """Return the path of a picture in the source, as a document refers to it; None for others.

    `document` is the path of the document in the source. References to other hosts, absolute paths,
    and paths that lead out of the source are not kept.

    >>> picture_name("../images/low%20tide.png", "sea/tides.html")
    'images/low tide.png'
    >>> picture_name("../images/tide.png", "tides.html") is None
    True
    >>> picture_name("https://example.org/tide.png", "tides.html") is None
    True
    """
    path = re.split("[?#]", reference.strip(), maxsplit=1)[0]
    if not path or path.startswith("/") or _SCHEME.match(path):
        return None
    named = unquote(path, errors="surrogateescape")
    if named.startswith("/") or named.rpartition("/")[2] in ("", ".", ".."):
        return None
    name = normpath(join(dirname(document), named))
    return name if _is_picture(name) else None


def alternative_text(value: str) -> str:
    """Return the text that stands for a picture on one line, shortened if it is very long.

    >>> alternative_text(" A boat\\n at low tide ")
    'A boat at low tide'
    """
    text = _CONTROL.sub("\ufffd", " ".join(value.split()))
    return text if len(text) <= LONGEST_ALT else text[: LONGEST_ALT - 1] + "…"


# Columns


class DisplayColumns(NamedTuple):
    """The facts of some documents: element, name and value of each, and the texts of values.

    >>> fact = DisplayFact(1, "lang", "he")
    >>> columns = display_columns([[fact], []], np.array([3, 1]))
    >>> columns.elements.tolist(), columns.names.tolist(), columns.values.tolist(), columns.texts
    ([1], [1], [0], ['he'])
    """

    elements: Ints
    names: Bytes
    values: Ints
    texts: Sequence[str]


def display_columns(facts: Iterable[Sequence[DisplayFact]], rows: Ints) -> DisplayColumns:
    """Return the facts of some documents as columns; `rows` has the elements of each."""
    elements: list[int] = []
    names: list[int] = []
    values: list[int] = []
    texts: list[str] = []
    first = 0
    for of_document, count in zip(facts, rows.tolist(), strict=True):
        lines: dict[str, int] = {}
        for element, name, value in of_document:
            elements.append(first + element)
            names.append(_NUMBER_OF_NAME[name])
            if name in _NUMBERS:
                values.append(int(value))
            elif name in _CHOICES:
                values.append(_CHOICES[name].index(value))
            else:
                line = lines.setdefault(value, len(texts))
                if line == len(texts):
                    texts.append(value)
                values.append(line)
        first += count
    return DisplayColumns(
        np.array(elements, dtype=np.int64),
        np.array(names, dtype=np.uint8),
        np.array(values, dtype=np.int64),
        texts,
    )


NO_FACTS = display_columns([], np.zeros(0, dtype=np.int64))


def shift_lines(names: Bytes, values: Ints, lines: int) -> Ints:
    """Return values whose texts come after so many other lines.

    >>> shift_lines(np.array([0, 1], np.uint8), np.array([2, 2]), 5).tolist()
    [2, 7]
    """
    return values + np.where(_TEXT_NUMBERS[names], lines, 0)


def read_facts(
    elements: Ints, names: Bytes, values: Ints, text_of: Callable[[int], str]
) -> list[DisplayFact]:
    """Return facts from columns; ValueError if they are none.

    >>> columns = display_columns([[DisplayFact(0, "lang", "he")]], np.array([1]))
    >>> read_facts(*columns[:3], columns.texts.__getitem__)
    [DisplayFact(element=0, name='lang', value='he')]
    """
    facts = []
    for element, number, value in zip(
        elements.tolist(), names.tolist(), values.tolist(), strict=True
    ):
        name = DISPLAY_NAMES[number] if number < len(DISPLAY_NAMES) else ""
        if name in _CHOICES:
            choices = _CHOICES[name]
            text = choices[value] if 0 <= value < len(choices) else ""
        else:
            text = str(value) if name in _NUMBERS else text_of(value)
        if not is_display_value(name, text):
            raise ValueError("not a display fact")
        facts.append(DisplayFact(element, name, text))
    return facts
