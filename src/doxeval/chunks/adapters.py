"""Documents and chunks of other libraries, from their objects, records, tables and files.

Nothing of these libraries is imported: an object is known by its attributes, a record by its
fields.

    LangChain     page_content, metadata (source, start_index), id
    LlamaIndex    text, start_char_idx, end_char_idx, ref_doc_id, node_id, parent_node; of sentence
                  windows the window, whose offsets are not known
    Haystack      content, meta (source_id, split_id, split_idx_start, __parent_id), id
    Chonkie       text, start_index, end_index, token_count, id
    AutoRAG       contents, doc_id (of the chunk), path (of its document), start_end_idx
    Docling, Unstructured    text; their offsets do not count the characters of the document
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from doxeval.chunks.formats import document_format
from doxeval.chunks.records import Loaded, frame_records, is_frame, load
from doxeval.errors import FormatError
from doxeval.messages import quoted
from doxeval.spans import TOO_LONG


def metadata_of(thing: Any) -> Mapping[str, Any]:
    """What an object says about itself beside its text."""
    for name in ("metadata", "meta"):
        found = getattr(thing, name, None)
        if isinstance(found, Mapping):
            return found
        if found is not None and hasattr(found, "__dict__"):
            return dict(vars(found))
    return {}


def text_of(thing: Any) -> str | None:
    """The text of an object of another library; None if it has none."""
    for name in ("page_content", "text", "content"):
        found = getattr(thing, name, None)
        if isinstance(found, str):
            return found
    get = getattr(thing, "get_content", None)
    if callable(get):
        found = get()
        return found if isinstance(found, str) else None
    return None


def window_of(text: str | None, metadata: Mapping[str, Any]) -> str | None:
    """The window of sentences that is read instead of a sentence, as LlamaIndex has it.

    Its metadata hold the window and the sentence, which is the text until MetadataReplacement puts
    the window in its place. None if there is no window, or if the text is neither of them any more.

    >>> metadata = {"window": "One. Two. Three.", "original_text": "Two. "}
    >>> window_of("Two. ", metadata), window_of("Two", metadata), window_of("Two. ", {})
    ('One. Two. Three.', None, None)
    """
    window, sentence = metadata.get("window"), metadata.get("original_text")
    if text is None or not isinstance(window, str) or not isinstance(sentence, str):
        return None
    return window if text.split() in (sentence.split(), window.split()) else None


def foreign_documents(things: Sequence[Any]) -> Iterable[tuple[str, str]]:
    """The ids and texts of documents that another library has loaded.

    LangChain's have no id of their own as a rule: then the source in their metadata is the id, with
    the page after it if several are of one source.

    >>> from types import SimpleNamespace
    >>> page = SimpleNamespace(page_content="One.", metadata={"source": "faq.pdf", "page": 0})
    >>> foreign_documents([page])
    [('faq.pdf', 'One.')]
    """
    texts = [text_of(thing) for thing in things]
    if None in texts:
        wrong = things[texts.index(None)]
        raise FormatError(f"{quoted(wrong)}: expected a document with its text")
    names = [_name(thing) for thing in things]
    if None in names:
        wrong = things[names.index(None)]
        raise FormatError(f"{quoted(wrong)}: expected an id, or a source in its metadata")
    times = Counter(names)
    ids = [
        name if times[name] == 1 else f"{name}#{metadata_of(thing).get('page', '')}".rstrip("#")
        for name, thing in zip(names, things, strict=True)
    ]
    return [(str(name), text or "") for name, text in zip(ids, texts, strict=True)]


def _name(thing: Any) -> str | None:
    metadata = metadata_of(thing)
    if hasattr(thing, "page_content"):  # LangChain, whose ids are those of a vector store
        found = metadata.get("source") or getattr(thing, "id", None)
    else:
        found = (
            getattr(thing, "id_", None)
            or getattr(thing, "doc_id", None)
            or getattr(thing, "id", None)
        )
    return None if found in (None, "") else str(found)


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


# Where metadata name the document, the more particular names first.
DOCUMENT_KEYS = (
    "doc",
    "doc_id",
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
    "url",
)
_TEXTS = ("text", "page_content", "content", "contents", "segment", "document", "chunk")
_IDS = ("id", "_id", "chunk_id", "node_id", "id_")
_STARTS = ("start", "start_index", "start_char_idx", "split_idx_start", "start_char")
_ENDS = ("end", "end_index", "end_char_idx", "end_char")
_PARENTS = ("parent", "parent_id", "__parent_id")
_TOKENS = ("tokens", "token_count")
_ORDERS = ("order", "split_id")
# All names that a field of ours may have elsewhere.
OTHER_NAMES = frozenset(
    (*DOCUMENT_KEYS, *_TEXTS, *_IDS, *_STARTS, *_ENDS, *_PARENTS, *_TOKENS, *_ORDERS)
) | {"meta", "page", "start_end_idx"}


class RawChunk(NamedTuple):
    """A chunk as it came.

    documents: what may name its document, in the order in which names are tried. start, end: its
    own offsets, to be checked. order: its number within the document, if it has one. spans: ranges
    that a chunk file states, which need no text.
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


