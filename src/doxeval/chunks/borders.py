"""How well the borders of chunks agree with those of sections, paragraphs and sentences."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.chunks.document_set import Documents
from doxeval.chunks.structure import paragraph_starts, section_starts, sentence_starts
from doxeval.measures import NonSpaceOffsets, Texts

_KEY = 1 << 32


class Agreement(NamedTuple):
    """Precision, recall and F of borders.

    precision: the share of the chunks' borders that are borders of the kind. recall: the share of
    these that are borders of chunks. A share of nothing is nan.
    """

    precision: float
    recall: float
    f: float


class Structure:
    """The borders of sections, paragraphs and sentences in documents, found when asked for.

    Borders are counted in solid characters, so that white space around them makes no difference.
    The beginning and the end of a document are no borders.
    """

    def __init__(self, docs: Documents, texts: Texts | None = None) -> None:
        self.names = tuple(docs)
        self.texts = Texts(docs) if texts is None else texts
        self.solid = NonSpaceOffsets(self.texts, strict=True)
        self._docs = docs

    @cached_property
    def sizes(self) -> Ints:
        """The solid characters of each document."""
        document = np.arange(len(self.names))
        lengths = np.array([len(self._docs[name]) for name in self.names], dtype=np.int64)
        return self.solid.before(self.names, document, lengths)

    @cached_property
    def borders(self) -> dict[str, Ints]:
        """The borders of each kind, document and offset as one number, ascending.

        Sections are all sections; `sections 2` are those with a heading of level 2 or higher.
        A kind without borders is left out.
        """
        found = {
            "sections": self._sections(None),
            "paragraphs": self._starts(self._by_text(paragraph_starts)),
            "sentences": self._starts(self._by_text(sentence_starts)),
        }
        used = {one.level for name in self.names for one in self._docs.outline(name)}
        if len(used) > 1:
            found |= {f"sections {level}": self._sections(level) for level in sorted(used)}
        return {name: starts for name, starts in found.items() if len(starts)}

    def _sections(self, level: int | None) -> Ints:
        docs = self._docs
        return self._starts(lambda name: section_starts(docs[name], level, docs.outline(name)))

    def _by_text(self, starts: Callable[[str], Ints]) -> Callable[[str], Ints]:
        return lambda name: starts(self._docs[name])

    def _starts(self, starts: Callable[[str], Ints]) -> Ints:
        found: list[Ints] = [np.zeros(0, dtype=np.int64)]
        for number, name in enumerate(self.names):
            own = starts(name)
            found.append(self.keys(np.full(len(own), number), own))
        return self.inner(np.concatenate(found))

    def keys(self, document: Ints, offset: Ints) -> Ints:
        """Offsets of documents as one number each, in solid characters."""
        return document * _KEY + self.solid.before(self.names, document, offset)

    def inner(self, keys: Ints) -> Ints:
        """Those of some borders that are not an edge of their document, each once, ascending."""
        document, offset = keys // _KEY, keys % _KEY
        return np.unique(keys[(offset > 0) & (offset < self.sizes[document])])


def agreement(found: Ints, reference: Ints) -> Agreement:
    """How borders agree; both are ascending numbers.

    >>> agreement(np.array([3, 5, 8, 9]), np.array([3, 9, 12]))
    Agreement(precision=0.5, recall=0.6666666666666666, f=0.5714285714285714)
    """
    both = len(np.intersect1d(found, reference, assume_unique=True))
    precision = both / len(found) if len(found) else float("nan")
    recall = both / len(reference) if len(reference) else float("nan")
    total = len(found) + len(reference)
    return Agreement(precision, recall, 2 * both / total if total else float("nan"))
