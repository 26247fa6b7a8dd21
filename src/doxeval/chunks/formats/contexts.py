"""Contexts that were retrieved, in the files of programs that judge answers.

ragas       {"user_input", "retrieved_contexts": [texts], "retrieved_context_ids": [ids]}
ragas 0.1   {"question", "contexts": [texts]}
RAGChecker  {"results": [{"query_id", "query", "retrieved_context": [{"doc_id", "text"}]}]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from doxeval.chunks.formats import first_record
from doxeval.chunks.formats.fields import listed_records, needed_text, text, texts_in_cell
from doxeval.chunks.loading import Loaded
from doxeval.messages import quoted

EXPECTED = (
    "expected samples of ragas (user_input and retrieved_contexts) or results of RAGChecker "
    "(results with query and retrieved_context)"
)


class Answer(NamedTuple):
    """What was retrieved for a question, best first: texts, ids, or records of both."""

    id: str
    question: str
    items: tuple[Any, ...]


def has_contexts(value: Any) -> bool:
    """Whether a value holds retrieved contexts.

    >>> has_contexts([{"user_input": "How long?", "retrieved_contexts": ["Thirty days."]}])
    True
    """
    return _is_ragchecker(value) or any(
        {question, contexts} <= first_record(value).keys() for question, contexts in _RAGAS
    )


# The fields of a question and its contexts, as of version 0.2 and before.
_RAGAS = (
    ("user_input", "retrieved_contexts"),
    ("user_input", "retrieved_context_ids"),
    ("question", "contexts"),
)


def _is_ragchecker(value: Any) -> bool:
    results = value.get("results") if isinstance(value, Mapping) else None
    return {"query", "retrieved_context"} <= first_record(results).keys()


def answers_in(loaded: Loaded) -> list[Answer]:
    """What was retrieved for each question of a file."""
    if _is_ragchecker(loaded.value):
        found = list(_of_ragchecker(loaded._replace(value=loaded.value["results"])))
    elif has_contexts(loaded.value):
        found = list(_of_ragas(loaded))
    else:
        raise loaded.wrong(EXPECTED)
    seen: set[str] = set()
    for row, one in enumerate(found):
        if one.id in seen:
            raise loaded.wrong(f"there are two questions {quoted(one.id)}", row)
        seen.add(one.id)
    return found


def _of_ragas(loaded: Loaded) -> Iterator[Answer]:
    records = loaded.records()
    asked = "user_input" if "user_input" in records[0] else "question"
    name = "retrieved_contexts" if asked == "user_input" else "contexts"
    for row, record in enumerate(records):
        question = record.get(asked)
        if not isinstance(question, str):
            message = f"{asked} is {quoted(question)}: expected a text (a sample of one turn)"
            raise loaded.wrong(message, row)
        contexts = _texts(loaded, row, record, name)
        ids = _texts(loaded, row, record, "retrieved_context_ids")
        own = text(record, "id", "sample_id") or str(row + 1)
        yield Answer(own, question, _with_ids(loaded, row, contexts, ids))


def _texts(loaded: Loaded, row: int, record: dict[str, Any], name: str) -> tuple[str, ...]:
    value = record.get(name)
    is_list = isinstance(value, list) and all(isinstance(one, str | int) for one in value)
    if value is not None and not is_list and not isinstance(value, str):
        raise loaded.wrong(f"{name} is {quoted(value)}: expected a list of texts", row)
    return texts_in_cell(record, name)


def _with_ids(
    loaded: Loaded, row: int, contexts: tuple[str, ...], ids: tuple[str, ...]
) -> tuple[Any, ...]:
    if not ids or not contexts:
        return contexts or tuple({"chunk": one, "doc": one} for one in ids)
    if len(ids) != len(contexts):
        counts = f"{len(contexts):,} retrieved_contexts, but {len(ids):,} retrieved_context_ids"
        raise loaded.wrong(f"{counts}: expected one for each", row)
    return tuple({"chunk": own, "text": one} for own, one in zip(ids, contexts, strict=True))


def _of_ragchecker(loaded: Loaded) -> Iterator[Answer]:
    for row, record in enumerate(loaded.records()):
        question = needed_text(loaded, row, record, "query")
        own = text(record, "query_id", "id") or str(row + 1)
        items = []
        for one in listed_records(loaded, row, record, "retrieved_context"):
            name = text(one, "doc_id")
            said = {"text": needed_text(loaded, row, one, "text")}
            items.append(said if name is None else {**said, "chunk": name, "doc_id": name})
        yield Answer(own, question, tuple(items))
