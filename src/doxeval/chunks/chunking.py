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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.chunks.boundaries import (
    Heading,
    paragraph_starts,
    section_starts,
    sentence_starts,
    solid_offsets,
)
from doxeval.chunks.chunks import Chunks
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.errors import DoxevalError, InputError, warn
from doxeval.messages import escape, plural, quoted, suggestion
from doxeval.named import checked
from doxeval.runs import SpanLists


@checked
def cut(docs: Any, by: Any = "recursive:800:0") -> Chunks:
    """Cut documents into chunks, whose places are exact.

    `by` is a built-in cut ("recursive:800:0" in characters, "words:200:50", "sentences:5:1",
    "paragraphs", "sections"), a function of a file ("my.py:split"), a function from a text to
    texts or (start, end), or a splitter of LangChain, LlamaIndex, Haystack, Chonkie or semchunk.
    What these return is located in the documents. Sections are those of the headings of Markdown
    and HTML, and the elements of XML that are called section, sec, chapter and the like.

    >>> cut({"a": "One two three. Four."}, "words:3:0").texts
    ('One two three', '. Four.')
    >>> cut({"a": "One two three. Four."}, lambda text: text.split(" ")).texts
    ('One', 'two', 'three.', 'Four.')
    """
    texts = documents(docs)
    if isinstance(by, Chunks):
        return by
    if isinstance(by, str) and is_function_of_file(by):
        by = function_of_file(by)
    if not isinstance(by, str):
        found = _by_splitter(texts, by)
    else:
        found = _by_sections(texts) if by.strip() == "sections" else _by_text(texts, by)
    found = replace(found, warnings=(*warnings_about(texts, docs), *found.warnings))
    warn(found.warnings)
    return found


def _by_text(docs: Documents, by: str) -> Chunks:
    split = cut_named(by)
    return _by_ranges(docs, lambda name: split(docs[name]))


def _by_sections(docs: Documents) -> Chunks:
    """Cut by sections, which is the only cut that needs more of a document than its text."""
    found = _by_ranges(docs, lambda name: by_sections(docs[name], docs.outline(name)))
    without = sum(not docs.outline(name) for name in docs)
    if not without:
        return found
    whole = "each is one chunk" if without == len(docs) else "each of these is one chunk"
    said = f"{without:,} of {plural(len(docs), 'document')} without headings or sections: {whole}"
    return replace(found, warnings=(said,))


def _by_ranges(docs: Documents, ranges: Callable[[str], Ranges]) -> Chunks:
    names: list[str] = []
    starts: list[Ints] = [np.zeros(0, dtype=np.int64)]
    ends: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for name in docs:
        found = ranges(name)
        names += [name] * len(found.start)
        starts.append(found.start)
        ends.append(found.end)
    spans = SpanLists(np.arange(len(names) + 1), np.concatenate(starts), np.concatenate(ends))
    return Chunks.of(docs, names, spans)


def _by_splitter(docs: Documents, splitter: Any) -> Chunks:
    split = splitter_of(splitter)
    found: dict[str, list[Any]] = {}
    for name, text in docs.items():
        try:
            found[name] = split(name, text)
        except DoxevalError:
            raise
        except Exception as error:  # a splitter of somebody else raises anything
            raise InputError(
                f"the splitter fails on document {quoted(name)}: {escape(repr(error))}"
            ) from error
    if all(map(_is_range, (one for own in found.values() for one in own))):
        return _of_ranges(docs, found)
    from doxeval.chunks import locate

    located: Chunks = locate(docs, found)
    return located


def _is_range(item: Any) -> bool:
    return (
        isinstance(item, tuple)
        and len(item) == 2
        and all(isinstance(one, int | np.integer) for one in item)
    )


def _of_ranges(docs: Documents, found: dict[str, list[Any]]) -> Chunks:
    names = [name for name, own in found.items() for _ in own]
    for name, own in found.items():
        for start, end in own:
            if not 0 <= start <= end <= len(docs[name]):
                raise InputError(
                    f"the splitter gives [{start}, {end}) in document {quoted(name)}, which has "
                    f"{len(docs[name]):,} characters"
                )
    spans = [[(int(start), int(end))] for own in found.values() for start, end in own]
    return Chunks.of(docs, names, spans)


_WORD = re.compile(r"\w+|[^\w\s]")
# What a recursive cut separates by, in turn: paragraphs, lines, words, then characters.
_SEPARATORS = (re.compile(r"(?:\r\n?|\n){2,}"), re.compile(r"\r\n?|\n"), re.compile(r"\s+"))


class Ranges(NamedTuple):
    """The chunks of a text in order: start and end of each, half-open."""

    start: Ints
    end: Ints


