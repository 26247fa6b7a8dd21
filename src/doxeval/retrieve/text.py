"""How text becomes terms, in documents and queries alike: words are found, normalised and stemmed.

A word is a run of letters, marks and numbers (the categories L, M and N of Unicode). An apostrophe
between two of them belongs to the word. Characters of scripts that are written without spaces (Han,
kana, Thai, Lao, Khmer, Burmese) are words by themselves, each with the marks that follow it. The
edge of a block, that is, of an element that is not inline, ends a word, whatever follows it.

This is finer than the words that measures count (see `doxeval.documents.words`), which only white
space and block edges end: for those, `fog-horn` is one word, here it is two.
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from doxeval.arrays import Bools, Bytes, Ints, OffsetBits, last_true
from doxeval.documents import CharacterClasses, code_points
from doxeval.errors import InputError, SearchIndexError
from doxeval.files import open_input
from doxeval.messages import Parameter, quoted
from doxeval.named import option

Stem: TypeAlias = Callable[[str], str]
_NO_EDGES = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Analysis:
    """The rules by which text becomes terms.

    An index and its queries must be stemmed alike, so an index records the fingerprint of its
    stemmer, and is refused if the stemmer of that name has other rules here.

    >>> Analysis("s").terms("The ponies' fog-horns")
    ['the', 'pony', 'fog', 'horn']
    """

    stemmer: str = option(
        "s",
        "Which words count as the same: s joins singular and plural of English, none leaves words "
        "as they are, and english, german and others are the stemmers of Snowball (pip install "
        "'doxeval[search]').",
        metavar="NAME",
    )

    @cached_property
    def stem(self) -> Stem:
        """The stemmer; an unknown name is an error."""
        return stemmer_named(self.stemmer)

    def term(self, word: str) -> str:
        """Return the term of a word."""
        return self.stem(normalise_word(word))

    def words(self, text: str) -> list[str]:
        """Return the words of a text, normalised and not stemmed.

        >>> Analysis("s").words("Fog-HORNS")
        ['fog', 'horns']
        """
        return [normalise_word(word) for word in words_and_starts(text, _NO_EDGES).words]

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, such as a query."""
        return list(_terms_of(self, text) if len(text) <= _SHORT else _new_terms(self, text))

    def recorded(self) -> dict[str, str]:
        """Return what an index records of these rules."""
        return {
            "stemmer": self.stemmer,
            "stemmer_fingerprint": fingerprint(self.stem),
            "unicode": unicodedata.unidata_version,
        }

    @classmethod
    def of_index(cls, recorded: Mapping[str, Any], origin: str) -> Analysis:
        """Return the rules that an index records, if they are the same here."""
        analysis = cls(str(recorded["stemmer"]))
        here = analysis.recorded()
        for name, what in (
            ("unicode", "Unicode version"),
            (
                "stemmer_fingerprint",
                "a stemmer of the same name and other rules, with the fingerprint",
            ),
        ):
            if here[name] != recorded[name]:
                raise SearchIndexError(
                    f"the index was built with {what} {quoted(recorded[name])}, here it is "
                    f"{quoted(here[name])}; build the index again",
                    origin,
                )
        return analysis


def _new_terms(analysis: Analysis, text: str) -> tuple[str, ...]:
    return tuple(analysis.stem(word) for word in analysis.words(text))


# Arrays are made for long texts; the words of many queries are found once.
_terms_of = lru_cache(1 << 15)(_new_terms)
_SHORT = 64  # characters


def normalise_word(word: str) -> str:
    """Return a word in lower case, its characters in plain forms (NFKC), apostrophes straight.

    >>> normalise_word("don’t"), normalise_word("ﬁsh"), normalise_word("x²")
    ("don't", 'fish', 'x2')
    """
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKC", word.lower()).lower()
    return plain.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


# Finding words

