"""Reading a batch of documents: from their bytes to rows, text and hashes, ready to be stored.

Batches are read in several processes, so the result depends only on the arguments.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from doxeval.documents.build.contents import RawDocument, load_file
from doxeval.documents.build.options import LONGEST_ID, BuildOptions
from doxeval.documents.display import NO_FACTS, DisplayColumns, display_columns
from doxeval.documents.ids import IdRule, normalise_id, why_id_has_spaces
from doxeval.documents.nodes import NodeTable, tabulate
from doxeval.documents.patterns import PathPattern
from doxeval.documents.readers.attributes import facts_of_documents
from doxeval.documents.readers.html import HtmlReader, declared_encoding
from doxeval.documents.readers.markdown import read_markdown
from doxeval.documents.readers.parts import XmlParts
from doxeval.documents.readers.pdf import pages_without_text, read_pdf
from doxeval.documents.readers.plain import decode_text, lone_surrogate_message, read_plain
from doxeval.documents.readers.selectors import SelectorUse
from doxeval.documents.readers.tag_events import TagEvents, join_events
from doxeval.documents.readers.xml import XmlDocuments
from doxeval.documents.text import encode_texts
from doxeval.errors import DocumentError
from doxeval.messages import Parameter, quoted

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
# How many bytes of XML are scanned at once. The first few show whether scanning is worth it.
_FIRST_SCAN = 1 << 17
_LATER_SCANS = 1 << 21
# A document, and its error if it is broken.
_ReadResult: TypeAlias = tuple[RawDocument, DocumentError | None]


@dataclass(frozen=True)
class DocumentBatch:
    """Documents ready to be stored, in order.

    texts: the text of each document as it is stored. hashes: the SHA-256 of each text in UTF-8.
    facts: what display needs beside the text. broken: the errors of the documents that were left
    out. selector_use, pattern_use: what the selectors of the options matched in pages of HTML, and
    the patterns in XML. notes: what a user should know about documents that were read. weight: how
    many bytes of the sources they account for.
    """

    ids: list[str]
    origins: list[str]
    table: NodeTable
    texts: list[bytes]
    hashes: bytes
    source_bytes: int
    broken: list[DocumentError]
    selector_use: SelectorUse
    notes: Sequence[str] = ()
    weight: int = 0
    facts: DisplayColumns = NO_FACTS
    pattern_use: SelectorUse = field(default_factory=SelectorUse)


def read_batch(
    documents: Sequence[RawDocument], options: BuildOptions, *, spaced_ids: bool = False
) -> DocumentBatch:
    """Parse documents and compute their rows.

    A broken document raises its error, or is left out and listed if the options say so. So does
    an id with white space, unless `spaced_ids` allows it.

    >>> raw = RawDocument("a.xml", "a", "xml", b"<p>hello</p>", 12)
    >>> batch = read_batch([raw], BuildOptions())
    >>> batch.ids, batch.texts
    (['a'], [b'hello'])
    """
    reader = _DocumentReader(options)
    weight = sum(document.weight for document in documents)
    read: list[RawDocument] = []
    broken: list[DocumentError] = []
    for document, error in reader.read(documents):
        if error is None:
            read.append(document)
        elif options.skip_broken:
            broken.append(error)
        else:
            raise error
    origins = [document.origin if document.format == "xml" else None for document in read]
    events, pattern_use, errors = XmlParts(options).cut_from(reader.take(), origins)
    table = tabulate(events)
    ids: list[str | DocumentError] = []
    if not errors:
        ids = _ids(read, reader.given_ids, events, table, options.id_rule, spaced_ids)
        errors = {at: name for at, name in enumerate(ids) if isinstance(name, DocumentError)}
    if errors:
        if not options.skip_broken:
            raise next(iter(errors.values()))
        usable = [raw for at, raw in enumerate(read) if at not in errors]
        rest = read_batch(usable, options, spaced_ids=spaced_ids)
        return replace(rest, broken=[*broken, *errors.values(), *rest.broken], weight=weight)
    return DocumentBatch(
        ids=[name for name in ids if isinstance(name, str)],
        origins=[document.origin for document in read],
        table=table,
        texts=encode_texts(events.texts, options.text),
        hashes=b"".join([hashlib.sha256(text).digest() for text in events.texts]),
        facts=_facts(read, events, table),
        source_bytes=reader.source_bytes,
        broken=broken,
        selector_use=reader.selector_use,
        pattern_use=pattern_use,
        notes=reader.notes,
        weight=weight,
    )


def _facts(documents: Sequence[RawDocument], events: TagEvents, table: NodeTable) -> DisplayColumns:
    if not any(events.attributes):
        return NO_FACTS
    names = [document.name for document in documents]
    return display_columns(facts_of_documents(events.attributes, names, table), table.rows)


class _DocumentReader:
    """Reads documents of any format into tag events.

    given_ids: for each document that was read, the id that it has in its source, if it has one.
    notes: what a user should know about these documents.
    """

    def __init__(self, options: BuildOptions) -> None:
        self._options = options
        self._xml = XmlDocuments(options.limits, options.encoding, options.id_rule.attribute)
        self._html: HtmlReader | None = None  # until there is a page
        # Documents in XML are put aside, since many are scanned at once.
        self._waiting: list[tuple[RawDocument, bytes]] = []
        self._waiting_bytes = 0
        self._read_together = _FIRST_SCAN
        self._parts: list[TagEvents] = []
        self.given_ids: list[str | None] = []
        self.notes: list[str] = []
        self.source_bytes = 0

    def read(self, documents: Iterable[RawDocument]) -> Iterator[_ReadResult]:
        """Read documents in order; nothing is kept of a broken one."""
        for document in documents:
            content = self._load(document)
            if document.format == "xml" and isinstance(content, bytes):
                self._waiting.append((document, content))
                self._waiting_bytes += len(content)
                if self._waiting_bytes >= self._read_together:
                    yield from self._read_waiting()
                    self._read_together = _LATER_SCANS
                continue
            yield from self._read_waiting()
            if not isinstance(content, DocumentError):
                yield document, self._read_alone(document, content)
            else:
                yield document, content
        yield from self._read_waiting()

    def take(self) -> TagEvents:
        """Return the events of all documents, in order."""
        return join_events([*self._parts, *self._xml.take()])

    @property
    def selector_use(self) -> SelectorUse:
        """What selectors matched in the pages so far."""
        return SelectorUse() if self._html is None else self._html.selector_use

    def _load(self, document: RawDocument) -> bytes | TagEvents | DocumentError:
        if document.content is not None:
            return document.content
        try:
            return load_file(document.origin, self._options.limits)
        except DocumentError as error:
            return error

    def _read_waiting(self) -> Iterator[_ReadResult]:
        """Read the XML documents that have been put aside."""
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        if not waiting:
            return
        errors = self._xml.read([(data, document.origin) for document, data in waiting])
        for (document, data), error in zip(waiting, errors, strict=True):
            if error is None:
                self._note(len(data))
            yield document, error

    def _read_alone(
        self, document: RawDocument, content: bytes | TagEvents
    ) -> DocumentError | None:
        """Read a document of another format, or a record, which reading its source has parsed."""
        given_id = None
        try:
            if isinstance(content, TagEvents):
                events, size = content, len(content.texts[0])
            else:
                events, given_id = self._read_bytes(document, content)
                size = len(content)
        except DocumentError as error:
            return error
        except UnicodeEncodeError as error:
            return DocumentError(lone_surrogate_message(error), document.origin)
        self._parts += [*self._xml.take(), events]
        self._note(size, given_id)
        return None

    def _note(self, size: int, given_id: str | None = None) -> None:
        self.given_ids.append(given_id)
        self.source_bytes += size

    def _read_bytes(self, document: RawDocument, data: bytes) -> tuple[TagEvents, str | None]:
        """Return the events of a document that is not in XML, and the id that it has itself."""
        limits, origin, encoding = self._options.limits, document.origin, self._options.encoding
        if document.format == "jsonl":
            given_id, text = _json_document(data, origin)
            return read_plain(text, limits, origin), given_id
        if document.format == "html":
            page = decode_text(data, origin, encoding or declared_encoding(data))
            self._html = self._html or HtmlReader(self._options)
            return self._html.read(page, origin), None
        if document.format == "pdf":
            events = read_pdf(data, limits, origin)
            self.notes += pages_without_text(events, origin)
            return events, None
        text = decode_text(data, origin, encoding)
        if document.format == "markdown":
            return read_markdown(text, limits, origin, self._options.sections), None
        return read_plain(text, limits, origin), None


def _json_document(line: bytes, origin: str) -> tuple[str, str]:
    """Return the id and the text of a line of JSONL."""
    try:
        record = _json(line)
        document_id, text = record["id"], record["text"]
        is_id = isinstance(document_id, str | int) and not isinstance(document_id, bool)
        if not isinstance(text, str) or not is_id:
            raise TypeError
        text.encode()
    except (ValueError, TypeError, KeyError, RecursionError):
        raise DocumentError(
            'expected a JSON object with "id" and "text", both strings in Unicode', origin
        ) from None
    return str(document_id), text


def _json(line: bytes) -> Any:
    """Parse a line of JSON; UTF-8 is tried first, because finding out the encoding takes time."""
    try:
        return json.loads(line.decode())
    except ValueError:
        return json.loads(line)


def _ids(
    documents: Sequence[RawDocument],
    given: Sequence[str | None],
    events: TagEvents,
    table: NodeTable,
    rule: IdRule,
    spaced_ids: bool,
) -> list[str | DocumentError]:
    """Return the id of each document, or the error that says why it has none."""
    if rule.pattern is None:
        by_rule = [rule.from_name(document.name) for document in documents]
    else:
        by_rule = _ids_inside(events, table, rule.pattern, rule.attribute)
    result: list[str | DocumentError] = []
    for document, given_id, made_id in zip(documents, given, by_rule, strict=True):
        document_id = normalise_id(made_id if given_id is None else given_id)
        why = _why_unusable(document_id, rule)
        if why is None and not spaced_ids:
            why = why_id_has_spaces(document_id)
            if why is not None and given_id is None:
                why += "; rename it, or take ids from elsewhere with " + Parameter("id_rule")
        result.append(document_id if why is None else DocumentError(why, document.origin))
    return result


def _why_unusable(document_id: str, rule: IdRule) -> str | None:
    """Return why this cannot be an id, or None if it can."""
    if len(document_id) > LONGEST_ID:
        return f"the id {quoted(document_id)} has more than {LONGEST_ID:,} characters"
    if _CONTROL.search(document_id):
        return f"the id {quoted(document_id)} contains a control character"
    if _SURROGATE.search(document_id):
        return (
            f"the id {quoted(document_id)} is not Unicode; rename the file in UTF-8, or take ids "
            "from inside the documents with " + Parameter("id_rule")
        )
    if document_id:
        return None
    return (
        Parameter("id_rule", rule.text) + " finds no id in it"
        if rule.pattern
        else "the id is empty"
    )


def _ids_inside(
    events: TagEvents, table: NodeTable, pattern: PathPattern, attribute: str | None
) -> list[str]:
    """Return the text or attribute that a rule names, for each document; empty if there is none."""
    matching = pattern.matches(table.summary)[table.columns.path]
    ids = []
    first_row = 0
    documents = zip(table.rows.tolist(), events.texts, events.attributes, strict=True)
    for rows, text, attributes in documents:
        if attribute is not None:
            values = (
                value
                for row, name, value in attributes
                if name == attribute and matching[first_row + row]
            )
            ids.append(next(values, ""))
        elif len(matches := np.flatnonzero(matching[first_row : first_row + rows])):
            row = first_row + int(matches[0])
            ids.append(text.decode()[table.columns.start[row] : table.columns.end[row]])
        else:
            ids.append("")
        first_row += rows
    return ids
