"""Records, as JSON, CSV and data frames hold them: their fields, one by one and by columns.

`Fields` checks the fields of one record as they are taken. Columns of many records become numbers:
names by `Factorizer` or `NameCollector`, whole numbers and numbers by functions. A field is absent
if it is null, an empty string or an empty list. In columns, ABSENT stands for such a field, and
WRONG for any value that is not of the kind expected.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Bytes, Floats, Ints
from doxeval.columns.names import (
    LONGEST_HASHED,
    NO_LABEL,
    ByteStrings,
    Categorical,
    NameColumn,
    PaddedBytes,
    normalise_id,
)
from doxeval.errors import FormatError
from doxeval.messages import closest, quoted

LARGEST_WHOLE = 1 << 62  # whole numbers stay below it
# What people write, and what the field is called here.
_OTHER_NAMES = {
    **dict.fromkeys(("qid", "query", "query_id", "q_id", "topic_id"), "topic"),
    **dict.fromkeys(("docid", "doc_id", "docno", "document", "document_id", "file"), "doc"),
    **dict.fromkeys(("begin", "from", "start_index", "start_char"), "start"),
    **dict.fromkeys(("stop", "to", "end_index", "end_char"), "end"),
    **dict.fromkeys(("text", "content", "exact", "passage"), "quote"),
    **dict.fromkeys(("relevance", "label"), "grade"),
    **dict.fromkeys(("page", "pages", "page_no", "page_number"), "page"),
    **dict.fromkeys(("chunk_id", "chunkid"), "chunk"),
    **dict.fromkeys(("rsv", "similarity"), "score"),
    **dict.fromkeys(("run_id", "runid", "system"), "run"),
}


def unknown_field(name: str, known: Sequence[str]) -> str:
    """Return the message about a field that is not among the known ones.

    >>> unknown_field("qoute", ["doc", "quote"])
    "unknown field 'qoute': expected doc, quote; did you mean quote?"
    """
    message = f"unknown field {quoted(name)}: expected {', '.join(known)}"
    meant = _OTHER_NAMES.get(name.lower())
    if meant == "page" and meant not in known and {"start", "end"} <= set(known):
        return f"{message}; pages have no offsets: give start and end in the document"
    if meant not in known:
        meant = closest(name, known)
    return message if meant is None else f"{message}; did you mean {meant}?"


def refuse_unknown(
    record: Mapping[str, Any], known: Sequence[str], accepted: Collection[str] = ()
) -> None:
    """Raise an error for a field that is not known; null and empty ones are absent.

    accepted: further names that may be there, and that the message does not list.

    >>> refuse_unknown({"doc": "a", "text": "Thirty days"}, ("doc", "quote"))
    Traceback (most recent call last):
    doxeval.errors.FormatError: unknown field 'text': expected doc, quote; did you mean quote?
    """
    unknown = [
        str(name)
        for name, value in record.items()
        if name not in known and name not in accepted and value not in (None, "", [])
    ]
    if unknown:
        raise FormatError(unknown_field(min(unknown), known))


class Fields:
    """The fields of one record. Null and empty ones are absent; unknown ones are an error.

    >>> fields = Fields({"topic": 7, "start": 3, "path": None}, ("topic", "start", "path"))
    >>> fields.text("topic"), fields.whole("start"), "path" in fields
    ('7', 3, False)
    """

    def __init__(self, record: Any, known: Sequence[str]) -> None:
        if not isinstance(record, dict):
            raise FormatError("expected an object with topic and doc")
        self._given = {name: v for name, v in record.items() if v not in (None, "", [])}
        if not self._given.keys() <= set(known):
            refuse_unknown(self._given, known)

    def __contains__(self, name: str) -> bool:
        return name in self._given

    @property
    def names(self) -> set[str]:
        """The names of the fields that are there."""
        return set(self._given)

    def raw(self, name: str) -> Any:
        """Return a field as it is given, unchecked; None if it is absent."""
        return self._given.get(name)

    def text(self, name: str) -> str:
        """Return a string that must be there; ids may be written as numbers."""
        value = self._given.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            raise FormatError(f"{name} is missing or not a string")
        return value.strip()

    def optional_text(self, name: str) -> str | None:
        """Return a string, if it is there."""
        return self.text(name) if name in self else None

    def whole(self, name: str) -> int | None:
        """Return a whole number that is not negative, if it is there."""
        value = self._given.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < LARGEST_WHOLE:
            raise FormatError(f"{name} is {quoted(value)}: expected a whole number, 0 or more")
        return value

    def number(self, name: str) -> float | None:
        """Return a finite number, if it is there."""
        value = self._given.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            raise FormatError(f"{name} is {quoted(value)}: expected a number")
        return float(value)

    def flag(self, name: str) -> bool:
        """Return true or false; false if it is absent."""
        value = self._given.get(name, False)
        if not isinstance(value, bool):
            raise FormatError(f"{name} is {quoted(value)}: expected true or false")
        return value

    def choice(self, name: str, choices: Sequence[str]) -> str | None:
        """Return one of a few strings (or numbers), if it is there."""
        if name not in self:
            return None
        value = str(self._given[name])
        if value not in choices:
            raise FormatError(f"{name} is {quoted(value)}: expected one of {', '.join(choices)}")
        return value

    def paths(self, name: str) -> tuple[str, ...]:
        """Return a list of paths that must be there."""
        value = self._given.get(name)
        if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
            raise FormatError(f"{name} is not a list of paths")
        return tuple(value)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


# Many records by columns

# The values of a field: any Python values; or an array, of which ABSENT stands for none.
Column = Sequence[Any] | npt.NDArray[Any]
ABSENT, WRONG = NO_LABEL, -2
_BAD = object()  # stands for all values that cannot be names
_PLAIN = {str, int, type(None)}
_SPACE = 32


class Factorizer:
    """Numbers for the names of a column, by first appearance.

    A name is a string or a whole number; white space around it does not count. None and the empty
    string are no name and get ABSENT; what cannot be a name gets WRONG. `clean` makes names of
    stripped strings, all at once; several strings may be spellings of one name.

    >>> numbering = Factorizer()
    >>> numbering.numbers(["b", 7, " b ", None]).tolist(), numbering.numbers(["7", 1.5]).tolist()
    ([0, 1, 0, -1], [1, -2])
    >>> numbering.names
    ['b', '7']
    """

    def __init__(self, clean: Callable[[list[str]], list[str]] | None = None) -> None:
        self._clean = clean
        self.names: list[str] = []
        # A value that is met for the first time gets the next number, as if it were a new name.
        self._number_of_value: defaultdict[Any, int] = defaultdict(count().__next__)
        self._number_of_value |= {None: ABSENT, "": ABSENT, _BAD: WRONG}
        # Only needed once a value has been met that is not itself a new name.
        self._number_of_name: dict[str, int] | None = None

    def numbers(self, values: Sequence[Any]) -> Ints:
        """Return the number of each value."""
        kinds = set(map(type, values))
        if not kinds <= _PLAIN:
            values = [_plain(value) for value in values]
        are_same = len(values) > 1 and values[0] == values[-1]
        if are_same and values.count(values[0]) == len(values):  # as ids of runs are
            return np.repeat(self.numbers(values[:1]), len(values))
        known = self._number_of_value
        before = len(known)
        numbers = np.fromiter(map(known.__getitem__, values), np.int64, len(values))
        new = list(islice(reversed(known), len(known) - before))[::-1]
        if self._are_names(new, kinds == {str}):
            return numbers
        return np.fromiter(map(known.__getitem__, values), np.int64, len(values))

    def _are_names(self, values: list[Any], are_strings: bool) -> bool:
        """Take new values; return whether each is a new name, and so has the right number."""
        names = list(map(str.strip, values if are_strings else map(str, values)))
        if self._clean is not None:
            names = self._clean(names)
        if self._number_of_name is None and names == values:
            self.names += names
            return True
        numbers = self._number_of_name or {name: at for at, name in enumerate(self.names)}
        self._number_of_name = numbers
        for value, name in zip(values, names, strict=True):
            if isinstance(value, str) and value.isspace():
                self._number_of_value[value] = WRONG
                continue
            if name not in numbers:
                numbers[name] = len(self.names)
                self.names.append(name)
            self._number_of_value[value] = numbers[name]
        return False


class NameCollector:
    """A column of names that come block by block; `document_ids` are cut as those of files are.

    As long as all names are short and visible ASCII, as almost always, they stay together as bytes,
    as those of text files do, and are numbered only when that is needed. With the first other one
    all are numbered by a Factorizer.

    >>> collector = NameCollector(document_ids=True)
    >>> collector.add(["b.xml", "a"]).tolist(), collector.add([7, None]).tolist()
    ([0, 0], [2, -1])
    >>> list(collector.column().distinct)
    ['b', 'a', '7']
    """

    def __init__(self, *, document_ids: bool = False) -> None:
        self._document_ids = document_ids
        self._texts: list[str] = []  # plain names, with line ends between them
        self._factorizer: Factorizer | None = None
        self._numbers: list[Ints] = []

    def add(self, values: Sequence[Any]) -> Ints:
        """Take values; return ABSENT where there is no name, WRONG where there cannot be one."""
        if self._factorizer is None:
            text = _plain_text(values)
            if text is not None:
                self._texts.append(text)
                return np.zeros(len(values), dtype=np.int64)
            self._factorizer = Factorizer(_as_document_ids if self._document_ids else None)
            self._numbers += [self._factorizer.numbers(text.split("\n")) for text in self._texts]
        self._numbers.append(self._factorizer.numbers(values))
        return self._numbers[-1]

    def column(self) -> Categorical[str]:
        """Return the column of all names."""
        if self._factorizer is not None:
            numbers = np.concatenate(self._numbers)
            return Categorical.of(tuple(self._factorizer.names), numbers)
        if not self._texts:
            return Categorical.none(0)
        data = "\n".join(self._texts).encode()
        ends = np.append(np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 10), len(data))
        names = ByteStrings(PaddedBytes(data), np.append(0, ends[:-1] + 1), ends)
        return NameColumn(names, document_ids=self._document_ids)


def _plain_text(values: Sequence[Any]) -> str | None:
    """Return names with line ends between them; None unless all are short and visible ASCII."""
    try:
        if max(map(len, values), default=0) > LONGEST_HASHED:  # a million rows may share a long one
            return None
        text = "\n".join(values)
    except TypeError:  # not all of them are strings
        return None
    if not text.isascii() or "\n\n" in f"\n{text}\n":
        return None
    codes: Bytes = np.frombuffer(text.encode(), dtype=np.uint8)
    return text if np.count_nonzero(codes <= _SPACE) == len(values) - 1 else None


def _as_document_ids(names: list[str]) -> list[str]:
    """Return names as document ids; few need any work, so all are looked at together first."""
    together = "\n".join(names)
    if "./" not in together and ".xml" not in together:
        return names
    return list(map(normalise_id, names))


def _plain(value: Any) -> Any:
    """Return a value as one of the plain types; anything else is bad."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.integer):
        return int(value)
    return None if isinstance(value, list) and not value else _BAD


