"""Documents cut into chunks, by a built-in cut or by anything that splits texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.chunks.chunk_set import Chunks
from doxeval.chunks.cut_text import Ranges, by_sections
from doxeval.chunks.cuts import cut_named, function_of_file, is_function_of_file
from doxeval.chunks.document_set import Documents
from doxeval.chunks.document_sources import documents, warnings_about
from doxeval.chunks.splitters import splitter_of
from doxeval.errors import DoxevalError, InputError, warn
from doxeval.messages import escape, plural, quoted
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
