"""Documents, chunks and results of other libraries, from their objects, records, tables and files.

Nothing of these libraries is imported: an object is known by its attributes, a record by its
fields, and the table below says what they may be called, wherever they come from.

    LangChain     page_content, metadata (source, start_index), id
    LlamaIndex    text, start_char_idx, end_char_idx, ref_doc_id, node_id, parent_node; of sentence
                  windows the sentence is searched and the window read, whose offsets are not known
    Haystack      content, meta (source_id, split_id, split_idx_start, __parent_id), id
    Chonkie       text, start_index, end_index, token_count, id
    AutoRAG       contents, doc_id (of the chunk), path (of its document), start_end_idx
    Docling, Unstructured    text; their offsets do not count the characters of the document
    Chroma        ids, documents, metadatas, distances, as columns, of one query or of several
    Qdrant        id, score, payload, in which the fields are; points
    Weaviate      uuid, metadata (score, certainty, distance), properties, in which the fields are;
                  objects; of GraphQL _additional
    FAISS         arrays of scores (or distances) and of row numbers, -1 for none
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from doxeval.chunks.formats import document_format
from doxeval.chunks.records import Loaded, frame_records, is_frame, load
from doxeval.errors import FormatError
from doxeval.files import decode_json
from doxeval.messages import join_names, quoted
from doxeval.spans import TOO_LONG

# What a field may be called, the more particular names first.
_IDS = ("id", "_id", "chunk_id", "node_id", "id_", "uuid")
_DOCUMENTS = (
    "doc",
    "doc_id",
    "document",
    "document_id",
    "ref_doc_id",
    "corpus_id",
    "source_id",
    "source",
    "file_path",
    "path",
    "filename",
    "file_name",
    "docid",
    "docno",
    "url",
)
_TEXTS = (
    "text",
    "page_content",
    "content",
    "contents",
    "segment",
    "body",
    "document",
    "markdown",
    "texts",
)
_STARTS = ("start", "start_index", "start_char_idx", "split_idx_start", "start_char")
_ENDS = ("end", "end_index", "end_char_idx", "end_char")
_PARENTS = ("parent", "parent_id", "__parent_id")
_TOKENS = ("tokens", "token_count")
_ADDED = ("added",)
_ORDERS = ("order", "split_id")
# The text of a chunk, or its id where a result names it.
_CHUNK = "chunk"
# What the model is given, where that is not the text that is searched.
_READ = "read"
# Where a record has further fields, which do not count if it has them itself; and where stores keep
# the fields of a chunk, which count before those of the hit.
_FURTHER = ("metadata", "meta", "_additional")
_KEPT = ("payload", "properties", "_node_content")
# All names that a field of ours may have elsewhere.
OTHER_NAMES = frozenset(
    (*_DOCUMENTS, *_TEXTS, *_IDS, *_STARTS, *_ENDS, *_PARENTS, *_TOKENS, *_ORDERS)
) | {_CHUNK, *_FURTHER, *_KEPT, "page", "start_end_idx"}


class RawChunk(NamedTuple):
    """A chunk or a result as it came, before it is located.

    text: what is searched, and read unless `read` has what is read instead. documents: what may
    name its document, in the order in which names are tried. start, end: its offsets, to be
    checked. order: its number within the document, if it has one. spans: those that a chunk file
    has, which need no text. added: how many of its characters are known to be in no document.
    chunk: the field of that name, an id where it is no text.
    """

    text: str | None
    documents: tuple[str, ...] = ()
    id: str | None = None
    start: Any = None
    end: Any = None
    tokens: int | None = None
    parent: str | None = None
    order: int | None = None
    spans: tuple[tuple[int, int], ...] = ()
    chunk: str | None = None
    read: str | None = None
    added: int = 0

    @property
    def text_read(self) -> str | None:
        """What the model is given, of which offsets and spans are."""
        return self.text if self.read is None else self.read


def raw_chunk(thing: Any, doc_key: str | None = None) -> RawChunk:
    """Return a chunk from a text, a pair of text and offsets, a record, or an object.

    >>> from types import SimpleNamespace
    >>> thing = SimpleNamespace(page_content="One.", metadata={"source": "a", "start_index": 7})
    >>> raw_chunk(thing)[:4]
    ('One.', ('a',), None, 7)
    """
    if isinstance(thing, str):
        return RawChunk(thing)
    if isinstance(thing, Sequence):
        return _of_pair(thing)
    thing = _as_record(thing)
    if not isinstance(thing, Mapping):
        node = getattr(thing, "node", None)
        chunk = raw_object(thing if node is None or _object_text(node) is None else node, doc_key)
        if chunk.text is None:
            raise FormatError(f"{quoted(thing)}: expected a chunk with its text")
        return chunk
    fields = _record_fields(thing)
    text = _first(fields, (*_TEXTS, _CHUNK))
    if text is not None and not isinstance(text, str):
        raise FormatError(f"the chunk {quoted(dict(thing))}: its text is not a text")
    chunk = raw_object(thing, doc_key)
    spans = _given_spans(fields, text is not None or chunk.text is not None)
    if chunk.text is None or spans:
        chunk = chunk._replace(text=text if chunk.text is None else chunk.text, spans=spans)
    if chunk.text is None and not chunk.spans and not isinstance(fields.get("spans"), list):
        expected = "expected a text, start and end, or spans"
        raise FormatError(f"the chunk {quoted(dict(thing))}: {expected}")
    return chunk


def raw_object(thing: Any, doc_key: str | None = None) -> RawChunk:
    """Return what a record or an object says about its document, its place and its text.

    Any of these may be missing: a retriever may return nothing but an id.

    >>> raw_object({"id": 7, "meta": {"source_id": "terms"}})[:3]
    (None, ('terms',), '7')
    """
    thing = _as_record(thing)
    if isinstance(thing, Mapping):
        fields = _record_fields(thing)
        source = next((name for name in _TEXTS if isinstance(fields.get(name), str)), None)
        text = None if source is None else fields[source]
    else:
        fields, source, text = _object_fields(thing), None, _object_text(thing)
    keys = [name for name in _DOCUMENTS if name != source] if doc_key is None else [doc_key]
    named = [str(fields[key]) for key in keys if key in fields and _is_name(fields[key])]
    page = fields.get("page")
    paged = [] if page is None else [f"{name}#{page}" for name in named]
    costs = (_TOKENS, _ORDERS, _ADDED)
    tokens, order, added = (_whole(_first(fields, names)) for names in costs)
    given, window = fields.get(_READ), _window(text, fields)
    if given is not None and not isinstance(given, str):
        raise FormatError(f"read is {quoted(given)}: expected the text that is read")
    if window is not None:
        text = str(fields["original_text"])
    read = window if given is None else given
    chunk = RawChunk(
        read if text is None else text,
        (*paged, *named),
        _as_text(_first(fields, _IDS)),
        _whole(_first(fields, _STARTS)) if window is None else None,
        _whole(_first(fields, _ENDS)) if window is None else None,
        tokens if type(tokens) is int and tokens >= 0 else None,
        _as_text(_first(fields, _PARENTS)),
        order if type(order) is int else None,
        chunk=_other_id(thing, fields),
        read=None if read == text else read,
        added=added if type(added) is int and added > 0 else 0,
    )
    if "segment" in fields and "docid" in fields:  # MS MARCO: the document, #, and the segment
        segment = str(fields["docid"])
        return chunk._replace(id=segment, documents=(segment.partition("#")[0],))
    if "contents" in fields and fields.get("doc_id") is not None and fields.get("path"):
        return _of_autorag(chunk, fields)
    return chunk


def _as_record(thing: Any) -> Any:
    """Return a hit of Qdrant or Weaviate as a record; anything else as it is."""
    for name in _KEPT:
        kept = getattr(thing, name, None)
        if isinstance(kept, Mapping):
            return {"id": getattr(thing, "id", getattr(thing, "uuid", None)), name: kept}
    return thing


def _record_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record, and those of its metadata and of what a store keeps of it.

    >>> _record_fields({"id": 7, "payload": {"id": "c1", "metadata": {"source": "a"}}})["id"]
    'c1'
    """
    fields = dict[str, Any]()
    for name in _FURTHER:
        if isinstance(further := record.get(name), Mapping):
            fields = {**further, **fields}
    fields |= record
    for name in _KEPT:
        kept = record.get(name)
        if name == "_node_content" and isinstance(kept, str):  # LlamaIndex: a node, as JSON
            try:
                kept = decode_json(kept)
            except ValueError:
                continue
        if isinstance(kept, Mapping):
            inner = {key: value for key, value in _record_fields(kept).items() if value != ""}
            if not inner.keys().isdisjoint(_IDS):
                fields = {key: value for key, value in fields.items() if key not in _IDS}
            fields |= inner
    return fields