def by_words(text: str, size: int, overlap: int = 0) -> Ranges:
    """Chunks of so many words, each with the last `overlap` words of the one before.

    Words are those that measures count: runs of letters and digits, and single marks.

    >>> ranges = by_words("one two three four five", 3, 1)
    >>> list(zip(ranges.start.tolist(), ranges.end.tolist()))
    [(0, 13), (8, 23)]
    """
    words = [found.span() for found in _WORD.finditer(text)]
    if not words:
        return _none()
    start, end = np.array(words, dtype=np.int64).T
    return _windows(start, end, size, overlap)


def by_sentences(text: str, count: int, overlap: int = 0) -> Ranges:
    """Chunks of so many sentences, each with the last `overlap` sentences of the one before.

    >>> ranges = by_sentences("One. Two. Three.", 2, 1)
    >>> list(zip(ranges.start.tolist(), ranges.end.tolist()))
    [(0, 9), (5, 16)]
    """
    sentences = _between(text, sentence_starts(text))
    return _windows(*sentences, count, overlap) if len(sentences.start) else sentences


def by_paragraphs(text: str) -> Ranges:
    """Each paragraph by itself."""
    return _between(text, paragraph_starts(text))


def by_sections(text: str, outline: Sequence[Heading] | None = None) -> Ranges:
    """Each section by itself, up to the next heading of whatever level.

    outline: the sections, if they are not those of Markdown.

    >>> ranges = by_sections("# A\\n\\nOne.\\n\\n## B\\n\\nTwo.\\n")
    >>> list(zip(ranges.start.tolist(), ranges.end.tolist()))
    [(0, 9), (11, 21)]
    """
    return _between(text, section_starts(text, outline=outline))


def recursively(text: str, size: int, overlap: int = 0) -> Ranges:
    """Chunks of at most so many characters, cut at paragraphs if these are small enough, else at
    lines, at words, or anywhere.

    Neighbouring pieces are put together as long as they fit. Each chunk begins with as many pieces
    of the one before as `overlap` characters allow.

    >>> ranges = recursively("One two.\\n\\nThree four five six.", 12)
    >>> list(zip(ranges.start.tolist(), ranges.end.tolist()))
    [(0, 8), (10, 20), (21, 30)]
    """
    found = [
        stripped
        for start, end in _recursive(text, 0, len(text), 0, size, overlap)
        if (stripped := _stripped(text, start, end))
    ]
    return Ranges(*np.array(found, dtype=np.int64).reshape(-1, 2).T)


def _recursive(
    text: str, start: int, end: int, level: int, size: int, overlap: int
) -> Iterator[tuple[int, int]]:
    if level == len(_SEPARATORS):
        yield from _anywhere(start, end, size, overlap)
        return
    fitting: list[tuple[int, int]] = []
    for low, high in _pieces(text, start, end, level):
        if high - low <= size:
            fitting.append((low, high))
            continue
        yield from _joined(fitting, size, overlap)
        fitting = []
        yield from _recursive(text, low, high, level + 1, size, overlap)
    yield from _joined(fitting, size, overlap)


def _pieces(text: str, start: int, end: int, level: int) -> Iterator[tuple[int, int]]:
    """The text between separators."""
    at = start
    for found in _SEPARATORS[level].finditer(text, start, end):
        if found.start() > at:
            yield at, found.start()
        at = found.end()
    if at < end:
        yield at, end


