"""XML read in two ways: scanned where that is possible, and by calls for each tag."""

from __future__ import annotations

from collections.abc import Sequence

from doxeval.documents import Limits, TagEvents, XmlDocuments, XmlReader, join_events, tabulate
from doxeval.errors import DocumentError

# The marks of documents, and the error of each that is broken.
Read = tuple[list[TagEvents], list[str | None]]


def by_calls(documents: Sequence[bytes], limits: Limits) -> Read:
    """Documents as XmlReader reads them."""
    reader = XmlReader(limits)
    errors: list[str | None] = []
    for number, data in enumerate(documents):
        try:
            reader.read(data, f"{number}.xml")
            errors.append(None)
        except DocumentError as error:
            errors.append(str(error))
    return [reader.take()] if len(reader) else [], errors


def scanned(documents: Sequence[bytes], limits: Limits) -> Read:
    """The same documents as XmlDocuments reads them."""
    reader = XmlDocuments(limits)
    given = [(data, f"{number}.xml") for number, data in enumerate(documents)]
    errors = [None if error is None else str(error) for error in reader.read(given)]
    return reader.take(), errors


def difference(documents: Sequence[bytes], limits: Limits | None = None) -> str | None:
    """What differs between the two ways; None if nothing does."""
    limits = limits or Limits()
    (expected, errors), (found, other_errors) = (
        by_calls(documents, limits),
        scanned(documents, limits),
    )
    if errors != other_errors:
        return f"errors {errors} and {other_errors}"
    if not expected or not found:
        return None if not expected and not found else "one of them read nothing"
    one, other = join_events(expected), join_events(found)
    for name, mine, theirs in (
        ("names", list(one.names), list(other.names)),
        ("texts", one.texts, other.texts),
        ("attributes", one.attributes, other.attributes),
    ):
        if mine != theirs:
            return f"{name} {mine} and {theirs}"
    return _different_rows(one, other)


def _different_rows(one: TagEvents, other: TagEvents) -> str | None:
    table, twin = tabulate(one), tabulate(other)
    for name, mine in (*table.columns._asdict().items(), ("rows", table.rows)):
        theirs = twin.rows if name == "rows" else getattr(twin.columns, name)
        if mine.tolist() != theirs.tolist() or mine.dtype != theirs.dtype:
            return f"{name} {mine.tolist()} and {theirs.tolist()}"
    same = table.summary.tags == twin.summary.tags
    return None if same else f"tags {table.summary.tags} and {twin.summary.tags}"
