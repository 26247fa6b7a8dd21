"""Bodies of requests, read with limits: forms and JSON.

A body is refused before all of it has arrived if it is too long. JSON is refused if it is nested
deeply, has a name twice, or has numbers or characters that cannot be stored.
"""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qsl

from doxeval.assess.web.problems import Problem

MOST_JSON = 1 << 20
MOST_FORM = 64 << 10
MOST_FIELDS = 50
DEEPEST = 16
_LARGEST = 1 << 53  # the largest whole number that every reader of JSON keeps exactly


async def read_body(chunks: AsyncIterator[bytes], declared: str | None, most: int) -> bytes:
    """The whole body of a request, of at most so many bytes; `declared` is its Content-Length."""
    if declared is not None and declared.isdecimal() and int(declared[:20]) > most:
        raise _too_long(most)
    parts = []
    length = 0
    async for chunk in chunks:
        length += len(chunk)
        if length > most:
            raise _too_long(most)
        parts.append(chunk)
    return b"".join(parts)


def _too_long(most: int) -> Problem:
    return Problem(413, f"The request is longer than {most:,} bytes.", "too-long")


def parse_json(body: bytes, content_type: str) -> Any:
    """JSON, if it is declared as such and within the limits.

    >>> parse_json(b'{"words": ["fog"]}', "application/json; charset=utf-8")
    {'words': ['fog']}
    >>> parse_json(b'{"a": 1, "a": 2}', "application/json")
    Traceback (most recent call last):
    doxeval.assess.web.problems.Problem: (400, 'The name "a" occurs twice in one object.', 'json')
    """
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise Problem(415, "Send JSON, with Content-Type: application/json.", "content-type")
    try:
        value = json.loads(
            body.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_number
        )
    except UnicodeDecodeError:
        raise _malformed("The request is not UTF-8.") from None
    except RecursionError:
        raise _malformed(f"The JSON is nested more than {DEEPEST} deep.") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _malformed(f"The request is not JSON: {where}.") from None
    except ValueError:  # a whole number with thousands of digits
        raise _malformed("The JSON has a number that is too large.") from None
    _check(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise _malformed(f"The name {json.dumps(twice[:80])} occurs twice in one object.")
    return found


def _no_number(name: str) -> Any:
    raise _malformed(f"{name} is not a number of JSON.")


def _check(value: Any) -> None:
    """Refuse what is nested too deeply, and values that no database keeps as they are."""
    level = [value]
    for _ in range(DEEPEST + 1):
        below: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                below += one.keys()
                below += one.values()
            elif isinstance(one, list):
                below += one
            elif isinstance(one, str):
                _check_text(one)
            elif isinstance(one, float | int):
                _check_number(one)
        if not below:
            return
        level = below
    raise _malformed(f"The JSON is nested more than {DEEPEST} deep.")


def _check_number(number: float) -> None:
    is_exact = isinstance(number, int) and abs(number) <= _LARGEST
    if not is_exact and not (isinstance(number, float) and math.isfinite(number)):
        raise _malformed("The JSON has a number that is too large.")


def _check_text(text: str) -> None:
    if "\0" in text:
        raise _malformed("The text has a NUL character.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _malformed("The text has a lone surrogate.") from None


def _malformed(sentence: str) -> Problem:
    return Problem(400, sentence, "json")


def parse_form(body: bytes, content_type: str) -> dict[str, str]:
    """The fields of a form as browsers send it; each may be there once.

    >>> parse_form(b"name=ann&password=a+b%26", "application/x-www-form-urlencoded")
    {'name': 'ann', 'password': 'a b&'}
    """
    if content_type.partition(";")[0].strip().lower() != "application/x-www-form-urlencoded":
        raise Problem(415, "Send the form as application/x-www-form-urlencoded.", "content-type")
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:  # UnicodeDecodeError is one
        raise Problem(400, "The form cannot be read.", "form") from None
    fields = dict(pairs)
    if len(fields) < len(pairs) or "\0" in "".join(map("".join, pairs)):
        raise Problem(400, "The form cannot be read.", "form")
    return fields
