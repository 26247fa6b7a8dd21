"""Comparisons of NEXI: `.//yr >= 2001`, `.//au = 'Ada Lovelace'`.

A comparison holds at an element if the text of the element at its path, or of one of them, compares
as stated (so `!=` holds if one of them differs, as in XPath). Text is compared without white space
around it, and with a single space for all white space in between, both in the document and in the
query; apart from that, strings are compared exactly, character by character in the order of code
points. A number is an optional sign, decimal digits, and perhaps a point and more digits; numbers
are compared by their exact values, so 2001 equals 2001.0. Text that is not a number differs from
every number, and is neither less nor greater.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, positions_in
from doxeval.documents import Collection
from doxeval.retrieve.climbing import at_or_below, climb
from doxeval.topics import Comparison, Path

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


class _Values(NamedTuple):
    """Distinct plain texts of some elements, and the position of each element's text among them."""

    texts: list[str]
    which: Ints

    def verdicts(self, comparison: Comparison) -> Bools:
        """Whether the text of each element compares as stated."""
        holds = np.fromiter(
            (_plain_compares(text, comparison) for text in self.texts), np.bool_, len(self.texts)
        )
        found: Bools = holds[self.which]
        return found


def compares(text: str, comparison: Comparison) -> bool:
    """Whether a text compares as stated.

    >>> from doxeval.topics.nexi_ast import Relative
    >>> year = Comparison(Relative(), "<", "2001", is_number=True)
    >>> compares(" 1999.5\\n", year), compares("then", year)
    (True, False)
    """
    return _plain_compares(_plain(text), comparison)


def _plain_compares(plain: str, comparison: Comparison) -> bool:
    """The same for a text whose white space is plain already; a cut text must stay as it is."""
    value, compare = _plain(comparison.value), _OPERATORS[comparison.operator]
    if not comparison.is_number:
        return compare(plain, value)
    if _NUMBER.fullmatch(plain) is None:
        return comparison.operator == "!="
    return compare(Decimal(plain), Decimal(value))


def holding(
    tree: Collection, rows: Ints, comparisons: Iterable[Comparison]
) -> dict[Comparison, Ints]:
    """Of some elements, ascending, those at which each comparison holds.

    >>> from doxeval.documents.examples import example_collection
    >>> tree = example_collection({"a": "<a><s><n>1</n></s><s><n>2</n><n>3</n></s></a>"})
    >>> from doxeval.topics.nexi_ast import Relative, Step
    >>> below = Relative(Path((Step("/", ("n",)),)))
    >>> odd = Comparison(below, "=", "3", is_number=True)
    >>> holding(tree, np.array([0, 1, 3]), [odd])[odd].tolist()
    [3]
    """
    groups: dict[tuple[Path | None, bool], list[Comparison]] = {}
    for one in dict.fromkeys(comparisons):
        groups.setdefault((one.where.path, one.is_number), []).append(one)
    found: dict[Comparison, Ints] = {}
    for (path, _), group in groups.items():
        read = rows if path is None else _below(tree, rows, path)
        values = _values(tree, read, group)
        for one in group:
            true = read[values.verdicts(one)]
            found[one] = true if path is None else _above(tree, true, path, rows)
    return found


def _below(tree: Collection, rows: Ints, path: Path) -> Ints:
    """The elements to which a path leads from one of the rows."""
    inside = at_or_below(tree, rows)
    is_reached = np.zeros(len(inside), dtype=np.bool_)
    for which, ancestors in climb(tree, inside, path.steps):
        is_reached[which[positions_in(rows, ancestors) >= 0]] = True
    return inside[is_reached]


def _above(tree: Collection, below: Ints, path: Path, rows: Ints) -> Ints:
    """Those of the rows from which a path leads to one of the elements below."""
    is_reached = np.zeros(len(rows), dtype=np.bool_)
    for _, ancestors in climb(tree, below, path.steps):
        place = positions_in(rows, ancestors)
        is_reached[place[place >= 0]] = True
    return rows[is_reached]


def _values(tree: Collection, rows: Ints, comparisons: Sequence[Comparison]) -> _Values:
    """The texts of elements, no more of each than the comparisons need."""
    # A text is cut behind the length of the longest string: what follows decides nothing.
    longest = None
    if not comparisons[0].is_number:
        longest = 1 + max(len(_plain(one.value)) for one in comparisons)
    numbers: dict[str, int] = {}
    which = np.fromiter(
        (numbers.setdefault(_plain(text)[:longest], len(numbers)) for text in _texts(tree, rows)),
        np.int64,
        len(rows),
    )
    return _Values(list(numbers), which)


def _texts(tree: Collection, rows: Ints) -> Iterator[str]:
    """The text of each element; in document order, so each document is read once."""
    columns = (tree.documents_of(rows), tree.nodes.start[rows], tree.nodes.end[rows])
    for document, start, end in zip(*(column.tolist() for column in columns), strict=True):
        yield tree.text_of(document)[start:end]


def _plain(text: str) -> str:
    return " ".join(text.split())
