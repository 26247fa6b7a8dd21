"""Tiny temporary collections, for examples and for trying things out."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from doxeval.documents.build import build_collection
from doxeval.documents.collection import Collection


def example_collection(documents: Mapping[str, str]) -> Collection:
    """A collection of XML documents, given by their ids, in a temporary directory.

    >>> len(example_collection({"a": "<p>One.</p>", "b": "<p>Two.</p>"}))
    2
    """
    directory = Path(tempfile.mkdtemp(prefix="doxeval-example-"))
    sources = directory / "sources"
    sources.mkdir()
    for document_id, xml in documents.items():
        (sources / f"{document_id}.xml").write_text(xml, encoding="utf-8")
    build_collection([str(sources)], directory / "collection")
    return Collection(directory / "collection")
