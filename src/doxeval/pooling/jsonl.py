"""Pools as JSONL, the form that holds everything: it is how a pool is frozen.

The first line says how the pool was made, and in which order its topics are; each further line is a
document of the pool:

    {"pool": 1, "method": "depth", "depth": 100, "documents": null, "level": "element", "seed": 0,
     "runs": [{"name": "mine", "results": 1500, "file": "mine.run", "sha256": "…"}], "judged": [],
     "collection": "…", "doxeval": "0.2.0", "date": "2026-05-04T10:30:00Z", "topics": ["7"]}
    {"topic": "7", "doc": "a", "priority": 0.0163, "elements": [{"path": "/a[1]/sec[2]"},
     {"start": 5, "end": 9}], "contributors": [["mine", 1]]}

The file names the runs behind each document, so it is not for assessors. The first line may be
missing, and of a document everything but topic and doc. Other fields are errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import IO, Any, NoReturn

from doxeval.columns import LARGEST_WHOLE, unknown_field
from doxeval.documents import normalise_id
from doxeval.errors import FormatError, InputError
from doxeval.files import json_lines
from doxeval.messages import quoted
from doxeval.pooling.pool import (
    LEVELS,
    METHODS,
    Pool,
    PooledDocument,
    PooledElement,
    PooledRun,
    PoolFacts,
)

_VERSION = 1
_OF_FACTS = (
    *("pool", "method", "depth", "documents", "level", "seed", "runs", "judged", "collection"),
    *("doxeval", "date", "topics"),
)
_OF_RUN = ("name", "results", "file", "sha256")
_OF_JUDGED = ("file", "sha256")
_OF_DOCUMENT = ("topic", "doc", "priority", "elements", "contributors")
_OF_ELEMENT = ("path", "start", "end")


def write_jsonl_pool(pool: Pool) -> Iterator[bytes]:
    """Yield a pool as lines of JSON.

    >>> lines = list(write_jsonl_pool(Pool({"7": (PooledDocument("a", 0.5),)})))
    >>> lines[1]
    b'{"topic": "7", "doc": "a", "priority": 0.5, "elements": [], "contributors": []}\\n'
    """
    yield _line(_record_of_facts(pool))
    for topic, documents in pool.documents.items():
        for document in documents:
            yield _line(_record(topic, document))


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def _record_of_facts(pool: Pool) -> dict[str, Any]:
    facts = pool.facts
    given = {name: getattr(facts, name) for name in ("method", "depth", "documents", "level")}
    return {
        "pool": _VERSION,
        **given,
        "seed": facts.seed,
        "runs": [asdict(run) for run in facts.runs],
        "judged": [{"file": file, "sha256": digest} for file, digest in facts.judged],
        "collection": facts.collection,
        "doxeval": facts.version,
        "date": facts.date,
        "topics": list(pool.topics),
    }


def _record(topic: str, pooled: PooledDocument) -> dict[str, Any]:
    return {
        "topic": topic,
        "doc": pooled.document,
        "priority": pooled.priority,
        "elements": [
            {"path": part.path} if part.path is not None else {"start": part.start, "end": part.end}
            for part in pooled.elements
        ],
        "contributors": [list(pair) for pair in pooled.contributors],
    }


def read_jsonl_pool(file: IO[bytes], origin: str) -> Pool:
    """Read a pool.

    >>> import io
    >>> read_jsonl_pool(io.BytesIO(b'{"topic": "7", "doc": "a"}'), "p.jsonl").documents
    {'7': (PooledDocument('a'),)}
    """
    facts, pooled = PoolFacts(), dict[str, dict[str, PooledDocument]]()
    for number, record in json_lines(file, origin):
        line = _PoolLine(record, origin, number)
        if "pool" in record and number == 1:
            facts = line.facts()
            pooled = {topic: {} for topic in line.names("topics")}
            continue
        topic, document = line.document()
        if facts.method is None:  # not written by doxeval, so ids may be spelt in any way
            document = replace(document, document=normalise_id(document.document))
        if document.document in pooled.setdefault(topic, {}):
            line.refuse(f"document {quoted(document.document)} is in the pool of its topic twice")
        pooled[topic][document.document] = document
    if not pooled:
        raise FormatError("no pooled documents in the file", origin)
    return Pool({topic: tuple(of.values()) for topic, of in pooled.items()}, facts)


class _PoolLine:
    """A line of a pool, whose values are checked; an error names the line."""

    def __init__(self, record: Any, origin: str, line: int) -> None:
        self._origin, self._line = origin, line
        if not isinstance(record, dict):
            self.refuse("expected a JSON object")
        self._record = record

    def _refuse_unknown(self, known: tuple[str, ...]) -> None:
        unknown = self._record.keys() - set(known)
        if unknown:
            self.refuse(unknown_field(min(unknown), known))

    def refuse(self, message: str) -> NoReturn:
        raise FormatError(message, self._origin, self._line)

    def facts(self) -> PoolFacts:
        if self._record["pool"] != _VERSION:
            self.refuse(f"a pool of version {quoted(self._record['pool'])}: expected {_VERSION}")
        self._refuse_unknown(_OF_FACTS)
        runs = tuple(
            PooledRun(
                run.text("name"), run.whole("results"), run.or_none("file"), run.or_none("sha256")
            )
            for run in self._objects("runs", _OF_RUN)
        )
        judged = tuple(
            (file.text("file"), file.or_none("sha256"))
            for file in self._objects("judged", _OF_JUDGED)
        )
        for name, known in (("method", METHODS), ("level", LEVELS)):
            if self._record.get(name) not in (None, *known):
                self._expected(name, " or ".join(known))
        return PoolFacts(
            self._record.get("method"),
            self._whole_or_none("depth"),
            self._whole_or_none("documents"),
            self._record.get("level"),
            self._whole_or_none("seed"),
            runs,
            judged,
            *(self.or_none(name) for name in ("collection", "doxeval", "date")),
        )

    def document(self) -> tuple[str, PooledDocument]:
        self._refuse_unknown(_OF_DOCUMENT)
        priority = self._record.get("priority", 0.0)
        if type(priority) not in (int, float) or not abs(priority) <= LARGEST_WHOLE:
            self._expected("priority", "a number")
        elements = tuple(map(self._element_of, self._list("elements")))
        pooled = PooledDocument(self.text("doc"), float(priority), elements, self._contributors())
        return self.text("topic"), pooled

    def _element_of(self, given: Any) -> PooledElement:
        # Nearly all are a path and nothing else.
        path = given.get("path") if isinstance(given, dict) and len(given) == 1 else None
        if isinstance(path, str) and path.strip():
            return PooledElement(path)
        return _PoolLine(given, self._origin, self._line).element()

    def element(self) -> PooledElement:
        whole = self._whole_or_none
        self._refuse_unknown(_OF_ELEMENT)
        try:
            return PooledElement(self.or_none("path"), whole("start"), whole("end"))
        except InputError as error:
            self.refuse(error.message)

    def _contributors(self) -> tuple[tuple[str, int], ...]:
        contributors = []
        for pair in self._list("contributors"):
            if not (
                isinstance(pair, list)
                and len(pair) == 2
                and isinstance(pair[0], str)
                and type(pair[1]) is int
                and 0 < pair[1] <= LARGEST_WHOLE
            ):
                self._expected("contributors", "pairs of a run and a rank")
            contributors.append((pair[0], pair[1]))
        return tuple(contributors)

    def names(self, name: str) -> list[str]:
        names = self._list(name)
        if not all(isinstance(item, str) for item in names) or len(set(names)) != len(names):
            self._expected(name, "a list of different names")
        return names

    def text(self, name: str) -> str:
        value = self._record.get(name)
        if not isinstance(value, str) or not value.strip():
            self._expected(name, "a text")
        return str(value)

    def or_none(self, name: str) -> str | None:
        return None if self._record.get(name) is None else self.text(name)

    def whole(self, name: str) -> int:
        value = self._record.get(name)
        if type(value) is not int or not 0 <= value <= LARGEST_WHOLE:
            self._expected(name, "a whole number from 0 on")
        return int(value)

    def _whole_or_none(self, name: str) -> int | None:
        return None if self._record.get(name) is None else self.whole(name)

    def _list(self, name: str) -> list[Any]:
        value = self._record.get(name, [])
        if not isinstance(value, list):
            self._expected(name, "a list")
        return list(value)

    def _objects(self, name: str, known: tuple[str, ...]) -> list[_PoolLine]:
        objects = [_PoolLine(item, self._origin, self._line) for item in self._list(name)]
        for item in objects:
            item._refuse_unknown(known)
        return objects

    def _expected(self, name: str, what: str) -> NoReturn:
        value = self._record.get(name)
        given = f"{name} is missing" if name not in self._record else f"{name} is {quoted(value)}"
        self.refuse(f"{given}: expected {what}")
