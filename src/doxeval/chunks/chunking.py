"""Documents split into chunks: by a built-in chunking, or by anything that splits texts.

recursive:800:0    at most 800 characters, split at paragraphs, lines, words or anywhere
words:200:50       200 words, 50 of them shared with the chunk before
sentences:5:1      5 sentences, 1 of them shared with the chunk before
paragraphs         between blank lines
sections           from heading to heading, or the sections of XML
my.py:split        the function `split` of the file my.py

The spans of built-in chunkings are exact by construction; no chunk begins or ends with white space,
and none is empty. Splitters of other libraries are known by their methods, and what they return is
located; none of these libraries is imported:

split_text(text)                      LangChain; LlamaIndex
chunk(text)                           Chonkie
get_nodes_from_documents([document])  LlamaIndex
run(documents=[document])             Haystack
a call with the text                  semchunk, and functions of users
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints, OffsetBits
from doxeval.chunks.boundaries import LINE_END, Boundaries, TextStructure
from doxeval.chunks.chunks import Chunks
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.errors import DoxevalError, InputError, warn
from doxeval.messages import escape, plural, quoted, suggestion
from doxeval.named import attribute_of_file, checked, name_in_file
from doxeval.runs import SpanLists

USUAL = (
    "recursive:800:0", "recursive:800:400", "words:100:0", "words:200:50", "sentences:1:0",
    "sentences:5:1", "paragraphs",
)  # fmt: skip
# What a recursive chunking separates by, in turn: paragraphs, lines, words, then characters.
_SEPARATORS = (re.compile(f"{LINE_END}{{2,}}"), re.compile(LINE_END), re.compile(r"\s+"))


@checked
def split(docs: Any, by: Any = "recursive:800:0") -> Chunks:
    """Split documents into chunks, whose spans are exact.

    `by` is a built-in chunking ("recursive:800:0" in characters, "words:200:50", "sentences:5:1",
    "paragraphs", "sections"), a function of a file ("my.py:split"), a function from a text to
    texts or (start, end), or a splitter of LangChain, LlamaIndex, Haystack, Chonkie or semchunk.
    What these return is located in the documents. Sections are those of the headings of Markdown
    and HTML, and the elements of XML that are called section, sec, chapter and the like.

    >>> split({"a": "One two three. Four."}, "words:3:0").texts
    ('One two three', '. Four.')
    >>> split({"a": "One two three. Four."}, lambda text: text.split(" ")).texts
    ('One', 'two', 'three.', 'Four.')
    """
    if isinstance(by, Chunks):
        return by
    texts = documents(docs)
    chunks = split_by(Boundaries(texts), by)
    chunks = replace(chunks, warnings=(*warnings_about(texts, docs), *chunks.warnings))
    warn(chunks.warnings)
    return chunks


def split_by(boundaries: Boundaries, by: Any) -> Chunks:
    """Split documents whose boundaries are worked out once for several chunkings."""
    docs = boundaries.docs
    if isinstance(by, Chunks):
        return by
    if isinstance(by, str) and (function := name_in_file(by)) is not None:
        by = attribute_of_file(function)
    if not isinstance(by, str):
        return _split_by_splitter(docs, by)
    spans_of = chunking_named(by)
    names: list[str] = []
    starts: list[Ints] = [np.zeros(0, dtype=np.int64)]
    ends: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for name in docs:
        start, end = spans_of(boundaries.of(name))
        names += [name] * len(start)
        starts.append(start)
        ends.append(end)
    spans = SpanLists(np.arange(len(names) + 1), np.concatenate(starts), np.concatenate(ends))
    chunks = Chunks.of(docs, names, spans)
    if by.strip() != "sections":
        return chunks
    without = sum(not boundaries.of(name).outline for name in docs)
    if not without:
        return chunks
    whole = "each is one chunk" if without == len(docs) else "each of these is one chunk"
    warning = (
        f"{without:,} of {plural(len(docs), 'document')} without headings or sections: {whole}"
    )
    return replace(chunks, warnings=(warning,))


def usual_chunkings(boundaries: Boundaries) -> list[str]:
    """Return the chunkings to compare if none are named; sections too where there are some."""
    has_sections = any(len(boundaries.of(name).outline) > 1 for name in boundaries.names)
    return [*USUAL, *(["sections"] if has_sections else [])]


# Built-in chunkings


class ChunkSpans(NamedTuple):
    """The chunks of a text in order: start and end of each, half-open."""

    start: Ints
    end: Ints


def by_words(structure: TextStructure, size: int, overlap: int = 0) -> ChunkSpans:
    """Return chunks of `size` words, each with the last `overlap` words of the one before.

    >>> spans = by_words(TextStructure("one two three four five"), 3, 1)
    >>> list(zip(spans.start.tolist(), spans.end.tolist()))
    [(0, 13), (8, 23)]
    """
    return _windows(structure, structure.words, size, overlap)


def by_sentences(structure: TextStructure, size: int, overlap: int = 0) -> ChunkSpans:
    """Return chunks of `size` sentences, each with the last `overlap` of the one before.

    >>> spans = by_sentences(TextStructure("One. Two. Three."), 2, 1)
    >>> list(zip(spans.start.tolist(), spans.end.tolist()))
    [(0, 9), (5, 16)]
    """
    sentences = OffsetBits.of(structure.sentences, len(structure.text))
    return _windows(structure, sentences, size, overlap)


def by_paragraphs(structure: TextStructure) -> ChunkSpans:
    """Return each paragraph by itself."""
    return _until_next(structure, structure.paragraphs)


def by_sections(structure: TextStructure) -> ChunkSpans:
    """Return each section by itself, up to the next heading of whatever level.

    >>> spans = by_sections(TextStructure("# A\\n\\nOne.\\n\\n## B\\n\\nTwo.\\n"))
    >>> list(zip(spans.start.tolist(), spans.end.tolist()))
    [(0, 9), (11, 21)]
    """
    return _until_next(structure, structure.sections())


def recursively(structure: TextStructure, size: int, overlap: int = 0) -> ChunkSpans:
    """Return chunks of at most `size` characters, split at paragraphs if these are small enough.

    Else they are split at lines, at words, or anywhere. Neighbouring parts are put together as long
    as they fit. Each chunk begins with as many parts of the one before as `overlap` characters
    allow.

    >>> spans = recursively(TextStructure("One two.\\n\\nThree four five six."), 12)
    >>> list(zip(spans.start.tolist(), spans.end.tolist()))
    [(0, 8), (10, 20), (21, 30)]
    """
    text = structure.text
    spans = []
    for start, end in _recursive(text, 0, len(text), 0, size, overlap):
        chunk = text[start:end]
        if stripped := chunk.strip():
            start += len(chunk) - len(chunk.lstrip())
            spans.append((start, start + len(stripped)))
    return ChunkSpans(*np.array(spans, dtype=np.int64).reshape(-1, 2).T)


def _recursive(
    text: str, start: int, end: int, level: int, size: int, overlap: int
) -> Iterator[tuple[int, int]]:
    if level == len(_SEPARATORS):
        yield from _anywhere(start, end, size, overlap)
        return
    fitting: list[tuple[int, int]] = []
    for low, high in _parts(text, start, end, level):
        if high - low <= size:
            fitting.append((low, high))
            continue
        yield from _joined(fitting, size, overlap)
        fitting = []
        yield from _recursive(text, low, high, level + 1, size, overlap)
    yield from _joined(fitting, size, overlap)


def _parts(text: str, start: int, end: int, level: int) -> Iterator[tuple[int, int]]:
    """Yield the text between separators."""
    at = start
    for separator in _SEPARATORS[level].finditer(text, start, end):
        if separator.start() > at:
            yield at, separator.start()
        at = separator.end()
    if at < end:
        yield at, end


def _joined(parts: list[tuple[int, int]], size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield neighbouring parts together, as long as they fit."""
    first = 0
    for number in range(1, len(parts) + 1):
        last = parts[number - 1][1]
        if number < len(parts) and parts[number][1] - parts[first][0] <= size:
            continue
        yield parts[first][0], last
        if number == len(parts):
            return
        reach = parts[number][1]
        while first < number and (
            last - parts[first][0] > overlap or reach - parts[first][0] > size
        ):
            first += 1


