"""Checks of the JSON objects in files of navigation models."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from doxeval.errors import FormatError


def json_object(value: Any, what: str, origin: str) -> Mapping[str, Any]:
    """A value that must be an object.

    >>> json_object([], "weights", "model.json")
    Traceback (most recent call last):
    doxeval.errors.FormatError: model.json: weights: expected an object
    """
    if not isinstance(value, dict):
        raise FormatError(f"{what}: expected an object", origin)
    return value


def refuse_unknown_keys(
    value: Mapping[str, Any], known: Collection[str], what: str, origin: str
) -> None:
    """An error for the first key that is none of the known ones.

    >>> refuse_unknown_keys({"doc": "a", "step": []}, ("doc", "steps"), "route 1", "model.json")
    Traceback (most recent call last):
    doxeval.errors.FormatError: model.json: route 1: unknown key 'step'; expected doc, steps
    """
    for key in value:
        if key not in known:
            raise FormatError(f"{what}: unknown key {key!r}; expected {', '.join(known)}", origin)