def _joined(pieces: list[tuple[int, int]], size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Neighbouring pieces together, as long as they fit."""
    first = 0
    for number in range(1, len(pieces) + 1):
        last = pieces[number - 1][1]
        if number < len(pieces) and pieces[number][1] - pieces[first][0] <= size:
            continue
        yield pieces[first][0], last
        if number == len(pieces):
            return
        reach = pieces[number][1]
        while first < number and (
            last - pieces[first][0] > overlap or reach - pieces[first][0] > size
        ):
            first += 1


def _anywhere(start: int, end: int, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    while start < end:
        yield start, min(start + size, end)
        if start + size >= end:
            return
        start += size - overlap


def _stripped(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    stop = start + len(piece.strip())
    return (start, stop) if stop > start else None


def _between(text: str, starts: Ints) -> Ranges:
    """The text from each start to the next, without the white space before it."""
    if not len(starts):
        return _none()
    solid = solid_offsets(text)
    after = np.append(starts[1:], len(text))
    return Ranges(starts, solid[np.searchsorted(solid, after) - 1] + 1)


def _windows(start: Ints, end: Ints, size: int, overlap: int) -> Ranges:
    """So many units together, the last of them fewer if there are no more."""
    count = len(start)
    step = size - overlap
    first = np.arange(0, max(count - overlap, 1), step)
    return Ranges(start[first], end[np.minimum(first + size, count) - 1])


def _none() -> Ranges:
    nothing: Ints = np.zeros(0, dtype=np.int64)
    return Ranges(nothing, nothing)


class _Kind(NamedTuple):
    """A built-in cut: what it does to a text, and what its size counts, if it has one."""

    cut: Callable[..., Ranges]
    counts: str = ""


_KINDS = {
    "recursive": _Kind(recursively, "characters"),
    "words": _Kind(by_words, "words"),
    "sentences": _Kind(by_sentences, "sentences"),
    "paragraphs": _Kind(by_paragraphs),
    "sections": _Kind(by_sections),
}
BUILT_IN = tuple(_KINDS)
EXPECTED = (
    "recursive:SIZE:OVERLAP, words:SIZE:OVERLAP, sentences:N:OVERLAP, paragraphs, sections, or "
    "FILE.py:FUNCTION"
)


def cut_named(name: str) -> Callable[[str], Ranges]:
    """A built-in cut: a function from a text to the ranges of its chunks.

    >>> cut_named("words:2:0")("one two three").start.tolist()
    [0, 8]
    >>> cut_named("words:2:2")
    Traceback (most recent call last):
    doxeval.errors.InputError: cut 'words:2:2': the overlap must be less than the size
    """
    kind, *numbers = name.strip().split(":")
    if kind not in _KINDS:
        hint = suggestion(kind, BUILT_IN)
        raise InputError(f"no cut {quoted(name)}{hint}; expected {EXPECTED}")
    if not _KINDS[kind].counts:
        if numbers:
            raise InputError(f"cut {quoted(name)}: {kind} has no size")
        return _KINDS[kind].cut
    return partial(_KINDS[kind].cut, **_sizes(name, kind, numbers))


def _sizes(name: str, kind: str, numbers: list[str]) -> dict[str, int]:
    if not 1 <= len(numbers) <= 2 or not all(number.isdecimal() for number in numbers):
        counts = _KINDS[kind].counts
        raise InputError(
            f"cut {quoted(name)}: expected {kind}:SIZE:OVERLAP with whole numbers of {counts}"
        )
    size, overlap = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 0
    if size < 1:
        raise InputError(f"cut {quoted(name)}: the size must be at least 1")
    if overlap >= size:
        raise InputError(f"cut {quoted(name)}: the overlap must be less than the size")
    return {"count" if kind == "sentences" else "size": size, "overlap": overlap}


def is_function_of_file(name: str) -> bool:
    """Whether a cut is named as a function of a file.

    >>> is_function_of_file("my.py:split"), is_function_of_file("words:9")
    (True, False)
    """
    file, colon, function = name.rpartition(":")
    return bool(colon) and file.endswith(".py") and function.isidentifier()


def function_of_file(name: str) -> Any:
    """The function, or whatever else has that name, of a Python file: FILE.py:NAME."""
    import importlib.util
    import os

    file, _, function = name.rpartition(":")
    if not os.path.exists(file):
        raise InputError("no such file", file)
    spec = importlib.util.spec_from_file_location("cut_of_file", file)
    if spec is None or spec.loader is None:
        raise InputError("this is not a file of Python", file)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a user's own code raises anything
        raise InputError(f"the file cannot be run: {error!r}", file) from error
    if not hasattr(module, function):
        raise InputError(f"no {function} in the file{suggestion(function, dir(module))}", file)
    return getattr(module, function)


Split = Callable[[str, str], list[Any]]  # from the id and the text of a document to its chunks


def splitter_of(given: Any) -> Split:
    """What a splitter does to one document: its chunks, as the splitter gives them.

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
        f"{quoted(given)} is no way to cut: expected the name of a built-in cut, a function from a "
        "text to its chunks, or a splitter of LangChain, LlamaIndex, Haystack or Chonkie"
    )


def _has(given: Any, method: str) -> bool:
    return callable(getattr(given, method, None))


def _listed(given: Any, found: Any) -> list[Any]:
    # semchunk gives texts and offsets apart, if it is asked for offsets.
    if isinstance(found, tuple) and len(found) == 2 and all(isinstance(one, list) for one in found):
        texts, offsets = found
        return [
            {"text": text, "start": start, "end": end}
            for text, (start, end) in zip(texts, offsets, strict=True)
        ]
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise InputError(f"{_called(given)} gives {quoted(found)}: expected the chunks of a text")
    return list(found)


def _called(given: Any) -> str:
    return getattr(given, "__name__", None) or type(given).__name__


def _llama_nodes(given: Any, name: str, text: str) -> Any:
    document = _class_of("llama_index.core.schema", "Document")
    return given.get_nodes_from_documents([document(text=text, id_=name)])


def _haystack_chunks(given: Any, name: str, text: str) -> Any:
    document = _class_of("haystack.dataclasses", "Document")
    if _has(given, "warm_up"):
        given.warm_up()
    return given.run(documents=[document(content=text, id=name)])["documents"]


def _class_of(module: str, name: str) -> Any:
    """A class of a library that the splitter has loaded already."""
    found = sys.modules.get(module)
    if found is None or not hasattr(found, name):
        raise InputError(f"the splitter needs {module}.{name}, which is not loaded")
    return getattr(found, name)
