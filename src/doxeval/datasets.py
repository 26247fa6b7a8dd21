"""Data sets of ir_datasets: `irds:NAME` stands for their documents, topics and judgments.

Where a file of documents, topics or judgments is expected, `irds:beir/scifact/test` gives those of
the data set of that name. ir_datasets downloads what it has not yet; of many data sets it says
where a copy must be obtained.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, Literal, NamedTuple

from doxeval.errors import SourceError
from doxeval.messages import closest, truncate

PREFIX = "irds:"
_PLURALS = {"docs": "documents", "queries": "topics", "qrels": "judgments"}
# Fields of queries that topics have, too, and what topics call them.
_QUERY_FIELDS = {"description": "description", "narrative": "narrative", "keywords": "keywords"}


def is_dataset(source: object) -> bool:
    """Return whether a source is a data set of ir_datasets.

    >>> is_dataset("irds:cranfield"), is_dataset("cranfield")
    (True, False)
    """
    return isinstance(source, str | os.PathLike) and str(source).startswith(PREFIX)


def dataset_documents(source: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each document: what ir_datasets calls its default text."""
    for document in _entries(source, "docs"):
        yield document.doc_id, _text_of(document, "doc_id")


class DatasetQuery(NamedTuple):
    """A query of a data set: its id, and fields as topics call them."""

    id: str
    fields: dict[str, Any]


def dataset_queries(source: str | os.PathLike[str]) -> Iterator[DatasetQuery]:
    """Yield the queries of a data set: title, description, narrative and keywords."""
    for query in _entries(source, "queries"):
        title = getattr(query, "title", None) or getattr(query, "text", None)
        texts = {"title": title or _text_of(query, "query_id")}
        texts |= {ours: getattr(query, theirs, None) for theirs, ours in _QUERY_FIELDS.items()}
        fields = {name: text for name, text in texts.items() if isinstance(text, str) and text}
        yield DatasetQuery(query.query_id, fields)


class DatasetGrade(NamedTuple):
    """A grade of a document."""

    topic: str
    doc: str
    grade: int


class DatasetJudgment(NamedTuple):
    """The same for a subtopic, which is "" if the data set has none."""

    topic: str
    doc: str
    grade: int
    subtopic: str


def dataset_judgments(source: str | os.PathLike[str]) -> Iterator[DatasetJudgment]:
    """Yield the judgments of a data set."""
    for judged in _entries(source, "qrels"):
        subtopic = getattr(judged, "subtopic_id", None)
        yield DatasetJudgment(
            judged.query_id,
            judged.doc_id,
            judged.relevance,
            "" if subtopic is None else str(subtopic),
        )


def _entries(
    source: str | os.PathLike[str], kind: Literal["docs", "queries", "qrels"]
) -> Iterator[Any]:
    """Yield what a data set has of a kind; what ir_datasets cannot read is an error."""
    name = os.fspath(source)
    dataset = _dataset(name)
    if not dataset.has(kind):
        listed = [word for each, word in _PLURALS.items() if dataset.has(each)]
        has = " and ".join(listed) or "none of documents, topics and judgments"
        raise SourceError(f"the data set has no {_PLURALS[kind]}; it has {has}", name)
    entries: Iterable[Any] = iter(())
    try:
        entries = getattr(dataset, f"{kind}_iter")()
        yield from entries
    except Exception as error:  # of a download, or of any reader
        raise SourceError(f"ir_datasets cannot read it: {error}", name) from error


def _dataset(name: str) -> Any:
    try:
        library = import_module("ir_datasets")
    except ModuleNotFoundError:
        raise SourceError(
            "data sets need the extra ir-datasets: pip install 'doxeval[ir-datasets]'", name
        ) from None
    key = name.removeprefix(PREFIX).replace("\\", "/")  # a path of Windows
    try:
        return library.load(key)
    except KeyError:
        close = closest(key, map(str, library.registry))
        hint = "" if close is None else f"; did you mean {PREFIX}{truncate(close)}?"
        raise SourceError(f"ir_datasets has no such data set{hint}", name) from None


def _text_of(entry: Any, id_field: str) -> str:
    """Return the text of a document or query."""
    if hasattr(entry, "default_text"):
        return str(entry.default_text())
    texts = (getattr(entry, name) for name in entry._fields if name != id_field)
    return "\n".join(text for text in texts if isinstance(text, str) and text)
