"""The addresses for the page's script in OpenAPI, made from the tables of the application.

Only tests see it: it lets a program make up requests, right ones and wrong ones.
"""

from __future__ import annotations

from typing import Any

from assess_client import WHO_MAY
from doxeval.assess.db import LONGEST_KEYWORD, MAX_KEYWORDS, MAX_SECONDS
from doxeval.assess.judging import KINDS, Operation
from doxeval.assess.web import LONGEST_QUERY, MAX_OPERATIONS, OF_A_TOPIC, Who

_WHOLE = {"type": "integer", "minimum": 0, "maximum": 200}
_FIELDS: dict[str, dict[str, Any]] = {
    "op_id": {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,64}$"},
    "base_version": {"type": "integer", "minimum": 0, "maximum": 3},
    "kind": {"enum": sorted(KINDS.keys() - {"import"})},
    "start": _WHOLE,
    "end": _WHOLE,
    "quote": {"enum": ["Tides", "The moon", "Wind", ""]},
    "quote_length": {"type": "null"},
    "quote_sha256": {"type": "null"},
    "path": {"enum": ["/article[1]", "/article[1]/sec[1]/p[1]", "/nowhere[1]"]},
    "value": {},
    "client_time": {"type": "null"},
}
_VALUES: dict[str, dict[str, Any]] = {
    "note": {"type": "string", "maxLength": 200},
    "comment": {"type": "string", "maxLength": 200},
    "problem": {"type": "boolean"},
    "skip": {"type": "boolean"},
    "grade": {"enum": [1, 2, "?", [3, 3], None]},
}


def _operation(kind: str) -> dict[str, Any]:
    """What an operation of a kind looks like."""
    own = {name: _FIELDS[name] for name in ("op_id", "base_version", *sorted(KINDS[kind]))}
    own |= {"value": _VALUES[kind]} if "value" in KINDS[kind] else {}
    return {
        "type": "object",
        "properties": own | {"kind": {"const": kind}},
        "required": [*own, "kind"],
        "additionalProperties": False,
    }


_JUDGE = {"enum": ["adjudicated"]}
_OWN_BODY: dict[str, dict[str, Any]] = {
    "POST /api/operations": {
        "operations": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_OPERATIONS,
            "items": {"oneOf": [_operation(kind) for kind in KINDS if kind != "import"]},
        }
    },
    "POST /api/time": {"seconds": {"type": "number", "minimum": 0, "maximum": MAX_SECONDS}},
    "POST /api/keywords": {
        "words": {
            "type": "array",
            "maxItems": MAX_KEYWORDS,
            "items": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEYWORD},
        }
    },
    "POST /api/outside": {},
}
_OF_DOCUMENTS = {
    "/api/article",
    "/api/judgment",
    "/api/picture",
    "/api/operations",
    "/api/time",
    "/api/outside",
}
_ERROR = {
    "type": "object",
    "properties": {"error": {"type": "string", "minLength": 1}, "code": {"type": "string"}},
    "required": ["error", "code"],
}
_STATUSES = ("400", "401", "403", "404", "405", "409", "413", "415", "422", "423", "503")


def openapi(topics: list[str], documents: list[str]) -> dict[str, Any]:
    """The description; some of the requests are for these topics and documents."""
    assert set(_FIELDS) == set(Operation.__dataclass_fields__)
    paths: dict[str, Any] = {}
    for route, who in WHO_MAY.items():
        method, path = route.split()
        if path.startswith("/api/"):
            described = _described(route, path, who, topics, documents)
            paths.setdefault(path, {})[method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "assess", "version": "1"},
        "paths": paths,
    }


def _described(
    route: str, path: str, who: Who, topics: list[str], documents: list[str]
) -> dict[str, Any]:
    assert who in OF_A_TOPIC or who is Who.ORGANISER
    parameters = [_parameter("topic", {"enum": topics})]
    if path in _OF_DOCUMENTS:
        parameters.append(_parameter("doc", {"enum": documents}))
    if who is Who.JUDGE:
        parameters.append(_parameter("judge", _JUDGE, False))
    if path == "/api/judgment":
        parameters.append(_parameter("user", {"enum": ["ann", "bob", "nobody"]}))
    if path == "/api/find":
        parameters.append(_parameter("q", {"type": "string", "maxLength": LONGEST_QUERY}))
    if path == "/api/picture":
        parameters.append(_parameter("number", {"type": "integer", "minimum": 0, "maximum": 999}))
    errors = {
        status: {"description": "", "content": {"application/json": {"schema": _ERROR}}}
        for status in _STATUSES
    }
    described: dict[str, Any] = {
        "parameters": parameters,
        "responses": errors
        | {"200": {"description": "", "content": {"application/json": {"schema": {}}}}},
    }
    own = _OWN_BODY.get(route)
    if own is not None:
        schema = {
            "type": "object",
            "properties": own,
            "required": list(own),
            "additionalProperties": False,
        }
        content = {"application/json": {"schema": schema}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _parameter(name: str, schema: dict[str, Any], required: bool = True) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, "schema": schema}
