"""Reading requests, with limits: their address, a form or JSON, and which judgment they are about.

What was read is in `request.state`:

    query      the parameters of the address
    form       the fields of a form
    topic      the topic, on routes of a topic
    judge      as whom the user works on it
    document   the document, if one is named
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl

import msgspec

from doxeval.assess.db import LONGEST_ID, MAX_SECONDS
from doxeval.assess.judging import flaw_of_text
from doxeval.assess.web.errors import RefusedRequest
from doxeval.assess.web.wire import MAX_OPERATIONS, TopicRequest
from doxeval.messages import truncate

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_JSON = 1 << 20
MAX_FORM = 64 << 10
MAX_FIELDS = 50
DEEPEST = 16
_LARGEST = 1 << 53  # the largest whole number that every reader of JSON keeps exactly
_EXPECTED = {
    "topic": "The topic is not a text.",
    "doc": "The document is not a text.",
    "judge": "judge= is adjudicated, or left out.",
    "user": "The user is not a text.",
    "operations": f'"operations" is a list of 1 to {MAX_OPERATIONS}.',
    "seconds": f'"seconds" is a number from 0 to {MAX_SECONDS}.',
    "words": '"words" is a list of texts.',
}
_CODES = {"topic": "topic", "doc": "document", "judge": "judge"}

M = TypeVar("M", bound=TopicRequest)


class BodyLimit:
    """Refuses bodies that are too long, when they are read, before all of them has arrived."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count what is received of its body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_large = scope["path"].startswith(("/api/", "/organise/"))
        most = MAX_JSON if is_large else MAX_FORM
        declared = dict(scope["headers"]).get(b"content-length", b"").decode("latin-1")
        received = 0

        def check(length: int) -> None:
            if length > most:
                raise RefusedRequest(413, f"The request is longer than {most:,} bytes.", "too-long")

        async def receive_at_most() -> Message:
            nonlocal received
            check(int(declared[:20]) if declared.isdecimal() else 0)
            message = await receive()
            received += len(message.get("body", b""))
            check(received)
            return message

        await self.app(scope, receive_at_most, send)


