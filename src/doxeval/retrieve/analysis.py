"""How text becomes terms, in documents and queries alike: cut into words, normalised, stemmed."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from doxeval.errors import SearchIndexError
from doxeval.messages import quoted
from doxeval.retrieve.stemming import Stem, fingerprint, normalised, stemmer_named
from doxeval.retrieve.words import words_and_starts

_NO_BORDERS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Analysis:
    """The rules by which text becomes terms.

    >>> Analysis("s").terms("The ponies' fog-horns")
    ['the', 'pony', 'fog', 'horn']
    """

    stemmer: str = "s"

    @cached_property
    def stem(self) -> Stem:
        """The stemmer; an unknown name is an error."""
        return stemmer_named(self.stemmer)

    def term(self, word: str) -> str:
        """The term of one word."""
        return self.stem(normalised(word))

    def words(self, text: str) -> list[str]:
        """The words of a piece of text, normalised and not stemmed.

        >>> Analysis("s").words("Fog-HORNS")
        ['fog', 'horns']
        """
        return [normalised(word) for word in words_and_starts(text, _NO_BORDERS).words]

    def terms(self, text: str) -> list[str]:
        """The terms of a piece of text, such as a query."""
        return [self.stem(word) for word in self.words(text)]

    def recorded(self) -> dict[str, str]:
        """What an index records of its rules."""
        return {
            "stemmer": self.stemmer,
            "stemmer_fingerprint": fingerprint(self.stem),
            "unicode": unicodedata.unidata_version,
        }

    @classmethod
    def of_index(cls, recorded: Mapping[str, Any], origin: str) -> Analysis:
        """The rules that an index records, if they are the same here."""
        analysis = cls(str(recorded["stemmer"]))
        here = analysis.recorded()
        for name, what in _RULES.items():
            if here[name] != recorded[name]:
                raise SearchIndexError(
                    f"the index was built with {what} {quoted(recorded[name])}, here it is "
                    f"{quoted(here[name])}; build the index again",
                    origin,
                )
        return analysis


_RULES = {
    "unicode": "Unicode version",
    "stemmer_fingerprint": "a stemmer of the same name and other rules, with the fingerprint",
}