def is_given(value: Any) -> bool:
    """Return whether a field is there.

    >>> is_given(0), is_given("")
    (True, False)
    """
    return value not in (None, "", [])


def whole_numbers(column: Column) -> Ints:
    """Return whole numbers, 0 or more; ABSENT where there is none, WRONG for all else.

    >>> whole_numbers([3, None, -3, "3"]).tolist()
    [3, -1, -2, -2]
    """
    if isinstance(column, np.ndarray):
        return _within(column.astype(np.int64, copy=False), ABSENT)
    if set(map(type, column)) == {int}:
        try:
            return _within(np.array(column, dtype=np.int64), 0)
        except OverflowError:
            pass
    return np.array([_whole(value) for value in column], dtype=np.int64)


def _within(values: Ints, lowest: int) -> Ints:
    if not len(values) or (values.min() >= lowest and values.max() < LARGEST_WHOLE):
        return values
    return np.where((values < lowest) | (values >= LARGEST_WHOLE), WRONG, values)


def _whole(value: Any) -> int:
    if type(value) is int and 0 <= value < LARGEST_WHOLE:
        return value
    return WRONG if is_given(value) else ABSENT


def numbers(column: Column) -> tuple[Floats, Bools]:
    """Return numbers, nan where there is none; and where there is something else than a number.

    >>> values, wrong = numbers([0.5, 2, None, "2"])
    >>> values.tolist(), wrong.tolist()
    ([0.5, 2.0, nan, nan], [False, False, False, True])
    """
    if isinstance(column, np.ndarray) or set(map(type, column)) <= {int, float}:
        try:
            values = np.array(column, dtype=np.float64)
            return values, ~np.isfinite(values)
        except OverflowError:
            pass
    values = np.array([_number(value) for value in column], dtype=np.float64)
    given = np.array([is_given(value) for value in column], dtype=np.bool_)
    return values, given & ~np.isfinite(values)


def _number(value: Any) -> float:
    """Return a number as it is, everything else as nan."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return np.nan
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return np.nan
