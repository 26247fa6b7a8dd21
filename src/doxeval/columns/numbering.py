"""Names that are Python values already: cleaned and numbered, block by block.

Only distinct values are looked at one by one. A column is then numbers into a list of names, as
`labels` holds it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count, islice
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.columns.labels import NO_LABEL

BAD_NAME = -2
_BAD = object()  # stands for all values that cannot be names
_PLAIN = {str, int, type(None)}


class Numbering:
    """Numbers for the names of a column, by first appearance.

    A name is a string or a whole number; white space around it does not count. None and the empty
    string are no name and get NO_LABEL; what cannot be a name gets BAD_NAME. `cleaned` makes names
    of stripped strings, all at once; several strings may be spellings of one name.

    >>> numbering = Numbering()
    >>> numbering.numbers(["b", 7, " b ", None]).tolist(), numbering.numbers(["7", 1.5]).tolist()
    ([0, 1, 0, -1], [1, -2])
    >>> numbering.names
    ['b', '7']
    """

    def __init__(self, cleaned: Callable[[list[str]], list[str]] | None = None) -> None:
        self._cleaned = cleaned
        self.names: list[str] = []
        # A value that is met for the first time gets the next number, as if it were a new name.
        self._number_of_value: defaultdict[Any, int] = defaultdict(count().__next__)
        self._number_of_value |= {None: NO_LABEL, "": NO_LABEL, _BAD: BAD_NAME}
        # Only needed once a value has been met that is not itself a new name.
        self._number_of_name: dict[str, int] | None = None

    def numbers(self, values: Sequence[Any]) -> Ints:
        """The number of each value."""
        kinds = set(map(type, values))
        if not kinds <= _PLAIN:
            values = [_plain(value) for value in values]
        if len(values) > 1 and values.count(values[0]) == len(values):  # as ids of runs are
            return np.repeat(self.numbers(values[:1]), len(values))
        known = self._number_of_value
        before = len(known)
        numbers = np.fromiter(map(known.__getitem__, values), np.int64, len(values))
        new = list(islice(reversed(known), len(known) - before))[::-1]
        if self._are_names(new, kinds == {str}):
            return numbers
        return np.fromiter(map(known.__getitem__, values), np.int64, len(values))

    def _are_names(self, values: list[Any], are_strings: bool) -> bool:
        """Take in new values; whether each is a new name, and so has the right number already."""
        names = list(map(str.strip, values if are_strings else map(str, values)))
        if self._cleaned is not None:
            names = self._cleaned(names)
        if self._number_of_name is None and names == values:
            self.names += names
            return True
        numbers = self._number_of_name or {name: at for at, name in enumerate(self.names)}
        self._number_of_name = numbers
        for value, name in zip(values, names, strict=True):
            if isinstance(value, str) and value.isspace():
                self._number_of_value[value] = BAD_NAME
                continue
            if name not in numbers:
                numbers[name] = len(self.names)
                self.names.append(name)
            self._number_of_value[value] = numbers[name]
        return False


def _plain(value: Any) -> Any:
    """A value as one of the plain types; what is none of them is bad."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.integer):
        return int(value)
    return None if isinstance(value, list) and not value else _BAD