def _other_id(thing: Any, fields: Mapping[str, Any]) -> str | None:
    """Return the id that a record has beside its id: `chunk`, or that of the hit of a store."""
    if isinstance(fields.get(_CHUNK), str):
        return str(fields[_CHUNK])
    if isinstance(thing, Mapping) and not thing.keys().isdisjoint(_KEPT):
        return _as_text(_first(thing, _IDS))
    return None


def _object_fields(thing: Any) -> dict[str, Any]:
    """Return the metadata of an object, with its attributes that are in the table."""
    fields = dict(_metadata(thing))
    # Docling: the file that a chunk is from.
    file = getattr(fields.get("origin"), "filename", None)
    if file is not None:
        fields["filename"] = file
    given = {
        name: value
        for name in (*_IDS, *_STARTS, *_ENDS, *_TOKENS, "ref_doc_id")
        if (value := getattr(thing, name, None)) is not None and not callable(value)
    }
    parent = getattr(getattr(thing, "parent_node", None), "node_id", None)
    if parent is not None:
        given["parent"] = parent
    if hasattr(thing, "page_content"):  # LangChain has offsets in its metadata
        return given | fields | {name: given[name] for name in _IDS if name in given}
    return fields | given


def _metadata(thing: Any) -> Mapping[str, Any]:
    """Return what an object says about itself beside its text."""
    for name in ("metadata", "meta"):
        value = getattr(thing, name, None)
        if isinstance(value, Mapping):
            return value
        if value is not None and hasattr(value, "__dict__"):
            return dict(vars(value))
    return {}


