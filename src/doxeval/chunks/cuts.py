"""Cuts by name: the built-in ones, and functions of the user's own files.

recursive:800:0    at most 800 characters, cut at paragraphs, lines, words or anywhere
words:200:50       200 words, 50 of them shared with the chunk before
sentences:5:1      5 sentences, 1 of them shared with the chunk before
paragraphs         between blank lines
sections           from heading to heading, or the sections of XML
my.py:split        the function `split` of the file my.py
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from doxeval.chunks.cut_text import (
    Ranges,
    by_paragraphs,
    by_sections,
    by_sentences,
    by_words,
    recursively,
)
from doxeval.errors import InputError
from doxeval.messages import quoted, suggestion


class _Kind(NamedTuple):
    """A built-in cut: what it does to a text, and what its size counts, if it has one."""

    cut: Callable[..., Ranges]
    counts: str = ""


_KINDS = {
    "recursive": _Kind(recursively, "characters"),
    "words": _Kind(by_words, "words"),
    "sentences": _Kind(by_sentences, "sentences"),
    "paragraphs": _Kind(by_paragraphs),
    "sections": _Kind(by_sections),
}
BUILT_IN = tuple(_KINDS)
EXPECTED = (
    "recursive:SIZE:OVERLAP, words:SIZE:OVERLAP, sentences:N:OVERLAP, paragraphs, sections, or "
    "FILE.py:FUNCTION"
)


def cut_named(name: str) -> Callable[[str], Ranges]:
    """A built-in cut: a function from a text to the ranges of its chunks.

    >>> cut_named("words:2:0")("one two three").start.tolist()
    [0, 8]
    >>> cut_named("words:2:2")
    Traceback (most recent call last):
    doxeval.errors.InputError: cut 'words:2:2': the overlap must be less than the size
    """
    kind, *numbers = name.strip().split(":")
    if kind not in _KINDS:
        hint = suggestion(kind, BUILT_IN)
        raise InputError(f"no cut {quoted(name)}{hint}; expected {EXPECTED}")
    if not _KINDS[kind].counts:
        if numbers:
            raise InputError(f"cut {quoted(name)}: {kind} has no size")
        return _KINDS[kind].cut
    return partial(_KINDS[kind].cut, **_sizes(name, kind, numbers))


def _sizes(name: str, kind: str, numbers: list[str]) -> dict[str, int]:
    if not 1 <= len(numbers) <= 2 or not all(number.isdecimal() for number in numbers):
        counts = _KINDS[kind].counts
        raise InputError(
            f"cut {quoted(name)}: expected {kind}:SIZE:OVERLAP with whole numbers of {counts}"
        )
    size, overlap = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 0
    if size < 1:
        raise InputError(f"cut {quoted(name)}: the size must be at least 1")
    if overlap >= size:
        raise InputError(f"cut {quoted(name)}: the overlap must be less than the size")
    return {"count" if kind == "sentences" else "size": size, "overlap": overlap}


def is_function_of_file(name: str) -> bool:
    """Whether a cut is named as a function of a file.

    >>> is_function_of_file("my.py:split"), is_function_of_file("words:9")
    (True, False)
    """
    file, colon, function = name.rpartition(":")
    return bool(colon) and file.endswith(".py") and function.isidentifier()


def function_of_file(name: str) -> Any:
    """The function, or whatever else has that name, of a Python file: FILE.py:NAME."""
    import importlib.util
    import os

    file, _, function = name.rpartition(":")
    if not os.path.exists(file):
        raise InputError("no such file", file)
    spec = importlib.util.spec_from_file_location("cut_of_file", file)
    if spec is None or spec.loader is None:
        raise InputError("this is not a file of Python", file)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a user's own code raises anything
        raise InputError(f"the file cannot be run: {error!r}", file) from error
    if not hasattr(module, function):
        raise InputError(f"no {function} in the file{suggestion(function, dir(module))}", file)
    return getattr(module, function)
