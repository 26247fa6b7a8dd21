"""Stemmers: words that mean the same, made equal.

    s         Harman's S-stemmer: plural forms of English only
    none      words as they are
    english…  the stemmers of Snowball for many languages (the extra `search`)

The index and its queries must be stemmed alike. So an index records the fingerprint of its stemmer,
and is refused if the stemmer of that name has other rules here.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable
from typing import TypeAlias

from doxeval.errors import InputError
from doxeval.messages import Parameter

Stem: TypeAlias = Callable[[str], str]

_ROOTS = (
    "walk run happy study church sea horn fox bus gas wolf hero generaliz nation lov relat argu "
    "conform électr schiff"
).split()
_SHORTEST = 3
_SUFFIXES = ["", "s", "es", "ies", "ing", "ed", "ly", "ation", "'s", "ss"]


def s_stem(word: str) -> str:
    """Harman's S-stemmer (How effective is suffixing?, JASIS 42, 1991), on words in lower case.

    Of its three rules, the first whose ending the word has is applied, unless one of its exceptions
    holds. The possessive `'s` is taken away before, because an apostrophe is part of a word here.
    Words of one or two letters stay as they are.

    >>> [s_stem(word) for word in "ponies aches shoes dogs bus glass ship's".split()]
    ['pony', 'ache', 'shoes', 'dog', 'bus', 'glass', 'ship']
    """
    word = word.removesuffix("'s")
    if len(word) < _SHORTEST:
        return word
    if word.endswith("ies"):
        return word if word.endswith(("eies", "aies")) else f"{word[:-3]}y"
    if word.endswith("es"):
        return word if word.endswith(("aes", "ees", "oes")) else word[:-1]
    if word.endswith("s"):
        return word if word.endswith(("us", "ss")) else word[:-1]
    return word


def stemmer_named(name: str) -> Stem:
    """A stemmer by its name.

    >>> stemmer_named("none")("dogs")
    'dogs'
    """
    if name == "s":
        return s_stem
    if name == "none":
        return str
    return _snowball(name)


def _snowball(name: str) -> Stem:
    try:
        import snowballstemmer
    except ModuleNotFoundError:
        raise InputError(
            Parameter("stemmer", name)
            + ": expected s or none; those of Snowball need the package snowballstemmer: "
            "pip install 'doxeval[search]'"
        ) from None
    languages = sorted(snowballstemmer.algorithms())
    if name not in languages:
        expected = ", ".join(("s", "none", *languages))
        raise InputError(Parameter("stemmer", name) + f": expected one of {expected}")
    stem: Stem = snowballstemmer.stemmer(name).stemWord
    return stem


def fingerprint(stem: Stem) -> str:
    """A hash of the stems of 200 fixed words.

    >>> fingerprint(stemmer_named("s")) == fingerprint(stemmer_named("none"))
    False
    """
    stems = "\n".join(stem(root + suffix) for root in _ROOTS for suffix in _SUFFIXES)
    return hashlib.sha256(stems.encode()).hexdigest()[:16]


def normalised(word: str) -> str:
    """A word in lower case, its characters in their plain forms (NFKC), the apostrophe straight.

    >>> normalised("don’t"), normalised("ﬁsh"), normalised("x²")
    ("don't", 'fish', 'x2')
    """
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKC", word.lower()).lower()
    return plain.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