def _object_text(thing: Any) -> str | None:
    """Return the text of an object of another library; None if it has none."""
    for name in ("page_content", "text", "content"):
        value = getattr(thing, name, None)
        if isinstance(value, str):
            return value
    get = getattr(thing, "get_content", None)
    value = get() if callable(get) else None
    return value if isinstance(value, str) else None


def _window(text: str | None, metadata: Mapping[str, Any]) -> str | None:
    """Return the window of sentences that is read where a sentence is searched (LlamaIndex).

    Its metadata hold the window and the sentence, which is the text until MetadataReplacement puts
    the window in its place. None if there is no window, or if the text is neither of them any more.

    >>> metadata = {"window": "One. Two. Three.", "original_text": "Two. "}
    >>> _window("Two. ", metadata), _window("Two", metadata), _window("Two. ", {})
    ('One. Two. Three.', None, None)
    """
    window, sentence = metadata.get("window"), metadata.get("original_text")
    if text is None or not isinstance(window, str) or not isinstance(sentence, str):
        return None
    return window if text.split() in (sentence.split(), window.split()) else None


def _of_pair(thing: Sequence[Any]) -> RawChunk:
    """Return a text with its offsets, from (text, (start, end)) or (text, start, end)."""
    if len(thing) in (2, 3) and isinstance(thing[0], str):
        rest = thing[1] if len(thing) == 2 else thing[1:]
        if isinstance(rest, Sequence) and len(rest) == 2 and all(type(at) is int for at in rest):
            return RawChunk(thing[0], start=_whole(rest[0]), end=_whole(rest[1]))
    raise FormatError(f"the chunk {quoted(thing)}: expected a text, or (text, (start, end))")


