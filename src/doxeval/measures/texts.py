"""The texts of documents, for measures that count words or tokens, or ignore white space.

What counts as a token is said by a tokeniser: words, a function, or an object of tiktoken,
tokenizers or transformers. These libraries are known by what their objects can do, and imported
only if a tokeniser is given by its name.
"""

from __future__ import annotations

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents import Collection, is_white_space
from doxeval.errors import InputError, MissingInput
from doxeval.messages import Parameter, quoted

# Where the units of a text begin, given the text.
Tokeniser = Callable[[str], Sequence[int]]
MOST_BYTES = 128 << 20  # of offsets that are kept in memory
_WORD = re.compile(r"\w+|[^\w\s]")
_WHERE_VOCABULARIES_ARE = (
    "vocabularies are downloaded, unless TIKTOKEN_CACHE_DIR names a folder that has them "
    "(llama-index-core comes with that of cl100k_base, under _static/tiktoken_cache)"
)


class Texts:
    """Texts by the ids of their documents, and where words, tokens and blanks are in them.

    source: texts by id, or a collection. tokens: what counts as a token, "words" for words;
    `tokeniser_of` explains what else it may be. Offsets of the documents that were used last are
    kept, up to MOST_BYTES in all.

    >>> texts = Texts({"a": "one two"})
    >>> texts.starts("a", "words").tolist(), texts.blanks("a").tolist()
    ([0, 4], [3])
    """

    def __init__(self, source: Mapping[str, str] | Collection, tokens: Any = None) -> None:
        self._source = source
        self._tokens = None if tokens is None else tokeniser_of(tokens)
        self._forget()

    def _forget(self) -> None:
        self._offsets: OrderedDict[tuple[str, str], Ints] = OrderedDict()
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

    def starts(self, document: str, unit: str, *, ignore_whitespace: bool = False) -> Ints:
        """Return where the words or tokens of a document begin.

        ignore_whitespace: offsets count non-space characters only.
        """
        if unit == "tokens" and self._tokens is None:
            raise MissingInput(
                "unit=tokens needs to know what tokens are: "
                + Parameter("tokens")
                + " names a tokeniser, or the results of the run state their tokens"
            )
        starts = self._offsets_in(document, unit)
        if ignore_whitespace:
            starts = starts - np.searchsorted(self.blanks(document), starts)
        return starts

    def blanks(self, document: str) -> Ints:
        """Return where the white space of a document is."""
        return self._offsets_in(document, "blanks")

    def _offsets_in(self, document: str, what: str) -> Ints:
        key = (document, what)
        with self._lock:
            if key in self._offsets:
                self._offsets.move_to_end(key)
                return self._offsets[key]
        text = self.find(document)
        if text is None:
            raise MissingInput(
                f"the text of document {quoted(document)} is not known: " + Parameter("texts")
            )
        offsets = np.asarray(self._find_offsets(text, what), dtype=np.int64)
        with self._lock:
            if key not in self._offsets:
                self._offsets[key] = offsets
                self._kept += _bytes_of(offsets)
                while self._kept > MOST_BYTES and len(self._offsets) > 1:
                    self._kept -= _bytes_of(self._offsets.popitem(last=False)[1])
        return offsets

    def _find_offsets(self, text: str, what: str) -> Sequence[int] | Ints:
        if what == "blanks":
            return np.flatnonzero(is_white_space(text))
        if what == "words" or self._tokens is None:
            return word_starts(text)
        starts = sorted(set(self._tokens(text)))
        if starts and not (starts[0] >= 0 and starts[-1] <= len(text)):
            raise InputError(
                Parameter("tokens") + f" gives offset {starts[-1]:,} in {len(text):,} characters"
            )
        return starts


def _bytes_of(offsets: Ints) -> int:
    return offsets.nbytes + 256  # with what the dictionary needs for it


def word_starts(text: str) -> list[int]:
    """Return where words begin: runs of letters and digits, and single marks.

    >>> word_starts("It's so.")
    [0, 2, 3, 5, 7]
    """
    return [match.start() for match in _WORD.finditer(text)]


def word_spans(text: str) -> tuple[Ints, Ints]:
    """Return where the same words begin and end.

    >>> [column.tolist() for column in word_spans("It's so.")]
    [[0, 2, 3, 5, 7], [2, 3, 4, 7, 8]]
    """
    spans = [match.span() for match in _WORD.finditer(text)]
    start, end = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    return start, end


# Tokenisers


def tokeniser_of(given: Any) -> Tokeniser:
    """Return a function from a text to the offsets of its tokens.

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
