"""The ranges of results in lines of JSON, taken out before the rest is parsed.

Lists of pairs are what a parser of JSON takes longest to build, and they are made into arrays of
numbers right after. So they are cut out of the text and read all at once.
"""

from __future__ import annotations

import re
from itertools import repeat
from typing import NamedTuple

import numpy as np

from doxeval.runs.span_lists import SpanLists
from doxeval.spans import TOO_LONG

_WHOLE = "(?:[1-9][0-9]{0,9}+|0)"
_PAIR = rf"\[{_WHOLE}, ?+{_WHOLE}\]"
_SPANS = re.compile(rf'"spans": ?+\[({_PAIR}(?:, ?+{_PAIR})*+)\]')
_OF_LISTS = str.maketrans("", "", "[] ")
STAND_IN = '"spans": 0'


class CutOut(NamedTuple):
    """A text with 0 in the place of its lists of ranges, and these, in their order."""

    text: str
    spans: SpanLists


def spans_cut_out(text: str) -> CutOut | None:
    """Lines of JSON without their ranges; None if there are none, or any that are not plain.

    That nothing else is taken for ranges is certain if there is no backslash: then a quotation
    mark always begins or ends a string, and `"spans":` can only be the name of a field.

    >>> found = spans_cut_out('{"doc": "a", "spans": [[0, 5], [9, 12]]}')
    >>> found.text, found.spans.as_tuples()
    ('{"doc": "a", "spans": 0}', [((0, 5), (9, 12))])
    """
    if "\\" in text or '"spans"' not in text:
        return None
    parts = _SPANS.split(text)
    lists = parts[1::2]
    if len(lists) != text.count('"spans"'):
        return None
    numbers = np.fromstring(",".join(lists).translate(_OF_LISTS), dtype=np.int64, sep=",")
    start, end = numbers[::2], numbers[1::2]
    if (end < start).any() or (end >= TOO_LONG).any():
        return None
    counts = np.fromiter(map(str.count, lists, repeat("[")), np.int64, len(lists))
    return CutOut(STAND_IN.join(parts[::2]), SpanLists(np.append(0, np.cumsum(counts)), start, end))
