"""Documents put together from the texts of their chunks, where nothing else is known of them."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import Any

from doxeval.chunks.chunk_reading import read_chunks
from doxeval.chunks.chunk_set import Chunks
from doxeval.chunks.document_set import Documents
from doxeval.errors import MissingInput
from doxeval.files import open_output
from doxeval.messages import Parameter, json_text

_SURROGATE = re.compile("[\ud800-\udfff]")


def chunks_with_texts(path: str | os.PathLike[str], docs: Any = None) -> Chunks:
    """Read a chunk file, with documents that are given or put together from its texts.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "chunks.jsonl"
    >>> _ = path.write_text('{"id": "1", "doc": "a", "start": 2, "end": 6, "text": "Four"}\\n')
    >>> chunks_with_texts(path).known_docs["a"]
    '  Four'
    """
    found = read_chunks(path, docs)
    if found.docs is not None:
        return found
    if found.given is None:
        raise MissingInput(
            f"{os.fspath(path)} has no texts: " + Parameter("docs") + " names the documents"
        )
    return replace(found, docs=_documents(found, found.given))


class RebuiltDocuments(Documents):
    """Documents of which nothing is known but their chunks."""


def _documents(chunks: Chunks, given: tuple[str, ...]) -> RebuiltDocuments:
    """What chunks show of their documents; what none of them shows is blank."""
    lengths: dict[str, int] = {}
    ranges = chunks.spans.as_tuples()
    homes = [chunks.documents[number] for number in chunks.document.tolist()]
    for name, own in zip(homes, ranges, strict=True):
        end = own[-1][1] if own else 0
        lengths[name] = max(lengths.get(name, 0), end)
    texts = {name: [" "] * length for name, length in lengths.items() if name}
    for name, own, text in zip(homes, ranges, given, strict=True):
        if len(own) == 1 and name:
            ((start, end),) = own
            # White space may differ; then the letters are right, and their places nearly so.
            texts[name][start:end] = text[: end - start].ljust(end - start)
    return RebuiltDocuments((name, "".join(own)) for name, own in texts.items())


def write_with_texts(chunks: Chunks, path: str | os.PathLike[str]) -> None:
    """Write a chunk file that says of every chunk what its text is.

    Text with lone surrogates, which files cannot hold, is left out.
    """
    with open_output(path) as file:
        for row, record in enumerate(chunks.records()):
            record.setdefault("text", chunks.text(row))
            if _SURROGATE.search(record["text"]):
                del record["text"]
            file.write(f"{json_text(record)}\n".encode())