def _anywhere(start: int, end: int, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    while start < end:
        yield start, min(start + size, end)
        if start + size >= end:
            return
        start += size - overlap


def _until_next(structure: TextStructure, starts: Ints) -> ChunkSpans:
    """Return the text from each start to the next."""
    return _without_space(structure, starts, np.append(starts[1:], len(structure.text)))


def _without_space(structure: TextStructure, start: Ints, after: Ints) -> ChunkSpans:
    """Return spans without the white space at their ends."""
    non_space = structure.non_space
    return ChunkSpans(start, non_space.at(non_space.before(after[: len(start)]) - 1) + 1)


def _windows(structure: TextStructure, starts: OffsetBits, size: int, overlap: int) -> ChunkSpans:
    """Return the text of `size` units at a time, at the end fewer if there are no more."""
    count = len(starts)
    first = np.arange(0, max(count - overlap, 1) if count else 0, size - overlap)
    is_last = first + size >= count
    after = np.where(is_last, len(structure.text), starts.at(first + size))
    return _without_space(structure, starts.at(first), after)


class _BuiltIn(NamedTuple):
    """A built-in chunking: what it does to a text, and what its size counts, if it has one."""

    split: Callable[..., ChunkSpans]
    counts: str = ""


_BUILT_IN = {
    "recursive": _BuiltIn(recursively, "characters"),
    "words": _BuiltIn(by_words, "words"),
    "sentences": _BuiltIn(by_sentences, "sentences"),
    "paragraphs": _BuiltIn(by_paragraphs),
    "sections": _BuiltIn(by_sections),
}
EXPECTED = (
    "recursive:SIZE:OVERLAP, words:SIZE:OVERLAP, sentences:N:OVERLAP, paragraphs, sections, or "
    "FILE.py:FUNCTION"
)


def chunking_named(name: str) -> Callable[[TextStructure], ChunkSpans]:
    """Return a built-in chunking: a function from a text to the spans of its chunks.

    >>> chunking_named("words:2:0")(TextStructure("one two three")).start.tolist()
    [0, 8]
    >>> chunking_named("words:2:2")
    Traceback (most recent call last):
    doxeval.errors.InputError: chunking 'words:2:2': the overlap must be less than the size
    """
    kind, *numbers = name.strip().split(":")
    if kind not in _BUILT_IN:
        hint = suggestion(kind, _BUILT_IN)
        raise InputError(f"no chunking {quoted(name)}{hint}; expected {EXPECTED}")
    function, counts = _BUILT_IN[kind]
    if not counts:
        if numbers:
            raise InputError(f"chunking {quoted(name)}: {kind} has no size")
        return function
    if not 1 <= len(numbers) <= 2 or not all(number.isdecimal() for number in numbers):
        raise InputError(
            f"chunking {quoted(name)}: expected {kind}:SIZE:OVERLAP with whole numbers of {counts}"
        )
    size, overlap = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 0
    if size < 1:
        raise InputError(f"chunking {quoted(name)}: the size must be at least 1")
    if overlap >= size:
        raise InputError(f"chunking {quoted(name)}: the overlap must be less than the size")
    return partial(function, size=size, overlap=overlap)


# Sizes


class ChunkingSize(NamedTuple):
    """A way of splitting, and the size and overlap with which it is used."""

    method: str
    size: int
    overlap: int


# What splitters call their size and overlap: LlamaIndex, Chonkie and semchunk; LangChain; Haystack.
_SIZES = ("chunk_size", "_chunk_size", "split_length")
_OVERLAPS = ("chunk_overlap", "_chunk_overlap", "split_overlap")


def size_of(by: Any) -> ChunkingSize | None:
    """Return the size and overlap of a chunking, if it has a size; of splitters by attributes.

    >>> size_of("words:200:50"), size_of("paragraphs")
    (ChunkingSize(method='words', size=200, overlap=50), None)
    """
    if isinstance(by, str):
        kind, *numbers = by.strip().split(":")
        if kind not in _BUILT_IN or not numbers:
            return None
        return ChunkingSize(kind, *(int(number) for number in (*numbers, "0")[:2]))
    size, overlap = (
        next((value for name in names if type(value := getattr(by, name, None)) is int), None)
        for names in (_SIZES, _OVERLAPS)
    )
    return None if size is None else ChunkingSize(type(by).__name__, size, overlap or 0)


# Splitters


def _split_by_splitter(docs: Documents, splitter: Any) -> Chunks:
    split_document = splitter_of(splitter)
    given: dict[str, list[Any]] = {}
    for name, text in docs.items():
        try:
            given[name] = split_document(name, text)
        except DoxevalError:
            raise
        except Exception as error:  # a splitter of somebody else raises anything
            raise InputError(
                f"the splitter fails on document {quoted(name)}: {escape(repr(error))}"
            ) from error
    if not all(_is_span(chunk) for chunks in given.values() for chunk in chunks):
        from doxeval.chunks import locate

        located: Chunks = locate(docs, given)
        return located
    names = [name for name, chunks in given.items() for _ in chunks]
    spans = [(int(start), int(end)) for chunks in given.values() for start, end in chunks]
    for name, (start, end) in zip(names, spans, strict=True):
        if not 0 <= start <= end <= len(docs[name]):
            raise InputError(
                f"the splitter gives [{start}, {end}) in document {quoted(name)}, which has "
                f"{len(docs[name]):,} characters"
            )
    return Chunks.of(docs, names, [[span] for span in spans])


def _is_span(item: Any) -> bool:
    is_pair = isinstance(item, tuple) and len(item) == 2
    return is_pair and all(isinstance(offset, int | np.integer) for offset in item)


Split = Callable[[str, str], list[Any]]  # from the id and the text of a document to its chunks


def splitter_of(given: Any) -> Split:
    """Return what a splitter does to one document: its chunks, as the splitter gives them.

    >>> splitter_of(str.split)("a", "one two")
    ['one', 'two']
    """
    if _has(given, "split_text"):
        return lambda _, text: _listed(given, given.split_text(text))
    if _has(given, "get_nodes_from_documents"):
        return lambda name, text: _listed(given, _llama_nodes(given, name, text))
    if _has(given, "chunk"):
        return lambda _, text: _listed(given, given.chunk(text))
    if _has(given, "run") and not isinstance(given, type):
        return lambda name, text: _listed(given, _haystack_chunks(given, name, text))
    if callable(given):
        return lambda _, text: _listed(given, given(text))
    raise InputError(
        f"{quoted(given)} is no chunking: expected the name of a built-in one, a function from a "
        "text to its chunks, or a splitter of LangChain, LlamaIndex, Haystack or Chonkie"
    )


def _has(given: Any, method: str) -> bool:
    return callable(getattr(given, method, None))


def _listed(given: Any, chunks: Any) -> list[Any]:
    # semchunk gives texts and offsets apart, if offsets are requested.
    is_pair = isinstance(chunks, tuple) and len(chunks) == 2
    if is_pair and all(isinstance(column, list) for column in chunks):
        texts, offsets = chunks
        return [
            {"text": text, "start": start, "end": end}
            for text, (start, end) in zip(texts, offsets, strict=True)
        ]
    if isinstance(chunks, str | bytes | Mapping) or not isinstance(chunks, Iterable):
        name = getattr(given, "__name__", None) or type(given).__name__
        raise InputError(f"{name} gives {quoted(chunks)}: expected the chunks of a text")
    return list(chunks)


def _llama_nodes(given: Any, name: str, text: str) -> Any:
    document = _class_of("llama_index.core.schema", "Document")
    return given.get_nodes_from_documents([document(text=text, id_=name)])


def _haystack_chunks(given: Any, name: str, text: str) -> Any:
    document = _class_of("haystack.dataclasses", "Document")
    if _has(given, "warm_up"):
        given.warm_up()
    return given.run(documents=[document(content=text, id=name)])["documents"]


def _class_of(module: str, name: str) -> Any:
    """Return a class of a library that the splitter has loaded already."""
    loaded = sys.modules.get(module)
    if loaded is None or not hasattr(loaded, name):
        raise InputError(f"the splitter needs {module}.{name}, which is not loaded")
    return getattr(loaded, name)