def raw_chunk(thing: Any, doc_key: str | None = None) -> RawChunk:
    """A chunk from a text, a pair of text and offsets, a record, or an object of another library.

    >>> from types import SimpleNamespace
    >>> raw_chunk(SimpleNamespace(page_content="One.", metadata={"source": "a", "start_index": 7}))
    RawChunk(text='One.', documents=('a',), id=None, start=7, end=None, tokens=None, parent=None, \
order=None, spans=())
    """
    if isinstance(thing, str):
        return RawChunk(thing)
    if isinstance(thing, Mapping):
        return _of_record(thing, doc_key)
    if isinstance(thing, Sequence):
        return _of_pair(thing)
    node = getattr(thing, "node", None)
    return _of_object(thing if node is None or text_of(node) is None else node, doc_key)


def _of_pair(thing: Sequence[Any]) -> RawChunk:
    """A text with its offsets, as (text, (start, end)) or (text, start, end)."""
    if len(thing) in (2, 3) and isinstance(thing[0], str):
        rest = thing[1] if len(thing) == 2 else thing[1:]
        if isinstance(rest, Sequence) and len(rest) == 2 and all(type(one) is int for one in rest):
            return RawChunk(thing[0], start=_whole(rest[0]), end=_whole(rest[1]))
    raise FormatError(f"the chunk {quoted(thing)}: expected a text, or (text, (start, end))")


def _of_record(record: Mapping[str, Any], doc_key: str | None) -> RawChunk:
    metadata = record.get("metadata", record.get("meta"))
    fields = {**(metadata if isinstance(metadata, Mapping) else {}), **record}
    text = _first(fields, _TEXTS)
    if text is not None and not isinstance(text, str):
        raise FormatError(f"the chunk {quoted(dict(record))}: its text is not a text")
    chunk = _made(fields, text, doc_key)._replace(spans=_stated_spans(fields))
    if "segment" in fields and "docid" in fields:  # MS MARCO: the document, #, and the segment
        segment = str(fields["docid"])
        return chunk._replace(id=segment, documents=(segment.partition("#")[0],))
    if "contents" in fields and fields.get("doc_id") is not None and fields.get("path"):
        chunk = _of_autorag(chunk, fields)
    if text is None and not chunk.spans and not isinstance(fields.get("spans"), list):
        raise FormatError(
            f"the chunk {quoted(dict(record))}: expected a text, start and end, or spans"
        )
    return chunk


def _of_autorag(chunk: RawChunk, fields: Mapping[str, Any]) -> RawChunk:
    """A row of AutoRAG's corpus, whose doc_id is that of the chunk.

    Its range includes its last character, and is (0, 0) where AutoRAG did not find the chunk; only
    the start is taken, since the text says where the chunk ends.
    """
    name, given = str(fields["doc_id"]), fields.get("start_end_idx")
    is_pair = isinstance(given, Sequence) and len(given) == 2
    if given is not None and not (is_pair and all(type(one) is int for one in given)):
        raise FormatError(f"start_end_idx is {quoted(given)}: expected two whole numbers")
    others = tuple(one for one in chunk.documents if one != name)
    return chunk._replace(
        id=name if chunk.id is None else chunk.id,
        documents=(*others, name),
        start=chunk.start if given is None else _whole(given[0]),
    )