def _of_autorag(chunk: RawChunk, fields: Mapping[str, Any]) -> RawChunk:
    """Return a row of AutoRAG's corpus, whose doc_id is that of the chunk.

    Its range includes its last character, and is (0, 0) where AutoRAG did not find the chunk; only
    the start is taken, since the text says where the chunk ends.
    """
    name, given = str(fields["doc_id"]), fields.get("start_end_idx")
    is_pair = isinstance(given, Sequence) and len(given) == 2
    if given is not None and not (is_pair and all(type(at) is int for at in given)):
        raise FormatError(f"start_end_idx is {quoted(given)}: expected two whole numbers")
    others = tuple(other for other in chunk.documents if other != name)
    return chunk._replace(
        id=name if chunk.id is None else chunk.id,
        documents=(*others, name),
        start=chunk.start if given is None else _whole(given[0]),
    )


def _given_spans(fields: Mapping[str, Any], has_text: bool) -> tuple[tuple[int, int], ...]:
    """Return the spans that a record of a chunk file has."""
    given = fields.get("spans")
    if given is None and not has_text:
        given = [[fields.get("start"), fields.get("end")]]
    if given is None:
        return ()
    listed = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    pairs = [tuple(pair) if isinstance(pair, Sequence) else () for pair in listed]
    if not all(len(pair) == 2 and all(type(at) is int for at in pair) for pair in pairs):
        raise FormatError(f"the ranges {quoted(given)}: expected pairs of whole numbers")
    if any(not 0 <= start <= end < TOO_LONG for start, end in pairs):
        expected = "expected a start of 0 or more, and an end that is not before it"
        raise FormatError(f"the ranges {quoted(given)}: {expected}")
    return tuple((start, end) for start, end in pairs)


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> Any:
    for name in names:
        value = fields.get(name)
        if value is not None:
            return value
    return None


def _is_name(value: Any) -> bool:
    """Return whether a value names a document: a text or a number, and not an object."""
    kind = type(value)
    if kind is str:
        return bool(value)
    return kind is int or (value is not None and isinstance(value, str | os.PathLike))


def _as_text(value: Any) -> str | None:
    return None if value is None else str(value)


def _whole(value: Any) -> Any:
    """Return a whole number where CSV has its digits; anything else as it is.

    A number that no text has as many characters as is none.
    """
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
        value = int(value)
    return None if isinstance(value, int) and abs(value) >= TOO_LONG else value


# Documents


def foreign_documents(things: Sequence[Any]) -> Iterable[tuple[str, str]]:
    """Return the ids and texts of documents that another library has loaded.

    LangChain's have no id as a rule: then the source in their metadata is the id, with the page
    after it if several are of one source.

    >>> from types import SimpleNamespace
    >>> page = SimpleNamespace(page_content="One.", metadata={"source": "faq.pdf", "page": 0})
    >>> foreign_documents([page])
    [('faq.pdf', 'One.')]
    """
    texts = [_object_text(thing) for thing in things]
    if None in texts:
        wrong = things[texts.index(None)]
        raise FormatError(f"{quoted(wrong)}: expected a document with its text")
    names = [_document_name(thing) for thing in things]
    if None in names:
        wrong = things[names.index(None)]
        raise FormatError(f"{quoted(wrong)}: expected an id, or a source in its metadata")
    times = Counter(names)
    ids = [
        name if times[name] == 1 else f"{name}#{_metadata(thing).get('page', '')}".rstrip("#")
        for name, thing in zip(names, things, strict=True)
    ]
    return [(str(name), text or "") for name, text in zip(ids, texts, strict=True)]


def _document_name(thing: Any) -> str | None:
    metadata = _metadata(thing)
    given = [getattr(thing, name, None) for name in ("id_", "doc_id", "id")]
    if hasattr(thing, "page_content"):  # LangChain, whose ids are those of a vector store
        given = [metadata.get("source"), *(metadata.get(name) for name in _DOCUMENTS), *given]
    return next((str(name) for name in given if name not in (None, "")), None)


