"""Fields of records, with errors that say what was expected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from doxeval.chunks.records import Loaded
from doxeval.messages import quoted


def text(record: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of some fields that is there, as text.

    >>> text({"id": 7}, "_id", "id"), text({}, "id")
    ('7', None)
    """
    for name in names:
        value = record.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    return None


def needed_text(loaded: Loaded, row: int, record: Mapping[str, Any], *names: str) -> str:
    """Return the same; it is an error if there is none of them."""
    found = text(record, *names)
    if found is None:
        raise loaded.wrong(f"no {' or '.join(names)} in the record", row)
    return found


def texts(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the texts of a field: a list of them, or a single one.

    >>> texts({"tags": ["law", None]}, "tags"), texts({"tags": "law"}, "tags")
    (('law',), ('law',))
    """
    value = record.get(name)
    if isinstance(value, str):
        return (value,)
    return (
        tuple(str(text_) for text_ in value if text_ is not None) if isinstance(value, list) else ()
    )


def texts_in_cell(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the same; in CSV a list is written as Python or JSON writes it.

    >>> texts_in_cell({"contexts": "['One.', 'Two.']"}, "contexts")
    ('One.', 'Two.')
    """
    value = record.get(name)
    if isinstance(value, str) and value.lstrip().startswith("["):
        from ast import literal_eval

        try:
            value = literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return texts(record, name)
    return texts({name: value}, name)


def whole_number(loaded: Loaded, row: int, record: Mapping[str, Any], name: str) -> int | None:
    """Return a whole number of a field, or None if there is none."""
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise loaded.wrong(f"{name} is {quoted(value)}: expected a whole number", row)
    return value


def listed_records(loaded: Loaded, row: int, record: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list of objects, which may be written as JSON inside a field of CSV."""
    value = record.get(name)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise loaded.wrong(f"{name} is {quoted(value)}: expected a list in JSON", row) from None
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise loaded.wrong(f"{name} is {quoted(value)}: expected a list of objects", row)
    return value


def whole_numbers(loaded: Loaded, row: int, value: Any, name: str) -> tuple[int, int]:
    """Return a pair of whole numbers."""
    is_pair = isinstance(value, list | tuple) and len(value) == 2
    if not is_pair or not all(type(item) is int for item in value):
        raise loaded.wrong(f"{name} is {quoted(value)}: expected two whole numbers", row)
    return value[0], value[1]


def pairs(loaded: Loaded, row: int, value: Any, first: str, second: str) -> list[tuple[Any, Any]]:
    """Return a list of pairs, which may be written as an object with two lists."""
    if isinstance(value, Mapping):
        columns = [value.get(first), value.get(second)]
        if all(isinstance(column, list) for column in columns):
            value = [list(pair) for pair in zip(*columns, strict=False)]
    is_list = isinstance(value, list)
    if not is_list or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in value):
        raise loaded.wrong(f"{quoted(value)}: expected pairs of {first} and {second}", row)
    return [(pair[0], pair[1]) for pair in value]