def parse_query(query: str) -> dict[str, str]:
    """Return the parameters of an address; each may be there once."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise RefusedRequest(400, "The address cannot be read.", "address") from None
    if len(dict(pairs)) < len(pairs):
        raise RefusedRequest(400, "The address has a parameter twice.", "address")
    return dict(pairs)


def parse_form(body: bytes, content_type: str) -> dict[str, str]:
    """Return the fields of a form as browsers send it; each may be there once.

    >>> parse_form(b"name=ann&password=a+b%26", "application/x-www-form-urlencoded")
    {'name': 'ann', 'password': 'a b&'}
    """
    if not body:
        return {}
    if _media_type(content_type) != "application/x-www-form-urlencoded":
        raise RefusedRequest(
            415, "Send the form as application/x-www-form-urlencoded.", "content-type"
        )
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MAX_FIELDS,
        )
    except ValueError:  # UnicodeDecodeError is one
        raise RefusedRequest(400, "The form cannot be read.", "form") from None
    if len(dict(pairs)) < len(pairs) or not is_storable("".join(map("".join, pairs))):
        raise RefusedRequest(400, "The form cannot be read.", "form")
    return dict(pairs)


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def parse_message(body: bytes, content_type: str, message: type[M]) -> M:
    """Return a message in JSON, if it is declared as JSON, within the limits, and of this type.

    >>> from doxeval.assess.web.wire import KeywordsRequest
    >>> parse_message(b'{"words": ["fog"]}', "application/json", KeywordsRequest).words
    ['fog']
    >>> parse_message(b'{"words": 7}', "application/json", KeywordsRequest)
    Traceback (most recent call last):
    doxeval.assess.web.errors.RefusedRequest: 400: "words" is a list of texts.
    """
    if _media_type(content_type) != "application/json":
        raise RefusedRequest(415, "Send JSON, with Content-Type: application/json.", "content-type")
    value = parse_json(body)
    try:
        return msgspec.convert(value, message)
    except msgspec.ValidationError as error:
        raise _unfit(str(error)) from None


def _unfit(error: str) -> RefusedRequest:
    """Return what msgspec says about a message as a problem.

    >>> _unfit("Object contains unknown field `x`").sentence
    'Unknown name "x".'
    >>> _unfit("Expected `int | null`, got `str` - at `$.operations[0].start`").sentence
    'operations[0].start: Expected `int | null`, got `str`.'
    """
    what, _, place = truncate(error, 300).partition(" - at `$")
    place = place.strip(".`")
    if place in _EXPECTED:
        return RefusedRequest(400, _EXPECTED[place], _CODES.get(place, "malformed"))
    if place:
        return RefusedRequest(400, f"{place}: {what}.", "malformed")
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", what):
        return RefusedRequest(400, f"Unknown name {json.dumps(unknown[1][:80])}.", "malformed")
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", what):
        return RefusedRequest(400, f'The request has no "{missing[1]}".', "malformed")
    return RefusedRequest(400, "The request is not a JSON object.", "malformed")


def parse_json(body: bytes) -> Any:
    """Return values of JSON that every reader and database keeps as they are.

    JSON is refused if it is nested deeply, has a name twice, or has numbers or characters that
    cannot be stored; msgspec alone would take the last of two values.

    >>> parse_json(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    doxeval.assess.web.errors.RefusedRequest: 400: The name "a" occurs twice in one object.
    """
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
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in values if names.count(name) > 1)
        raise _malformed(f"The name {json.dumps(twice[:80])} occurs twice in one object.")
    return values


def _no_number(name: str) -> Any:
    raise _malformed(f"{name} is not a number of JSON.")


def _check(value: Any) -> None:
    """Refuse what is nested too deeply, and values that no database keeps as they are."""
    level = [value]
    for _ in range(DEEPEST + 1):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below += item.keys()
                below += item.values()
            elif isinstance(item, list):
                below += item
            elif isinstance(item, str) and not is_storable(item):
                flaw = "NUL character" if "\0" in item else "lone surrogate"
                raise _malformed(f"The text has a {flaw}.")
            elif isinstance(item, int | float) and not _is_kept(item):
                raise _malformed("The JSON has a number that is too large.")
        if not below:
            return
        level = below
    raise _malformed(f"The JSON is nested more than {DEEPEST} deep.")


def _is_kept(number: float) -> bool:
    return abs(number) <= _LARGEST if isinstance(number, int) else math.isfinite(number)


def is_storable(text: str) -> bool:
    r"""Return whether a database keeps a text as it is.

    >>> is_storable("é"), is_storable("a\0"), is_storable("\ud800")
    (True, False, False)
    """
    return flaw_of_text(text) is None


def _malformed(sentence: str) -> RefusedRequest:
    return RefusedRequest(400, sentence, "json")


def single_value(name: str, *places: Mapping[str, str | None]) -> str | None:
    """Return a value from the address, the form or the JSON, which must not contradict each other.

    >>> single_value("doc", {"doc": "a"}, {}, {"doc": "a"})
    'a'
    """
    values = {place[name] for place in places if name in place}
    if len(values) > 1:
        raise RefusedRequest(400, f"The request has two different values of {name}.", name)
    return values.pop() if values else None


def checked_id(value: str | None, what: str) -> str:
    """Return the id of a topic or a document; what cannot be one does not exist.

    >>> checked_id("a/../b.xml", "document")
    'a/../b.xml'
    >>> checked_id(None, "topic")
    Traceback (most recent call last):
    doxeval.assess.web.errors.RefusedRequest: 400: The request has no topic.
    """
    if not value:
        raise RefusedRequest(400, f"The request has no {what}.", what)
    if len(value) > LONGEST_ID or not is_storable(value):
        raise RefusedRequest(404, f"There is no such {what}.", what)
    return value