def documents_in(loaded: Loaded) -> Iterable[tuple[str, str] | tuple[str, str, object]]:
    """Return the ids and texts of the documents that a file or table holds, some with their pages.

    It may hold them together with questions, have a record for each, or texts by id.

    >>> list(documents_in(Loaded([{"_id": "a", "title": "Tea", "text": "It is hot."}])))
    [('a', 'Tea\\nIt is hot.', None)]
    """
    read = document_format(loaded.value)
    if read is not None:
        return read(loaded)
    if isinstance(loaded.value, Mapping):
        if not all(isinstance(text, str) for text in loaded.value.values()):
            raise loaded.wrong("expected records with an id and a text, or texts by id")
        return list(loaded.value.items())
    return (_document(loaded, row, record) for row, record in enumerate(loaded.records()))


def _document(loaded: Loaded, row: int, record: Mapping[str, Any]) -> tuple[str, str, object]:
    text_name = next((name for name in _TEXTS if record.get(name) not in (None, "")), None)
    ids = [name for name in (*_IDS, *_DOCUMENTS, "title") if name != text_name]
    document, text = _filled(record, ids), _filled(record, _TEXTS)
    if document is None or not isinstance(text, str):
        raise loaded.wrong(
            f"fields {quoted(sorted(map(str, record)))}: expected an id ({', '.join(ids)}) and a "
            f"text ({', '.join(_TEXTS)})",
            row,
        )
    page = record.get("page")  # of a file that AutoRAG parsed; -1 is the whole file
    is_page = "texts" in record and type(page) is int and page >= 0
    name = f"{document}#{page}" if is_page else str(document)
    return name, _as_indexed(record, text), record.get("pages")