# What a character may be.
_OTHER, _LETTER, _ALONE, _MARK, _APOSTROPHE = range(5)
_APOSTROPHES = "'\N{RIGHT SINGLE QUOTATION MARK}"
_SPACE = 32
_LAST = 0x10FFFF
# Blocks of the scripts that are written without spaces, the first and the last code point of each.
_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x19E0, 0x19FF),  # Khmer symbols
    (0x2E80, 0x2FDF),  # radicals of Han
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark, number zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3031, 0x3035),  # kana repeat marks
    (0x3038, 0x303C),  # numerals and marks of Han
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # more Katakana
    (0x3400, 0x4DBF),  # Han, extension A
    (0x4E00, 0x9FFF),  # Han
    (0xA9E0, 0xA9FF),  # more Burmese
    (0xAA60, 0xAA7F),  # more Burmese
    (0xF900, 0xFAFF),  # compatibility forms of Han
    (0xFF66, 0xFF9F),  # Katakana of half width
    (0x1AFF0, 0x1B16F),  # more kana
    (0x20000, 0x3FFFF),  # Han, extensions B and later
)


class WordSpans(NamedTuple):
    """Where words begin and end, in code points."""

    start: Ints
    end: Ints


class WordStarts(NamedTuple):
    """The words of a text in order, and for each code point whether a word starts with it."""

    words: list[str]
    starts: Bools


class _WordCharacters(NamedTuple):
    """For each code point, whether it is in a word, and whether a word starts with it."""

    in_word: Bools
    starts: Bools


def word_spans(text: str, block_edges: Ints) -> WordSpans:
    """Return the spans of the words of a text, given the offsets where blocks begin or end.

    >>> words = word_spans("Don't: 東京 fog-horn", np.array([], dtype=np.int64))
    >>> list(zip(words.start.tolist(), words.end.tolist()))
    [(0, 5), (7, 8), (8, 9), (10, 13), (14, 18)]
    """
    return _spans(_characters(text, block_edges))


def _spans(characters: _WordCharacters) -> WordSpans:
    in_word, starts = characters
    ends = in_word.copy()
    ends[:-1] &= ~in_word[1:] | starts[1:]
    return WordSpans(np.flatnonzero(starts), np.flatnonzero(ends) + 1)


class WordsInText(NamedTuple):
    """The spans of the words of a text, and where they start as bits."""

    spans: WordSpans
    starts: OffsetBits


def words_in(text: str, block_edges: Ints) -> WordsInText:
    """Return where the words of a text are.

    >>> words = words_in("Fog HORN", np.array([2]))
    >>> words.spans.start.tolist(), words.spans.end.tolist(), len(words.starts)
    ([0, 2, 4], [2, 3, 8], 3)
    """
    characters = _characters(text, block_edges)
    return WordsInText(_spans(characters), OffsetBits(characters.starts))


def words_and_starts(text: str, block_edges: Ints) -> WordStarts:
    """Return the words of a text in lower case, and where they start.

    >>> words, starts = words_and_starts("Fog HORN", np.array([2]))
    >>> words, np.flatnonzero(starts).tolist()
    (['fo', 'g', 'horn'], [0, 2, 4])
    """
    characters = _characters(text, block_edges)
    return WordStarts(_lower_words(text, characters), characters.starts)


def _characters(text: str, block_edges: Ints) -> _WordCharacters:
    kinds = _KINDS.of_text(text)
    is_edge = np.zeros(len(kinds) + 1, dtype=np.bool_)
    is_edge[block_edges] = True
    in_word = (kinds == _LETTER) | (kinds == _ALONE) | (kinds == _MARK)
    # The kind of word that a character is in: marks follow the character before them.
    is_alone = kinds == _ALONE
    has_alone = bool(is_alone.any())
    if has_alone:
        begins = in_word & (kinds != _MARK)
        begins[:1] = True
        begins[1:] |= ~in_word[1:] | (in_word[1:] & ~in_word[:-1]) | is_edge[1:-1]
        is_alone = is_alone[last_true(begins)] if len(kinds) else is_alone
    _join_at_apostrophes(kinds, in_word, is_alone, is_edge)
    starts = in_word.copy()
    starts[1:] &= ~in_word[:-1] | is_edge[1:-1]
    if has_alone:
        other_word = (kinds == _ALONE)[1:] | ((kinds[1:] != _MARK) & is_alone[:-1])
        starts[1:] |= in_word[1:] & in_word[:-1] & other_word
    return _WordCharacters(in_word, starts)


