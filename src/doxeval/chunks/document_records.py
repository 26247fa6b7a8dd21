"""Documents from records: which of their fields are the id and the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from doxeval.chunks.formats import document_format
from doxeval.chunks.loading import Loaded
from doxeval.messages import quoted

IDS = ("id", "_id", "doc", "doc_id", "docid", "document_id", "docno", "url", "path", "title")
TEXTS = ("text", "contents", "content", "body", "page_content", "document", "markdown", "texts")


def documents_of_json(loaded: Loaded) -> Iterable[tuple[str, str]] | None:
    """The documents of a source that holds them together with questions; None if it does not.

    A JSON object of texts by id is one, too.
    """
    value = loaded.value
    found = document_format(value)
    if found is not None:
        return found(loaded)
    if isinstance(value, Mapping):
        if not all(isinstance(text, str) for text in value.values()):
            raise loaded.wrong("expected records with an id and a text, or texts by id")
        return list(value.items())
    return None


def texts_of_records(loaded: Loaded) -> Iterator[tuple[str, str]]:
    """The id and the text of each record.

    >>> list(texts_of_records(Loaded([{"_id": "a", "title": "Tea", "text": "It is hot."}])))
    [('a', 'Tea\\nIt is hot.')]
    """
    for number, record in enumerate(loaded.records()):
        document = _field(record, IDS)
        text = _field(record, TEXTS)
        if document is None or not isinstance(text, str):
            raise loaded.wrong(
                f"fields {quoted(sorted(map(str, record)))}: expected an id ({', '.join(IDS)}) and "
                f"a text ({', '.join(TEXTS)})",
                number,
            )
        yield f"{document}{_page(record)}", _as_indexed(record, text)


def _field(record: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((record[name] for name in names if record.get(name) not in (None, "")), None) or (
        "" if any(record.get(name) == "" for name in names) else None
    )


def _page(record: Mapping[str, Any]) -> str:
    """What tells the pages of a file apart that AutoRAG parsed; -1 is the whole file."""
    page = record.get("page")
    is_page = "texts" in record and type(page) is int and page >= 0
    return f"#{page}" if is_page else ""


def _as_indexed(record: Mapping[str, Any], text: str) -> str:
    """The text that offsets and searches are about: BEIR adds the title, MS MARCO strips it."""
    title = record.get("title")
    if "_id" in record and isinstance(title, str) and title.strip():
        return f"{title}\n{text}"
    return text.strip() if "docid" in record and "body" in record else text