def _filled(record: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the first field that is not empty, else an empty one if there is any."""
    values = [record[name] for name in names if record.get(name) is not None]
    return next((value for value in values if value != ""), "" if values else None)


def _as_indexed(record: Mapping[str, Any], text: str) -> str:
    """Return the text that is searched: BEIR adds the title, MS MARCO strips white space."""
    title = record.get("title")
    if "_id" in record and isinstance(title, str) and title.strip():
        return f"{title}\n{text}"
    return text.strip() if "docid" in record and "body" in record else text


# Chunks


def raw_chunks(source: Any, doc_key: str | None = None) -> list[RawChunk]:
    """Return all chunks of a source, in its order.

    source: a list of chunks; lists of chunks by document; what a collection of Chroma returns; a
    data frame; or a file of JSONL, JSON, CSV or Parquet with a record for each.

    >>> [chunk.documents for chunk in raw_chunks({"a": ["One.", "Two."], "b": ["Three."]})]
    [('a',), ('a',), ('b',)]
    """
    if isinstance(source, str | os.PathLike):
        return _of_loaded(load(source), doc_key)
    if is_frame(source):
        return _of_loaded(Loaded(frame_records(source)), doc_key)
    if isinstance(source, Mapping):
        return _of_mapping(source, doc_key)
    if isinstance(source, Iterable):
        return list(_of_items(list(source), doc_key))
    raise FormatError(f"{quoted(source)}: expected chunks, chunks by document, or a file of them")


def _of_loaded(loaded: Loaded, doc_key: str | None) -> list[RawChunk]:
    if isinstance(loaded.value, Mapping):
        try:
            return _of_mapping(loaded.value, doc_key)
        except FormatError as error:
            raise loaded.wrong(error.message) from None
    chunks = []
    for number, record in enumerate(loaded.value if isinstance(loaded.value, list) else []):
        try:
            chunks.append(raw_chunk(record, doc_key))
        except FormatError as error:
            raise loaded.wrong(error.message, number) from None
    if not chunks:
        raise loaded.wrong("there are no chunks in it")
    return chunks


def _of_items(items: list[Any], doc_key: str | None) -> Iterator[RawChunk]:
    for item in items:
        if isinstance(item, list) and not _is_pair(item):  # a list of chunks for each document
            yield from (raw_chunk(chunk, doc_key) for chunk in item)
        else:
            yield raw_chunk(item, doc_key)


def _is_pair(item: list[Any]) -> bool:
    return len(item) in (2, 3) and isinstance(item[0], str) and not isinstance(item[1], str)


def _of_mapping(source: Mapping[Any, Any], doc_key: str | None) -> list[RawChunk]:
    if _is_of_chroma(source):
        rows = (record for records in _chroma_records(source) for record in records)
        return [raw_chunk(record, doc_key) for record in rows]
    return [
        RawChunk(chunk, (str(document),))
        if isinstance(chunk, str)
        else chunk._replace(documents=(str(document),))
        for document, chunks in source.items()
        for chunk in _of_document(document, chunks, doc_key)
    ]


def _of_document(document: Any, given: Any, doc_key: str | None) -> Iterator[RawChunk | str]:
    """Return the chunks of a document, in any form that splitters return; texts as they are."""
    if isinstance(given, Mapping) and isinstance(given.get("splits"), Sequence):  # HiCBench
        yield from _with_levels(str(document), given["splits"])
    elif isinstance(given, tuple) and len(given) == 2 and _are_offsets(given[1]):  # semchunk
        texts, offsets = given
        if len(texts) != len(offsets):
            counts = f"{len(texts):,} texts, {len(offsets):,} pairs of offsets"
            raise FormatError(f"document {quoted(document)}: {counts}")
        for text, pair in zip(texts, offsets, strict=True):
            yield raw_chunk((text, tuple(pair)))
    elif isinstance(given, Iterable) and not isinstance(given, str | Mapping):
        for chunk in given:
            yield chunk if isinstance(chunk, str) else raw_chunk(chunk, doc_key)
    else:
        raise FormatError(
            f"document {quoted(document)} has {quoted(given)}: expected a list of chunks"
        )


def _are_offsets(value: Any) -> bool:
    return isinstance(value, Sequence) and all(
        isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
        for pair in value
    )


def _with_levels(document: str, splits: Sequence[Any]) -> Iterator[RawChunk]:
    """Return the splits of HiCBench: a tree in the order of the text, by the levels of splits."""
    above: list[tuple[int, str]] = []
    for number, split in enumerate(splits, 1):
        if not isinstance(split, Sequence) or len(split) != 2 or not isinstance(split[0], str):
            raise FormatError(
                f"document {quoted(document)}: {quoted(split)}: expected [text, level]"
            )
        level = split[1] if type(split[1]) is int else 0
        while above and above[-1][0] >= level:
            above.pop()
        name = f"{document}#{number}"
        # The splits tile the document, so a parent is known by its number, not by its place.
        yield RawChunk(split[0], id=name, parent=above[-1][1] if above else None, order=number)
        above.append((level, name))


def _is_of_chroma(source: Mapping[Any, Any]) -> bool:
    return isinstance(source.get("ids"), Sequence) and "metadatas" in source


def _chroma_records(source: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """Return a record for each chunk that Chroma returns as columns, in a list for each query."""
    columns = {name: source.get(name) for name in ("ids", "documents", "metadatas", "distances")}
    ids = columns["ids"] or []
    if not (ids and isinstance(ids[0], list)):
        columns = {name: None if column is None else [column] for name, column in columns.items()}
    queries = []
    for number, names in enumerate(columns.pop("ids") or []):
        parts = {}
        for name, column in columns.items():
            part = column[number] if column and number < len(column) else [None] * len(names)
            if not isinstance(part, Sequence) or len(part) != len(names):
                raise FormatError(f"{name} is {quoted(part)}: expected one for each of ids")
            parts[name] = part
        rows = zip(names, *parts.values(), strict=True)
        queries.append([_chroma_record(*row) for row in rows])
    return queries


def _chroma_record(name: Any, text: Any, metadata: Any, distance: Any) -> dict[str, Any]:
    fields = {**metadata} if isinstance(metadata, Mapping) else {}
    given = {"text": text, "distance": distance}
    own = {"id": str(name)} | {key: value for key, value in given.items() if value is not None}
    return fields | own


# Results


def results_of_query(answer: Any) -> list[Any]:
    """Return the results of one query, in whatever a retriever or a store wraps them.

    Those of a store without scores of their own are pairs of an item and a score. Numbers are those
    of FAISS: of chunks, in their order.

    >>> results_of_query({"ids": [["c1"]], "metadatas": None, "distances": [[0.5]]})
    [{'id': 'c1', 'distance': 0.5}]
    >>> results_of_query(([0.9, 0.4, -1.0], [7, 2, -1]))
    [(7, 0.9), (2, 0.4)]
    >>> results_of_query({"bm25_retriever": {"documents": ["One."]}})
    ['One.']
    """
    if answer is None:
        return []
    if isinstance(answer, Mapping):
        if _is_of_chroma(answer):
            return _only_query(_chroma_records(answer))
        for name in _WRAPPERS:
            if name in answer:
                return results_of_query(answer[name])
        if len(answer) == 1:  # the one component of a pipeline (Haystack), GraphQL (Weaviate)
            (inner,) = answer.values()
            if isinstance(inner, Mapping | list):
                return results_of_query(inner)
        raise FormatError(f"expected a list of results, or one in {join_names(_WRAPPERS)}")
    for name in _WRAPPERS:
        if isinstance(wrapped := getattr(answer, name, None), list):
            return wrapped
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        raise FormatError("expected a list of results")
    return _of_faiss(answer) or list(answer)


# In what Haystack, Qdrant, Weaviate and LlamaIndex wrap results; the windows of Haystack's
# SentenceWindowRetriever are read, and its documents are their parts.
_WRAPPERS = ("context_windows", "documents", "points", "result", "objects", "source_nodes")


def _only_query(queries: Sequence[list[Any]]) -> list[Any]:
    if len(queries) > 1:
        raise FormatError(f"results of {len(queries):,} queries: expected those of one")
    return queries[0] if queries else []


def _of_faiss(answer: Any) -> list[Any] | None:
    """Return chunk numbers and scores of (scores, numbers), as FAISS returns them, else None.

    The first is the best: distances, which grow, count as negative scores. -1 stands for none.
    """
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        return None
    scores, numbers = (np.asarray(part) if _is_array(part) else None for part in answer)
    if scores is None or numbers is None or scores.shape != numbers.shape:
        return None
    if scores.dtype.kind != "f" or numbers.dtype.kind != "i":
        return None
    if numbers.ndim == 2:
        scores, numbers = (np.asarray(_only_query(list(part))) for part in (scores, numbers))
    is_one = numbers >= 0
    scores, numbers = scores[is_one].astype(np.float64), numbers[is_one]
    sign = -1.0 if len(scores) > 1 and scores[0] < scores[-1] else 1.0
    return list(zip(numbers.tolist(), (sign * scores).tolist(), strict=True))


def _is_array(part: Any) -> bool:
    """Return whether something is an array, or a list of numbers or of such lists."""
    if isinstance(part, np.ndarray):
        return True
    return (
        isinstance(part, list)
        and len(part) > 0
        and all(type(value) in (int, float) or _is_array(value) for value in part)
    )


def score_of(result: Any) -> float | None:
    """Return the score of a result; of one that has but a distance, the negative distance.

    >>> score_of({"text": "One.", "score": 2}), score_of({"_additional": {"distance": 0.25}})
    (2.0, -0.25)
    """
    for place in (result, _part(result, "metadata"), _part(result, "_additional")):
        for name in ("score", "certainty", "distance"):
            value = _part(place, name)
            if isinstance(value, str) and name == "score":  # Weaviate's GraphQL
                value = _number(value)
            if is_number(value):
                return -float(value) if name == "distance" else float(value)
    return None


def _part(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def is_number(value: Any) -> bool:
    """Return whether something is a number, and no truth value.

    >>> is_number(0.5), is_number(np.float32(1)), is_number(True)
    (True, True, False)
    """
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
