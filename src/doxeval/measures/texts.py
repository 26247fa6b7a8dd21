"""The texts of documents, for measures that count words or tokens, or leave out white space."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents import Collection
from doxeval.errors import InputError, MissingInput
from doxeval.measures.tokenisers import tokeniser_of, word_starts
from doxeval.messages import Parameter, quoted

__all__ = ["Texts", "word_starts"]

_BLANK = re.compile(r"\s")


class Texts:
    """Texts by the ids of their documents, and where words, tokens and blanks are in them.

    source: texts by id, or a collection. tokens: what counts as a token, "words" for words;
    `tokeniser_of` explains what else it may be.

    >>> texts = Texts({"a": "one two"})
    >>> texts.starts("a", "words").tolist(), texts.blanks("a").tolist()
    ([0, 4], [3])
    """

    def __init__(self, source: Mapping[str, str] | Collection, tokens: Any = None) -> None:
        self._source = source
        self._tokens = None if tokens is None else tokeniser_of(tokens)
        self._known: dict[tuple[str, str], Ints] = {}

    @property
    def has_tokeniser(self) -> bool:
        """Whether it is known what tokens are."""
        return self._tokens is not None

    def find(self, document: str) -> str | None:
        """The text of a document; None if it is not known."""
        if isinstance(self._source, Collection):
            number = int(self._source.find_documents([document])[0])
            return None if number < 0 else self._source.text_of(number)
        return self._source.get(document)

    def starts(self, document: str, unit: str) -> Ints:
        """Where the words or tokens of a document begin."""
        if unit == "tokens" and self._tokens is None:
            raise MissingInput(
                "unit=tokens needs to know what tokens are: "
                + Parameter("tokens")
                + " names a tokeniser, or the results of the run state their tokens"
            )
        return self._remembered(document, unit)

    def blanks(self, document: str) -> Ints:
        """Where the white space of a document is."""
        return self._remembered(document, "blanks")

    def _remembered(self, document: str, what: str) -> Ints:
        key = (document, what)
        if key not in self._known:
            text = self.find(document)
            if text is None:
                raise MissingInput(
                    f"the text of document {quoted(document)} is not known: " + Parameter("texts")
                )
            self._known[key] = np.asarray(self._made(text, what), dtype=np.int64)
        return self._known[key]

    def _made(self, text: str, what: str) -> Sequence[int]:
        if what == "blanks":
            return [found.start() for found in _BLANK.finditer(text)]
        if what == "words" or self._tokens is None:
            return word_starts(text)
        starts = sorted(set(self._tokens(text)))
        if starts and not (starts[0] >= 0 and starts[-1] <= len(text)):
            raise InputError(
                Parameter("tokens") + f" gives offset {starts[-1]:,} in {len(text):,} characters"
            )
        return starts
