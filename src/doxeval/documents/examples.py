"""Tiny temporary collections, for examples and for trying things out."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from doxeval.documents.build.build import build_collection
from doxeval.documents.collection import Collection


def example_collection(documents: Mapping[str, str]) -> Collection:
    """Return a collection of XML documents, given by their ids, until the process ends.

    >>> len(example_collection({"a": "<p>One.</p>", "b": "<p>Two.</p>"}))
    2
    """
    directory = Path(tempfile.mkdtemp(prefix="doxeval-example-"))
    atexit.register(_remove, directory, os.getpid())
    sources = directory / "sources"
    sources.mkdir()
    for document_id, xml in documents.items():
        (sources / f"{document_id}.xml").write_text(xml, encoding="utf-8")
    build_collection([str(sources)], directory / "collection")
    return Collection(directory / "collection")


def _remove(directory: Path, process: int) -> None:
    """Remove an example, if this is the process that has made it, and not a copy of it."""
    if os.getpid() == process:
        shutil.rmtree(directory, ignore_errors=True)
