"""Checks of the JSON objects and numbers in files of navigation models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from doxeval.columns import unknown_field
from doxeval.errors import FormatError


def json_object(value: Any, what: str, origin: str) -> Mapping[str, Any]:
    """The value, if it is an object; an error if not.

    >>> json_object([], "weights", "model.json")
    Traceback (most recent call last):
    doxeval.errors.FormatError: model.json: weights: expected an object
    """
    if not isinstance(value, dict):
        raise FormatError(f"{what}: expected an object", origin)
    return value


def refuse_unknown_keys(
    value: Mapping[str, Any], known: Sequence[str], what: str, origin: str
) -> None:
    """Raise an error for the first unknown key.

    >>> refuse_unknown_keys({"doc": "a", "user": 7}, ("doc", "steps"), "route 1", "model.json")
    Traceback (most recent call last):
    doxeval.errors.FormatError: model.json: route 1: unknown field 'user': expected doc, steps
    """
    for key in value:
        if key not in known:
            raise FormatError(f"{what}: {unknown_field(key, known)}", origin)


def number_in(value: Any, lowest: float, highest: float) -> float | None:
    """A JSON number within bounds as a float; None for anything else.

    >>> number_in(1, 0, 1), number_in(2, 0, 1), number_in(True, 0, 1), number_in("1", 0, 1)
    (1.0, None, None, None)
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and lowest <= value <= highest else None
