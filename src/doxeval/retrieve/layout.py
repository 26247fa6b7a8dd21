"""The files of an index: their names, and the arrays in them.

manifest.json        which collection, which rules, counts, and the hash of every file
postings.npy         the positions of every word in the collection's one stream of words, grouped by
                     term, ascending within a term
terms.starts.npy     where the positions of each term begin; terms are numbered as first seen
terms.text.bin       the terms in UTF-8, sorted, one directly after another
terms.ends.npy       where each of these ends
terms.number.npy     the number of each of these
documents.first.npy  the first word of each document, and the number of all words
elements.first.npy, elements.after.npy
                     the words of each element: the first one, and the one after the last
words.gaps.npy       how many code points each word starts after the word before it, or after the
                     start of its document; FAR says that it is in words.far
words.far_at.npy, words.far_gap.npy
                     the positions of the words with larger gaps, and these gaps

A position is a 32-bit number, or a 64-bit number if there are 2^32 words or more.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.documents import VERIFIED_BYTES
from doxeval.errors import SearchIndexError
from doxeval.storage import Column, Kind

TERMS_FILE = "terms.text.bin"
FAR = 255
MOST_IN_32_BITS = 1 << 32
_COUNTS = ("documents", "elements", "words", "terms", "far")
_TEXTS = ("collection", "stemmer", "stemmer_fingerprint", "unicode")


def position_type(words: int) -> np.dtype[Any]:
    """The type of positions in a collection of so many words.

    >>> position_type(10).name, position_type(1 << 32).name
    ('uint32', 'uint64')
    """
    return np.dtype("<u4" if words < MOST_IN_32_BITS else "<u8")


def columns_of(counts: Mapping[str, int]) -> dict[str, Column]:
    """The arrays of an index with these counts, by the names of their files."""
    documents, elements, words, terms, far = (counts[name] for name in _COUNTS)
    position = position_type(words)
    lengths: dict[str, tuple[Any, int]] = {
        "postings": (position, words),
        "terms.starts": ("<i8", terms + 1),
        "terms.ends": ("<i8", terms),
        "terms.number": ("<i4", terms),
        "documents.first": ("<i8", documents + 1),
        "elements.first": (position, elements),
        "elements.after": (position, elements),
        "words.gaps": ("|u1", words),
        "words.far_at": ("<i8", far),
        "words.far_gap": ("<i4", far),
    }
    return {f"{name}.npy": Column(np.dtype(kind), n) for name, (kind, n) in lengths.items()}


def _missing(manifest: Mapping[str, Any]) -> str | None:
    counts = manifest.get("counts")
    if not isinstance(counts, dict) or not all(_is_count(counts.get(name)) for name in _COUNTS):
        return "counts"
    for name in _TEXTS:
        if not isinstance(manifest.get(name), str):
            return name
    return None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62


def beside(collection: Path) -> Path:
    """Where the index of a collection is, unless it was put elsewhere.

    >>> beside(Path("data/wiki")).as_posix()
    'data/wiki.index'
    """
    collection = collection.absolute() if collection.name in ("", "..") else collection
    return collection.with_name(f"{collection.name}.index")


INDEX = Kind(
    format="doxeval index",
    version=1,
    noun="index",
    again="build the index again",
    makes_one="build_index, or `doxeval index build`, makes one",
    error=SearchIndexError,
    unhashed=frozenset(),
    verified_bytes=VERIFIED_BYTES,
    missing=_missing,
    columns=columns_of,
    other_files=frozenset({TERMS_FILE}),
)
