"""Splitters of other libraries, known by their methods; none of these libraries is imported.

split_text(text)                      LangChain; LlamaIndex
chunk(text)                           Chonkie
get_nodes_from_documents([document])  LlamaIndex
run(documents=[document])             Haystack
a call with the text                  semchunk, and functions of the user's own
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from doxeval.errors import InputError
from doxeval.messages import quoted

Split = Callable[[str, str], list[Any]]  # from the id and the text of a document to its chunks


def splitter_of(given: Any) -> Split:
    """What a splitter does to one document: its chunks, as the splitter gives them.

    >>> splitter_of(str.split)("a", "one two")
    ['one', 'two']
    """
    if _has(given, "split_text"):
        return lambda _, text: _listed(given, given.split_text(text))
    if _has(given, "get_nodes_from_documents"):
        return lambda name, text: _listed(given, _llama_nodes(given, name, text))
    if _has(given, "chunk"):
        return lambda _, text: _listed(given, given.chunk(text))
    if _has(given, "run") and not isinstance(given, type):
        return lambda name, text: _listed(given, _haystack_chunks(given, name, text))
    if callable(given):
        return lambda _, text: _listed(given, given(text))
    raise InputError(
        f"{quoted(given)} is no way to cut: expected the name of a built-in cut, a function from a "
        "text to its chunks, or a splitter of LangChain, LlamaIndex, Haystack or Chonkie"
    )


def _has(given: Any, method: str) -> bool:
    return callable(getattr(given, method, None))


def _listed(given: Any, found: Any) -> list[Any]:
    # semchunk gives texts and offsets apart, if it is asked for offsets.
    if isinstance(found, tuple) and len(found) == 2 and all(isinstance(one, list) for one in found):
        texts, offsets = found
        return [
            {"text": text, "start": start, "end": end}
            for text, (start, end) in zip(texts, offsets, strict=True)
        ]
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise InputError(f"{_called(given)} gives {quoted(found)}: expected the chunks of a text")
    return list(found)


def _called(given: Any) -> str:
    return getattr(given, "__name__", None) or type(given).__name__


def _llama_nodes(given: Any, name: str, text: str) -> Any:
    document = _class_of("llama_index.core.schema", "Document")
    return given.get_nodes_from_documents([document(text=text, id_=name)])


def _haystack_chunks(given: Any, name: str, text: str) -> Any:
    document = _class_of("haystack.dataclasses", "Document")
    if _has(given, "warm_up"):
        given.warm_up()
    return given.run(documents=[document(content=text, id=name)])["documents"]


def _class_of(module: str, name: str) -> Any:
    """A class of a library that the splitter has loaded already."""
    found = sys.modules.get(module)
    if found is None or not hasattr(found, name):
        raise InputError(f"the splitter needs {module}.{name}, which is not loaded")
    return getattr(found, name)
