"""The texts of documents, for measures that count words or tokens, or leave out white space.

What counts as a token: words, a function, or a tokeniser of tiktoken, tokenizers, transformers.

These libraries are known by what their objects can do, and imported only if a tokeniser is asked
for by its name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents import Collection
from doxeval.errors import InputError, MissingInput
from doxeval.messages import Parameter, quoted

# Where the units of a text begin, given the text.
Tokeniser = Callable[[str], Sequence[int]]
_WORD = re.compile(r"\w+|[^\w\s]")
_WHERE_VOCABULARIES_ARE = (
    "vocabularies are downloaded, unless TIKTOKEN_CACHE_DIR names a folder that has them "
    "(llama-index-core comes with that of cl100k_base, under _static/tiktoken_cache)"
)


def word_starts(text: str) -> list[int]:
    """Where words begin: runs of letters and digits, and single marks.

    >>> word_starts("It's so.")
    [0, 2, 3, 5, 7]
    """
    return [found.start() for found in _WORD.finditer(text)]


def tokeniser_of(given: Any) -> Tokeniser:
    """A function from a text to the offsets of its tokens.

    A name is "words", a file of tokenizers (tokenizer.json), an encoding or a model of tiktoken
    (cl100k_base), or a model whose tokeniser `tokenizers` can fetch.

    >>> tokeniser_of("words")("one two")
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
    found = tokeniser(text, return_offsets_mapping=True, add_special_tokens=False)
    return [start for start, _ in found["offset_mapping"]]


def _starts_by_function(function: Callable[[str], Sequence[Any]], text: str) -> Sequence[int]:
    return [int(one[0]) if isinstance(one, tuple | list) else int(one) for one in function(text)]


def _named(name: str) -> Any:
    """The tokeniser of a name, from whichever library knows it."""
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
    """A module, None if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


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
