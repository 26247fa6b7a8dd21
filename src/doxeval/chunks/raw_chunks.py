"""Chunks as they come from splitters, stores and files, before they are located.

Nothing of other libraries is imported: an object is known by its attributes, a record by its
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

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from doxeval.chunks.foreign import metadata_of, text_of, window_of
from doxeval.errors import FormatError
from doxeval.messages import quoted
from doxeval.spans import TOO_LONG

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
