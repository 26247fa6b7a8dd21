"""The texts of documents, for measures that count words or tokens, or ignore white space.

What counts as a token is said by a tokeniser: words, a function, or an object of tiktoken,
tokenizers or transformers. These libraries are known by what their objects can do, and imported
only if a tokeniser is given by its name.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from doxeval.arrays import Bools, Ints, OffsetBits, TextOffsets
from doxeval.documents import CharacterClasses, Collection, is_white_space
from doxeval.errors import InputError, MissingInput
from doxeval.messages import Parameter, quoted

# Where the units of a text begin, given the text.
Tokeniser = Callable[[str], Sequence[int] | Ints]
MOST_BYTES = 256 << 20  # of offsets that are kept in memory
_WHERE_VOCABULARIES_ARE = (
    "vocabularies are downloaded, unless TIKTOKEN_CACHE_DIR names a folder that has them "
    "(llama-index-core comes with that of cl100k_base, under _static/tiktoken_cache)"
)


class Texts:
    """Texts by the ids of their documents, and where words and tokens are in them.

    source: texts by id, or a collection. tokens: what counts as a token, "words" for words;
    `tokeniser_of` explains what else it may be. Offsets are found once, and those of the documents
    that were used last are kept, up to MOST_BYTES in all.

    >>> texts = Texts({"a": "one two"})
    >>> texts.starts("a", "words").all().tolist(), len(texts.non_space("a"))
    ([0, 4], 6)
    """

    def __init__(self, source: Mapping[str, str] | Collection, tokens: Any = None) -> None:
        self._source = source
        self._tokens = None if tokens is None else tokeniser_of(tokens)
        self._forget()

    def _forget(self) -> None:
        self._offsets: OrderedDict[tuple[str, str], OffsetBits] = OrderedDict()
        self._kept = 0  # bytes
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {"_source": self._source, "_tokens": self._tokens}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def has_tokeniser(self) -> bool:
        """Whether it is known what tokens are."""
        return self._tokens is not None

    def find(self, document: str) -> str | None:
        """Return the text of a document; None if it is not known."""
        if isinstance(self._source, Collection):
            number = int(self._source.find_documents([document])[0])
            return None if number < 0 else self._source.text_of(number)
        return self._source.get(document)

    def starts(self, document: str, unit: str) -> OffsetBits:
        """Return where the words or tokens of a document begin."""
        if unit == "tokens" and self._tokens is None:
            raise MissingInput(
                "unit=tokens needs to know what tokens are: "
                + Parameter("tokens")
                + " names a tokeniser, or the results of the run state their tokens"
            )
        return self._offsets_in(document, unit)

    def non_space(self, document: str) -> OffsetBits:
        """Return where the characters of a document are that are not white space."""
        return self._offsets_in(document, "non-space")

    def text(self, document: str) -> str:
        """Return the text of a document, which must be known."""
        text = self.find(document)
        if text is None:
            raise MissingInput(
                f"the text of document {quoted(document)} is not known: " + Parameter("texts")
            )
        return text

    def _offsets_in(self, document: str, what: str) -> OffsetBits:
        key = (document, what)
        with self._lock:
            if key in self._offsets:
                self._offsets.move_to_end(key)
                return self._offsets[key]
        offsets = self._find_offsets(self.text(document), what)
        with self._lock:
            if key not in self._offsets:
                self._offsets[key] = offsets
                self._kept += _bytes_of(offsets)
                while self._kept > MOST_BYTES and len(self._offsets) > 1:
                    self._kept -= _bytes_of(self._offsets.popitem(last=False)[1])
        return offsets

    def _find_offsets(self, text: str, what: str) -> OffsetBits:
        if what == "non-space":
            return OffsetBits(~is_white_space(text))
        if what == "words" or self._tokens is None or self._tokens is word_starts:
            return OffsetBits(_begin_words(text))
        starts = sorted(set(self._tokens(text)))
        if starts and not (starts[0] >= 0 and starts[-1] <= len(text)):
            raise InputError(
                Parameter("tokens") + f" gives offset {starts[-1]:,} in {len(text):,} characters"
            )
        return OffsetBits.of(np.array(starts, dtype=np.int64), len(text))


def _bytes_of(offsets: OffsetBits) -> int:
    return offsets.nbytes + 256  # with what the dictionary needs for it


class UnitStarts:
    """Where the words or tokens of some documents begin, numbered through all of these.

    Documents are given by their numbers among them; -1 stands for one without any units.
    ignore_whitespace: offsets count non-space characters only.

    >>> starts = UnitStarts(Texts({"a": "one two", "b": "three"}), ["a", "b"], "words")
    >>> starts.before(np.array([0, 1, 1]), np.array([7, 0, 5])).tolist()
    [2, 2, 3]
    >>> starts.offsets(np.array([0, 1]), np.array([1, 2])).tolist()
    [4, 0]
    """

    def __init__(
        self,
        texts: Texts,
        documents: Sequence[str],
        unit: str,
        *,
        ignore_whitespace: bool = False,
    ) -> None:
        self._starts = TextOffsets([texts.starts(name, unit) for name in documents])
        self._non_space = None
        if ignore_whitespace:
            self._non_space = TextOffsets([texts.non_space(name) for name in documents])

    def before(self, document: Ints, offset: Ints) -> Ints:
        """Return how many units begin before each offset, those of earlier documents included."""
        if self._non_space is not None:
            offset = self._non_space.after(document, offset)
        return self._starts.before(document, offset)

    def offsets(self, document: Ints, number: Ints) -> Ints:
        """Return where the units of some numbers begin, in the documents that have them."""
        offset = self._starts.at(document, number)
        if self._non_space is None:
            return offset
        first = self._non_space.before(document, np.zeros_like(offset))
        return self._non_space.before(document, offset) - first


# Words, as the regular expression \w+|[^\w\s] finds them

_SPACE, _MARK, _IN_WORD = range(3)


def _class_of(character: str) -> int:
    if character.isalnum() or character == "_":
        return _IN_WORD
    return _SPACE if character.isspace() else _MARK


_CLASSES = CharacterClasses(_class_of)


def _begin_words(text: str) -> Bools:
    """Return whether a word begins with each character."""
    classes = _CLASSES.of_text(text)
    begins: Bools = classes != _SPACE
    begins[1:] &= (classes[1:] != _IN_WORD) | (classes[:-1] != _IN_WORD)
    return begins


def word_starts(text: str) -> Ints:
    """Return where words begin: runs of letters and digits, and single marks.

    >>> word_starts("It's so.").tolist()
    [0, 2, 3, 5, 7]
    """
    return np.flatnonzero(_begin_words(text))


# Tokenisers


def tokeniser_of(given: Any) -> Tokeniser:
    """Return a function from a text to the offsets of its tokens.

    A name is "words", a file of tokenizers (tokenizer.json), an encoding or a model of tiktoken
    (cl100k_base), or a model whose tokeniser `tokenizers` can fetch.

    >>> tokeniser_of(lambda text: [(0, 3), (4, 7)])("one two")
    [0, 4]
    """
    if isinstance(given, str) and given == "words":
        return word_starts
    if isinstance(given, str | os.PathLike):
        given = _named(os.fspath(given))
    if hasattr(given, "decode_with_offsets"):
        return partial(_starts_by_tiktoken, given)
    if hasattr(given, "encode") and not callable(given):
        return partial(_starts_by_tokenizers, given)
    if hasattr(given, "encode") and hasattr(given, "is_fast"):
        return partial(_starts_by_transformers, given)
    if callable(given):
        return partial(_starts_by_function, given)
    raise InputError(
        f"tokens is {quoted(given)}: expected a function from a text to the offsets of its tokens, "
        "a tokeniser of tiktoken, tokenizers or transformers, the name of one, or 'words'"
    )


def _starts_by_tiktoken(encoding: Any, text: str) -> Sequence[int]:
    starts: Sequence[int] = encoding.decode_with_offsets(
        encoding.encode(text, disallowed_special=())
    )[1]
    return starts


def _starts_by_tokenizers(tokeniser: Any, text: str) -> Sequence[int]:
    return [start for start, _ in tokeniser.encode(text, add_special_tokens=False).offsets]


def _starts_by_transformers(tokeniser: Any, text: str) -> Sequence[int]:
    if not tokeniser.is_fast:
        raise InputError(
            Parameter("tokens")
            + " is a tokeniser of transformers that knows no offsets: expected a fast one"
        )
    encoded = tokeniser(text, return_offsets_mapping=True, add_special_tokens=False)
    return [start for start, _ in encoded["offset_mapping"]]


def _starts_by_function(function: Callable[[str], Sequence[Any]], text: str) -> Sequence[int]:
    return [int(at[0]) if isinstance(at, tuple | list) else int(at) for at in function(text)]


def _named(name: str) -> Any:
    """Return the tokeniser of a name, from whichever library knows it."""
    if name.endswith(".json") or os.path.exists(name):
        return _from_file(name)
    tiktoken = _module("tiktoken")
    if tiktoken is not None and _knows(tiktoken, name):
        return _from_tiktoken(tiktoken, name)
    tokenizers = _module("tokenizers")
    if tokenizers is not None:
        try:
            return tokenizers.Tokenizer.from_pretrained(name)
        except Exception as error:  # whatever the library or the network raises
            raise InputError(
                Parameter("tokens", name)
                + f": neither tiktoken nor tokenizers has it: {quoted(str(error))}; "
                + _WHERE_VOCABULARIES_ARE
            ) from None
    missing = "neither tiktoken nor tokenizers is installed"
    if tiktoken is not None:
        missing = "tiktoken does not know it, and tokenizers is not installed"
    raise InputError(
        Parameter("tokens", name)
        + f": {missing}; "
        + Parameter("tokens", "words")
        + " counts words and needs neither"
    )


def _from_file(name: str) -> Any:
    tokenizers = _module("tokenizers")
    if tokenizers is None:
        raise InputError(
            Parameter("tokens", name) + ": files of tokenisers need the package tokenizers"
        )
    try:
        return tokenizers.Tokenizer.from_file(name)
    except Exception as error:  # its errors are plain ones
        raise InputError(
            Parameter("tokens", name) + f" is no tokeniser: {quoted(str(error))}"
        ) from None


def _from_tiktoken(tiktoken: Any, name: str) -> Any:
    try:
        if name in tiktoken.list_encoding_names():
            return tiktoken.get_encoding(name)
        return tiktoken.encoding_for_model(name)
    except Exception as error:  # whatever the network raises
        raise InputError(
            Parameter("tokens", name)
            + f": tiktoken cannot load it: {quoted(str(error))}; "
            + _WHERE_VOCABULARIES_ARE
        ) from None


def _knows(tiktoken: Any, name: str) -> bool:
    if name in tiktoken.list_encoding_names():
        return True
    try:
        tiktoken.encoding_name_for_model(name)
    except KeyError:
        return False
    return True


def _module(name: str) -> Any:
    """Return a module, None if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None
