"""What several targets need: a small collection, and a directory for files."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from doxeval.documents import Collection, example_collection

DOCUMENTS = {
    "a": "<s><p>One. <b>Two</b> three.</p><p>Four.</p></s>",
    "b": "<s><p>Five.</p>six<p>Seven eight.</p><q/></s>",
    "c": "<article><body><sec><p>Nine</p></sec></body></article>",
}


@cache
def collection() -> Collection:
    """A small collection."""
    return example_collection(DOCUMENTS)


@cache
def workplace() -> Path:
    """A directory for the files of one input at a time."""
    place = Path(tempfile.mkdtemp(prefix="doxeval-fuzz-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def file_of(name: str, data: bytes) -> str:
    """A file with these contents; the next one of the same name replaces it."""
    path = workplace() / name
    path.write_bytes(data)
    return str(path)