def _join_at_apostrophes(kinds: Bytes, in_word: Bools, is_alone: Bools, is_edge: Bools) -> None:
    """Put apostrophes into the words around them: a letter on both sides, and no edge."""
    at = np.flatnonzero(kinds == _APOSTROPHE)
    at = at[(at > 0) & (at < len(kinds) - 1)]
    joins = in_word[at - 1] & in_word[at + 1] & ~is_alone[at - 1] & ~is_alone[at + 1]
    in_word[at[joins & ~is_edge[at] & ~is_edge[at + 1]]] = True


def _lower_words(text: str, characters: _WordCharacters) -> list[str]:
    """Return the words in lower case; other characters become spaces, where `split` divides."""
    in_word, starts = characters
    spaced = np.where(in_word, code_points(text), _SPACE)
    touching = np.flatnonzero(starts[1:] & in_word[:-1]) + 1
    if len(touching):
        spaced = np.insert(spaced, touching, _SPACE)
    words = spaced.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")
    return words.lower().split()


def _kind(character: str) -> int:
    category = unicodedata.category(character)[0]
    if category in "LN":
        # The ranges do not overlap, so the last one that begins before the code point decides.
        code = ord(character)
        at = bisect_right(_WITHOUT_SPACES, (code, _LAST)) - 1
        return _ALONE if at >= 0 and code <= _WITHOUT_SPACES[at][1] else _LETTER
    if category == "M":
        return _MARK
    return _APOSTROPHE if character in _APOSTROPHES else _OTHER


_KINDS = CharacterClasses(_kind)


# Stemming

_ROOTS = (
    "walk run happy study church sea horn fox bus gas wolf hero generaliz nation lov relat argu "
    "conform électr schiff"
).split()
_SUFFIXES = ["", "s", "es", "ies", "ing", "ed", "ly", "ation", "'s", "ss"]
_SHORTEST = 3


def stemmer_named(name: str) -> Stem:
    """Return a stemmer by its name.

    `s` is Harman's S-stemmer (plural forms of English only), `none` leaves words as they are;
    english and others are the stemmers of Snowball (the extra `search`).

    >>> stemmer_named("none")("dogs")
    'dogs'
    """
    if name == "s":
        return s_stem
    if name == "none":
        return str
    return _snowball(name)


def s_stem(word: str) -> str:
    """Stem a word in lower case by Harman's S-stemmer.

    See Harman, How effective is suffixing?, JASIS 42, 1991.
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
    """Return a hash of the stems of 200 fixed words.

    >>> fingerprint(stemmer_named("s")) == fingerprint(stemmer_named("none"))
    False
    """
    stems = "\n".join(stem(root + suffix) for root in _ROOTS for suffix in _SUFFIXES)
    return hashlib.sha256(stems.encode()).hexdigest()[:16]


# Stop words

# Function words of English, compiled for doxeval from the closed classes of its grammar: articles,
# demonstratives, pronouns, prepositions, conjunctions, auxiliary verbs and question words.
ENGLISH_STOP_WORDS = frozenset(
    (
        "a an the this that these those such "
        "i me my mine we us our ours you your yours he him his she her hers it its they them their "
        "theirs who whom whose which what one ones "
        "about above after against among around as at before behind below beneath beside between "
        "beyond by down during for from in into of off on onto out over per through to toward "
        "towards under until up upon via with within without "
        "and but if nor or so than then there though because while when where why how whether "
        "am is are was were be been being do does did doing done have has had having can could may "
        "might must shall should will would "
        "not no also any all both each either neither some other"
    ).split()
)


def stop_words(stop: str | os.PathLike[str] | Iterable[str]) -> frozenset[str]:
    """Return a list of stop words: english, none, the words of a file, or the words given.

    >>> "the" in stop_words("english"), sorted(stop_words("none")), sorted(stop_words(["Le", "LA"]))
    (True, [], ['la', 'le'])
    """
    if stop == "english":
        return ENGLISH_STOP_WORDS
    if stop == "none":
        return frozenset()
    if isinstance(stop, str | os.PathLike):
        if not os.path.exists(stop):
            raise InputError(
                Parameter("stop", str(stop)) + ": expected english, none or a file of words"
            )
        stop = _words_of_file(os.fspath(stop))
    return frozenset(map(normalise_word, stop))


def _words_of_file(path: str) -> list[str]:
    with open_input(path) as file:
        try:
            return file.read().decode("utf-8-sig").split()
        except UnicodeDecodeError:
            raise InputError("expected words in UTF-8", path) from None
