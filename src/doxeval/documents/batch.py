"""Reading a batch of documents: from their bytes to rows, text and hashes, ready to be stored.

Batches are read in several processes, so the result depends only on the arguments.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from doxeval.documents.decoding import decoded, lone_surrogate
from doxeval.documents.html import HtmlReader, declared_encoding
from doxeval.documents.ids import IdRule, normalised_id
from doxeval.documents.limits import LONGEST_ID
from doxeval.documents.markdown import read_markdown
from doxeval.documents.marks import Marks, joined
from doxeval.documents.nodes import NodeTable, tabulate
from doxeval.documents.options import BuildOptions
from doxeval.documents.page_parts import SelectorUse
from doxeval.documents.patterns import PathPattern
from doxeval.documents.plain import read_plain
from doxeval.documents.raw import RawDocument, load
from doxeval.documents.records import Record
from doxeval.documents.text import as_stored
from doxeval.documents.xml import XmlReader
from doxeval.errors import DocumentError
from doxeval.wording import brief

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True)
class Batch:
    """Documents ready to be stored, in order.

    texts: the text of each document as it is stored. hashes: the SHA-256 of each text in UTF-8.
    broken: the errors of the documents that were left out. selector_use: what the selectors of the
    options found in pages of HTML.
    """

    ids: list[str]
    origins: list[str]
    table: NodeTable
    texts: list[bytes]
    hashes: bytes
    source_bytes: int
    broken: list[DocumentError]
    selector_use: SelectorUse


def read_batch(documents: Sequence[RawDocument], options: BuildOptions) -> Batch:
    """Parse documents and compute their rows.

    A broken document raises its error, or is left out and listed if the options say so.

    >>> raw = RawDocument("a.xml", "a", "xml", b"<p>hello</p>", 12)
    >>> batch = read_batch([raw], BuildOptions())
    >>> batch.ids, batch.texts
    (['a'], [b'hello'])
    """
    reader = _Reader(options)
    read: list[RawDocument] = []
    broken: list[DocumentError] = []
    for document in documents:
        try:
            reader.read(document)
        except DocumentError as error:
            if not options.skip_broken:
                raise
            broken.append(error)
        else:
            read.append(document)
    marks = reader.finish()
    table = tabulate(marks)
    ids = _ids(read, reader.given_ids, marks, table, options.id_rule)
    if without_id := [error for error in ids if isinstance(error, DocumentError)]:
        if not options.skip_broken:
            raise without_id[0]
        usable = [raw for raw, one in zip(read, ids, strict=True) if isinstance(one, str)]
        rest = read_batch(usable, options)
        return replace(rest, broken=[*broken, *without_id, *rest.broken])
    texts = as_stored(marks.texts, options.text)
    return Batch(
        ids=[one for one in ids if isinstance(one, str)],
        origins=[document.origin for document in read],
        table=table,
        texts=texts,
        hashes=b"".join([hashlib.sha256(text).digest() for text in marks.texts]),
        source_bytes=reader.source_bytes,
        broken=broken,
        selector_use=reader.selector_use,
    )


class _Reader:
    """Reads documents of any format into marks."""

    def __init__(self, options: BuildOptions) -> None:
        self._options = options
        self._xml = XmlReader(options.limits, options.encoding, options.id_rule.attribute)
        self._html = HtmlReader(
            options.limits,
            options.id_rule.attribute,
            options.root,
            options.drop,
            options.sections,
        )
        self._parts: list[Marks] = []
        self.given_ids: list[str | None] = []
        self.source_bytes = 0

    def read(self, document: RawDocument) -> None:
        """Read one document; nothing is kept of a broken one."""
        try:
            self._read(document)
        except UnicodeEncodeError as error:
            raise DocumentError(lone_surrogate(error), document.origin) from None

    def _read(self, document: RawDocument) -> None:
        content = document.content
        if isinstance(content, DocumentError):
            raise content
        given_id = None
        if isinstance(content, Record):
            self._xml.add(content.names, content.lengths, content.text, content.attributes)
            self.source_bytes += len(content.text)
        else:
            data = load(document.origin, self._options.limits) if content is None else content
            if document.format == "xml":
                self._xml.read(data, document.origin)
            else:
                marks, given_id = self._read_other(document, data)
                self._take_xml()
                self._parts.append(marks)
            self.source_bytes += len(data)
        self.given_ids.append(given_id)

    @property
    def selector_use(self) -> SelectorUse:
        """What selectors found in the pages so far."""
        return self._html.selector_use

    def finish(self) -> Marks:
        """The marks of all documents, in order."""
        self._take_xml()
        return joined(self._parts)

    def _read_other(self, document: RawDocument, data: bytes) -> tuple[Marks, str | None]:
        limits, origin, encoding = self._options.limits, document.origin, self._options.encoding
        if document.format == "jsonl":
            given_id, text = _json_document(data, origin)
            return read_plain(text, limits, origin), given_id
        if document.format == "html":
            page = decoded(data, origin, encoding or declared_encoding(data))
            return self._html.read(page, origin), None
        text = decoded(data, origin, encoding)
        if document.format == "markdown":
            return read_markdown(text, limits, origin, self._options.sections), None
        return read_plain(text, limits, origin), None

    def _take_xml(self) -> None:
        if len(self._xml):
            self._parts.append(self._xml.take())


def _json_document(line: bytes, origin: str) -> tuple[str, str]:
    """The id and the text of a line of JSONL."""
    try:
        record = json.loads(line)
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


def _ids(
    documents: Sequence[RawDocument],
    given: Sequence[str | None],
    marks: Marks,
    table: NodeTable,
    rule: IdRule,
) -> list[str | DocumentError]:
    """The id of each document, or the error that says why it has none."""
    if rule.pattern is None:
        by_rule = [rule.from_name(document.name) for document in documents]
    else:
        by_rule = _ids_inside(marks, table, rule.pattern, rule.attribute)
    result: list[str | DocumentError] = []
    for document, own, made in zip(documents, given, by_rule, strict=True):
        document_id = normalised_id(made if own is None else own)
        why = _why_unusable(document_id, rule)
        result.append(document_id if why is None else DocumentError(why, document.origin))
    return result


def _why_unusable(document_id: str, rule: IdRule) -> str | None:
    """Why this cannot be an id, or None if it can."""
    shown = brief(document_id)
    if len(document_id) > LONGEST_ID:
        return f"the id {shown} has more than {LONGEST_ID:,} characters"
    if _CONTROL.search(document_id):
        return f"the id {shown} contains a control character"
    if _SURROGATE.search(document_id):
        return (
            f"the id {shown} is not Unicode; rename the file in UTF-8, or take ids from inside "
            "the documents with id_rule="
        )
    if document_id:
        return None
    return f"id_rule={brief(rule.text)} finds no id in it" if rule.pattern else "the id is empty"


def _ids_inside(
    marks: Marks, table: NodeTable, pattern: PathPattern, attribute: str | None
) -> list[str]:
    """The text or attribute that a rule names, for each document; empty if there is none."""
    matching = pattern.matches(table.summary)[table.columns.path]
    ids = []
    first_row = 0
    documents = zip(table.rows.tolist(), marks.texts, marks.attributes, strict=True)
    for rows, text, attributes in documents:
        if attribute is not None:
            values = (value for row, value in attributes if matching[first_row + row])
            ids.append(next(values, ""))
        else:
            hits = np.flatnonzero(matching[first_row : first_row + rows])
            row = first_row + int(hits[0]) if len(hits) else None
            ids.append("" if row is None else _element_text(text, table, row))
        first_row += rows
    return ids


def _element_text(text: bytes, table: NodeTable, row: int) -> str:
    start, end = int(table.columns.start[row]), int(table.columns.end[row])
    return text.decode()[start:end]