def _stated_spans(fields: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """The ranges that a record of a chunk file states."""
    given = fields.get("spans")
    if given is None and _first(fields, _TEXTS) is None:
        given = [[fields.get("start"), fields.get("end")]]
    if given is None:
        return ()
    listed = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    pairs = [tuple(one) if isinstance(one, Sequence) else () for one in listed]
    if not all(len(one) == 2 and all(type(number) is int for number in one) for one in pairs):
        raise FormatError(f"the ranges {quoted(given)}: expected pairs of whole numbers")
    if any(not 0 <= start <= end < TOO_LONG for start, end in pairs):
        expected = "expected a start of 0 or more, and an end that is not before it"
        raise FormatError(f"the ranges {quoted(given)}: {expected}")
    return tuple((start, end) for start, end in pairs)


def _of_object(thing: Any, doc_key: str | None) -> RawChunk:
    text = text_of(thing)
    if text is None:
        raise FormatError(f"{quoted(thing)}: expected a chunk with its text")
    names = {*_IDS, *_STARTS, *_ENDS, *_TOKENS, "ref_doc_id"} - {"start", "end", "tokens"}
    own = {name: getattr(thing, name, None) for name in sorted(names)}
    metadata = dict(metadata_of(thing))
    # Docling: the file that a chunk is from.
    file = getattr(metadata.get("origin"), "filename", None)
    if file is not None:
        metadata["filename"] = file
    fields = metadata | {name: value for name, value in own.items() if value is not None}
    if hasattr(thing, "page_content"):  # its start is in the metadata
        fields |= {name: metadata[name] for name in (*_STARTS, *_ENDS) if name in metadata}
    parent = getattr(getattr(thing, "parent_node", None), "node_id", None)
    chunk = _made(fields, text, doc_key)
    return chunk if parent is None else chunk._replace(parent=str(parent))


def _made(fields: Mapping[str, Any], text: str | None, doc_key: str | None) -> RawChunk:
    keys = DOCUMENT_KEYS if doc_key is None else (doc_key,)
    named = [fields[key] for key in keys if fields.get(key) not in (None, "")]
    page = fields.get("page")
    paged = [] if page is None else [f"{name}#{page}" for name in named]
    tokens, order = (_whole(_first(fields, names)) for names in (_TOKENS, _ORDERS))
    parent, own = _first(fields, _PARENTS), _first(fields, _IDS)
    window = window_of(text, fields)
    return RawChunk(
        text if window is None else window,
        tuple(str(name) for name in paged + named),
        None if own is None else str(own),
        _whole(_first(fields, _STARTS)) if window is None else None,
        _whole(_first(fields, _ENDS)) if window is None else None,
        tokens if type(tokens) is int and tokens >= 0 else None,
        None if parent is None else str(parent),
        order if type(order) is int else None,
    )


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _whole(value: Any) -> Any:
    """A whole number where CSV has its digits; anything else as it is.

    A number that no text has as many characters as is none.
    """
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
        value = int(value)
    return None if isinstance(value, int) and abs(value) >= TOO_LONG else value


def raw_chunks(source: Any, doc_key: str | None = None) -> list[RawChunk]:
    """All chunks of a source, in its order.

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
            yield from (raw_chunk(one, doc_key) for one in item)
        else:
            yield raw_chunk(item, doc_key)


def _is_pair(item: list[Any]) -> bool:
    return len(item) in (2, 3) and isinstance(item[0], str) and not isinstance(item[1], str)


def _of_mapping(source: Mapping[Any, Any], doc_key: str | None) -> list[RawChunk]:
    if isinstance(source.get("documents"), Sequence) and "metadatas" in source:
        return _of_store(source, doc_key)
    return [
        RawChunk(chunk, (str(document),))
        if isinstance(chunk, str)
        else chunk._replace(documents=(str(document),))
        for document, own in source.items()
        for chunk in _of_document(document, own, doc_key)
    ]


def _of_document(document: Any, own: Any, doc_key: str | None) -> Iterator[RawChunk | str]:
    """The chunks of one document, in any of the forms that splitters return; texts as they are."""
    if isinstance(own, Mapping) and isinstance(own.get("splits"), Sequence):  # HiCBench
        yield from _with_levels(str(document), own["splits"])
    elif isinstance(own, tuple) and len(own) == 2 and _are_offsets(own[1]):  # semchunk
        texts, offsets = own
        if len(texts) != len(offsets):
            counts = f"{len(texts):,} texts, {len(offsets):,} pairs of offsets"
            raise FormatError(f"document {quoted(document)}: {counts}")
        for text, pair in zip(texts, offsets, strict=True):
            yield raw_chunk((text, tuple(pair)))
    elif isinstance(own, Iterable) and not isinstance(own, str | Mapping):
        yield from (one if isinstance(one, str) else raw_chunk(one, doc_key) for one in own)
    else:
        raise FormatError(
            f"document {quoted(document)} has {quoted(own)}: expected a list of chunks"
        )


def _are_offsets(value: Any) -> bool:
    return isinstance(value, Sequence) and all(
        isinstance(one, Sequence) and not isinstance(one, str) and len(one) == 2 for one in value
    )


def _with_levels(document: str, splits: Sequence[Any]) -> Iterator[RawChunk]:
    """The splits of HiCBench: a tree in the order of the text, by the level of each split."""
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
        # The splits tile the document, so what is above one is told apart from its place in it.
        yield RawChunk(split[0], id=name, parent=above[-1][1] if above else None, order=number)
        above.append((level, name))


def _of_store(source: Mapping[str, Any], doc_key: str | None) -> list[RawChunk]:
    """What a collection of Chroma returns: ids, texts and metadata as columns, nested or not."""
    columns = [source.get(name) or [] for name in ("ids", "documents", "metadatas")]
    if columns[1] and isinstance(columns[1][0], list):  # of several queries
        columns = [_together(column) for column in columns]
    ids, texts, metadata = columns
    for name, column in (("ids", ids), ("metadatas", metadata)):
        if not isinstance(column, Sequence) or (column and len(column) != len(texts)):
            raise FormatError(f"{name} is {quoted(column)}: expected one for each of documents")
    chunks = []
    for number, text in enumerate(texts):
        own = metadata[number] if metadata else None
        fields = {**(own if isinstance(own, Mapping) else {}), "text": text}
        chunk = raw_chunk(fields, doc_key)
        chunks.append(chunk._replace(id=str(ids[number])) if ids else chunk)
    return chunks


def _together(rows: Any) -> list[Any]:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise FormatError(f"{quoted(rows)}: expected a list for each query")
    return [one for row in rows for one in row]
